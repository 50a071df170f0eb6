package pattern_test

import "testing"

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
