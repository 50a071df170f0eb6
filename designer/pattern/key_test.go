package pattern_test

import (
	"slices"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// TestBracketedSortingKey: a sorting key in brackets, as servers give it, is its column.
func TestBracketedSortingKey(t *testing.T) {
	for _, order := range []string{"(id)", "(`id`)", "((id))", " id "} {
		r, plan := stand(t, `{"format": 1, "name": "k", "pattern": "replacing",
			"source": {"database": "d", "table": "s", "engine": "ReplacingMergeTree(v)", "order_by": ["`+order+`"], "key": ["id"], "feed": "upsert", "version": "v",
				"columns": [{"name": "id", "type": "UInt64"}, {"name": "v", "type": "UInt64"}]},
			"grain": {}, "metrics": [{"name": "n", "kind": "count"}]}`)
		if !slices.Equal(r.Source.OrderBy, []string{"id"}) || !r.KeyIsEngines() {
			t.Errorf("%s is read as %q", order, r.Source.OrderBy)
		}
		exec(t, "INSERT INTO "+r.SourceTable()+" VALUES (1, 1), (1, 2), (2, 1)")
		same(t, order, plan)
	}
}

// TestCorrectKeyOfNulls: an entity whose key is NULL is repaired like any other.
func TestCorrectKeyOfNulls(t *testing.T) {
	r, plan := stand(t, `{"format": 1, "name": "k", "pattern": "replacing",
		"source": {"database": "d", "table": "s", "engine": "MergeTree", "order_by": ["ts"], "key": ["a", "b"], "feed": "upsert", "version": "v",
			"columns": [{"name": "a", "type": "Nullable(String)"}, {"name": "b", "type": "UInt8"}, {"name": "ts", "type": "DateTime"}, {"name": "v", "type": "UInt64"}]},
		"grain": {"time": {"column": "ts", "bucket": "1 day"}}, "metrics": [{"name": "v", "kind": "sum", "expr": "v"}]}`)
	exec(t, "DETACH TABLE "+r.Target.Database+".k_entities_mv")
	exec(t, "INSERT INTO "+r.SourceTable()+" VALUES (NULL, 1, '2026-01-01 00:00:00', 1), ('', 1, '2026-01-01 00:00:00', 2), (NULL, 2, '2026-01-01 00:00:00', 4)")
	exec(t, "ATTACH TABLE "+r.Target.Database+".k_entities_mv")
	ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"from": "2026-01-01 00:00:00", "to": "2026-01-02 00:00:00"}))
	if err := engine.Conn().Exec(ctx, plan.Correct); err != nil {
		t.Fatal(err)
	}
	same(t, "corrected", plan)
}

// TestFloatDimension: 0 and -0 are one grain, and so are all NaN, merged or not.
func TestFloatDimension(t *testing.T) {
	for _, kind := range []string{"Float64", "Float32", "Nullable(Float64)"} {
		r, plan := stand(t, `{"format": 1, "name": "k",
			"source": {"database": "d", "table": "s", "engine": "MergeTree", "order_by": ["id"], "feed": "append",
				"columns": [{"name": "id", "type": "UInt64"}, {"name": "f", "type": "`+kind+`"}]},
			"grain": {"dimensions": [{"name": "f", "expr": "f"}]}, "metrics": [{"name": "n", "kind": "count"}]}`)
		for range 2 {
			exec(t, "INSERT INTO "+r.SourceTable()+" VALUES (1, 0.0), (2, -0.0), (3, nan), (4, -nan), (5, inf), (6, NULL), (7, 1.5)")
			same(t, "inserted", plan)
		}
		exec(t, "OPTIMIZE TABLE "+plan.Targets[0].Table+" FINAL")
		same(t, "merged", plan)
	}
}
