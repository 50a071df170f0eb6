package pattern_test

import (
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// TestBucketsOfAnySession: a bucket that begins before 1970 is the same one for
// every session that inserts.
func TestBucketsOfAnySession(t *testing.T) {
	for _, bucket := range []string{"1 day", "1 week", "1 month", "1 year"} {
		for _, column := range []string{"DateTime", "DateTime64(3)", "Date32"} {
			t.Run(bucket+" "+column, func(t *testing.T) {
				r, plan := stand(t, `{"format": 1, "name": "b",
					"source": {"database": "d", "table": "s", "engine": "MergeTree", "order_by": ["id"], "feed": "append",
						"columns": [{"name": "id", "type": "UInt64"}, {"name": "ts", "type": "`+column+`"}]},
					"grain": {"time": {"column": "ts", "bucket": "`+bucket+`", "timezone": "America/New_York"}}, "metrics": [{"name": "n", "kind": "count"}]}`)
				for _, hostile := range []clickhouse.Settings{
					{}, {"enable_extended_results_for_datetime_functions": 1}, {"date_time_overflow_behavior": "saturate"},
					{"enable_extended_results_for_datetime_functions": 1, "date_time_overflow_behavior": "throw"},
				} {
					ctx := clickhouse.Context(t.Context(), clickhouse.WithSettings(hostile))
					if err := engine.Conn().Exec(ctx, "INSERT INTO "+r.SourceTable()+" SELECT number, 0 FROM numbers(3)"); err != nil {
						t.Fatal(hostile, err)
					}
					same(t, "after an insert", plan)
				}
			})
		}
	}
}
