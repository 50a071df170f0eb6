package pattern_test

import (
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/rollsmith/rollsmith/designer/ddl"
)

// TestNoPartitionTooMany: an insert that the source takes is never too many
// partitions for a target.
func TestNoPartitionTooMany(t *testing.T) {
	for source, want := range map[string]string{
		"toYYYYMM(ts)": "toYYYYMM", "(x % 2, toYYYYMM(`ts`))": "toYYYYMM", "toDate(ts)": "toYYYYMM", "toStartOfWeek(ts)": "toYYYYMM",
		"toYear(ts)": "toYear", "x % 4": "", "toYYYYMM(other_ts)": "", "": "",
	} {
		t.Run(source, func(t *testing.T) {
			r, plan := stand(t, `{"format": 1, "name": "p",
				"source": {"database": "d", "table": "s", "engine": "MergeTree", "order_by": ["x"], "partition_by": "`+source+`", "feed": "append",
					"columns": [{"name": "x", "type": "UInt64"}, {"name": "ts", "type": "DateTime"}, {"name": "other_ts", "type": "DateTime"}]},
				"grain": {"time": {"column": "ts", "bucket": "1 day"}}, "metrics": [{"name": "n", "kind": "count"}]}`)
			span := "number * 86400 FROM numbers(13000)" // 36 years
			if want == "toYYYYMM" {
				span = "number * 86400 FROM numbers(60)"
			}
			exec(t, "INSERT INTO "+r.SourceTable()+" SELECT number, toDateTime('1990-01-01 00:00:00', 'UTC') + "+span[:len("number * 86400")]+", 0 "+span[len("number * 86400 "):])
			same(t, "after an insert", plan)
			got := query(t, "SELECT extract(partition_key, '^\\w*') FROM system.tables WHERE database = '"+r.Target.Database+"' AND name = 'p_rollup'")
			if got[0] != "('"+want+"')" {
				t.Errorf("partition key %s, want %s", got[0], want)
			}
		})
	}
}

// TestFillManyPartitions: history of more months than an insert may have
// partitions is filled and corrected all the same.
func TestFillManyPartitions(t *testing.T) {
	for _, design := range []string{`"pattern": "summing", "backfill": {"mode": "pause"}`, `"pattern": "replacing", "backfill": {"mode": "overlap"}`} {
		feed := "append"
		if strings.Contains(design, "replacing") {
			feed = "at_least_once"
		}
		r, plan := stand(t, `{"format": 1, "name": "p", `+design+`,
			"source": {"database": "d", "table": "s", "engine": "MergeTree", "order_by": ["id"], "key": ["id"], "partition_by": "toYYYYMM(ts)", "feed": "`+feed+`",
				"columns": [{"name": "id", "type": "UInt64"}, {"name": "ts", "type": "DateTime"}]},
			"grain": {"time": {"column": "ts", "bucket": "1 day"}}, "metrics": [{"name": "n", "kind": "count"}]}`)
		for _, s := range plan.Up {
			if strings.HasSuffix(s.Name, "_mv") {
				exec(t, "DETACH TABLE "+ddl.Table(r.Target.Database, s.Name))
			}
		}
		exec(t, "INSERT INTO "+r.SourceTable()+" SELECT number, toDateTime('2001-01-01 00:00:00', 'UTC') + number * 864000 FROM numbers(500) SETTINGS max_partitions_per_insert_block = 0")
		script(t, plan.Backfill)
		same(t, "filled", plan)
		ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"from": "2001-01-01 00:00:00", "to": "2020-01-02 00:00:00"}))
		for _, s := range strings.Split(plan.Correct, ";\n") {
			if strings.TrimSpace(stripComments(s)) == "" {
				continue
			}
			if err := engine.Conn().Exec(ctx, s); err != nil {
				t.Fatalf("%v\n%s", err, s)
			}
		}
		same(t, "corrected", plan)
	}
}
