package pattern_test

import (
	"fmt"
	"testing"
)

// events is a design over events that never change, with these metrics and what
// else its document holds.
func events(rest string) string {
	return `{"format": 1, "name": "a",
		"source": {"database": "d", "table": "s", "engine": "MergeTree", "order_by": ["id"], "feed": "append",
			"columns": [{"name": "id", "type": "UInt64"}, {"name": "ts", "type": "DateTime"}, {"name": "x", "type": "UInt32"}]}, ` + rest + "}"
}

func audited(t *testing.T, document, rows string, want int) {
	t.Helper()
	r, plan := stand(t, document)
	exec(t, "INSERT INTO "+r.SourceTable()+" "+rows)
	if got := query(t, plan.Audit); len(got) != want {
		t.Errorf("audit: %d rows, want %d: %.300s", len(got), want, fmt.Sprint(got))
	}
}

// TestAuditNames: no metric's or dimension's name meets a name inside the audit.
func TestAuditNames(t *testing.T) {
	audited(t, events(`"grain": {"dimensions": [{"name": "r_rollup", "expr": "x % 2"}, {"name": "in_truth", "expr": "x % 3"}]},
		"metrics": [{"name": "r", "kind": "count"}, {"name": "side", "kind": "sum", "expr": "x"}, {"name": "in", "kind": "max", "expr": "x"}]`),
		"SELECT number, 0, number FROM numbers(20)", 0)
}

// TestAuditOfApproximateRatio: a ratio of approximate metrics is as near to the
// truth as they are, and that is no difference.
func TestAuditOfApproximateRatio(t *testing.T) {
	audited(t, events(`"grain": {}, "metrics": [{"name": "n", "kind": "count"}, {"name": "u", "kind": "count_distinct", "expr": "id", "exact": false},
		{"name": "median", "kind": "quantile", "expr": "x", "level": 0.5, "exact": false},
		{"name": "r", "kind": "ratio", "numerator": "n", "denominator": "u"}, {"name": "q", "kind": "ratio", "numerator": "median", "denominator": "n"}]`),
		"SELECT number, 0, cityHash64(number) FROM numbers(300000)", 0)
}

// TestAuditLeavesExpiredOut: what the last tier's TTL takes is no difference.
func TestAuditLeavesExpiredOut(t *testing.T) {
	r, plan := stand(t, events(`"grain": {"time": {"name": "day", "column": "ts", "bucket": "1 day"}}, "metrics": [{"name": "n", "kind": "count"}],
		"tiers": [{"bucket": "1 hour", "ttl": "2 day"}, {"bucket": "1 day", "ttl": "20 day"}]`))
	exec(t, "INSERT INTO "+r.SourceTable()+" SELECT number, now() - number * 3600, 1 FROM numbers(1200)")
	for _, table := range plan.Targets {
		exec(t, "OPTIMIZE TABLE "+table.Table+" FINAL")
	}
	if got, want := len(query(t, plan.Query)), len(query(t, plan.Truth)); got >= want {
		t.Fatalf("nothing expired: %d of %d", got, want)
	}
	if got := query(t, plan.Audit); len(got) > 0 {
		t.Errorf("audit: %v", got)
	}
	exec(t, "TRUNCATE TABLE "+plan.Targets[1].Table)
	if got := query(t, plan.Audit); len(got) < 18 {
		t.Errorf("the audit does not see what is missing: %v", got)
	}
}
