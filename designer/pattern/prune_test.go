package pattern_test

import (
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// TestNothingPrunedBeforeFinal: versions in other partitions and granules are
// seen on servers that prune before FINAL, as those before 26.3 do.
func TestNothingPrunedBeforeFinal(t *testing.T) {
	for _, id := range []string{"direct", "refreshable", "sealed", "replacing"} {
		t.Run(id, func(t *testing.T) {
			r, plan := stand(t, `{"format": 1, "name": "p", "pattern": "`+id+`", "freshness": "1 hour", "filter": "st = 'a'",
				"source": {"database": "d", "table": "s", "engine": "ReplacingMergeTree(v, gone)", "order_by": ["id"], "partition_by": "(toYYYYMM(ts), st)", "feed": "upsert",
					"columns": [{"name": "id", "type": "UInt64"}, {"name": "ts", "type": "DateTime"}, {"name": "st", "type": "String"}, {"name": "v", "type": "UInt64"}, {"name": "gone", "type": "UInt8"}]},
				"grain": {"time": {"column": "ts", "bucket": "1 day"}}, "metrics": [{"name": "n", "kind": "count"}],
				"stability": {"time": "stable", "settles": "2 day"}}`)
			exec(t, "ALTER TABLE "+r.SourceTable()+" ADD INDEX i st TYPE set(9) GRANULARITY 1")
			for _, rows := range []string{
				"(1, now(), 'a', 1, 0), (2, now(), 'a', 1, 0), (3, '2026-01-02 00:00:00', 'b', 1, 0), (4, '2026-01-02 00:00:00', 'a', 1, 0)",
				"(1, now(), 'b', 2, 0), (2, 0, '', 2, 1), (3, '2026-01-02 00:00:00', 'a', 2, 0), (4, 0, '', 2, 1)",
			} {
				exec(t, "INSERT INTO "+r.SourceTable()+" VALUES "+rows)
			}
			if id != "replacing" {
				script(t, plan.Backfill)
			}
			ctx := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{
				"defer_partition_pruning_after_final": 0, "use_skip_indexes_if_final": 1, "use_skip_indexes_if_final_exact_mode": 0}))
			for name, sql := range map[string]string{"query.sql": plan.Query, "truth.sql": plan.Truth} {
				rows, err := engine.Conn().Query(ctx, sql)
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				for rows.Next() {
					n++
				}
				rows.Close()
				if n != 1 {
					t.Errorf("%s: %d rows, want the one of 2026-01-02", name, n)
				}
			}
		})
	}
}

// TestFirstDayOfAll: a row of time zero is in the live tail, west of Greenwich too.
func TestFirstDayOfAll(t *testing.T) {
	for _, zone := range []string{"America/New_York", "Asia/Tokyo", "UTC"} {
		r, plan := stand(t, `{"format": 1, "name": "z", "pattern": "sealed",
			"source": {"database": "d", "table": "s", "engine": "MergeTree", "order_by": ["id"], "feed": "at_least_once", "key": ["id"],
				"columns": [{"name": "id", "type": "UInt64"}, {"name": "ts", "type": "DateTime"}]},
			"grain": {"time": {"column": "ts", "bucket": "1 day", "timezone": "`+zone+`"}}, "metrics": [{"name": "n", "kind": "count"}],
			"stability": {"settles": "2 day"}}`)
		exec(t, "INSERT INTO "+r.SourceTable()+" VALUES (1, 0), (2, 1000), (3, 50000), (4, now())")
		same(t, "before sealing, "+zone, plan)
		script(t, plan.Backfill)
		same(t, "after sealing, "+zone, plan)
	}
}
