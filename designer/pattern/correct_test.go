package pattern_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/designer/pattern"
)

// stand makes the source and the rollup of a document in a database of its own.
func stand(t *testing.T, document string) (*designer.Rollup, *ddl.Plan) {
	t.Helper()
	d, err := designer.Decode([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	db, drop, err := engine.Scratch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(drop)
	d.Source.Database, d.Target.Database = db, db
	d.Normalise()
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	facts, err := engine.Analyse(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	r, err := designer.Resolve(d, facts)
	if err != nil {
		t.Fatal(err)
	}
	decision, err := pattern.Decide(r)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, sourceDDL(d))
	for _, s := range decision.Plan.Up {
		exec(t, s.SQL)
	}
	return r, decision.Plan
}

// TestCorrectFromAnyZone: the window given in any session's zone is emptied and
// filled alike, whatever the grain's zone and the type of the time column.
func TestCorrectFromAnyZone(t *testing.T) {
	for _, column := range []string{"DateTime", "Date", "DateTime64(3, 'Asia/Tokyo')"} {
		for _, zone := range []string{"UTC", "Asia/Kolkata", "America/New_York"} {
			for _, tiers := range []string{"", `, "tiers": [{"bucket": "1 day"}, {"bucket": "1 month"}]`} {
				bucket := "1 day"
				if tiers != "" {
					bucket = "1 month"
				}
				t.Run(fmt.Sprint(column, zone, bucket), func(t *testing.T) {
					t.Parallel()
					r, plan := stand(t, fmt.Sprintf(`{"format": 1, "name": "c", "pattern": "summing",
						"source": {"database": "d", "table": "s", "engine": "MergeTree", "order_by": ["id"], "feed": "append",
							"columns": [{"name": "id", "type": "UInt64"}, {"name": "ts", "type": %q}]},
						"grain": {"time": {"name": "at", "column": "ts", "bucket": %q, "timezone": %q}},
						"metrics": [{"name": "n", "kind": "count"}]%s}`, column, bucket, zone, tiers))
					exec(t, "INSERT INTO "+r.SourceTable()+" SELECT number, toDateTime('2026-01-01 00:00:00', 'UTC') + number * 3600 FROM numbers(2400)")
					for _, session := range []string{"UTC", "Asia/Tokyo", "America/New_York", "Pacific/Kiritimati"} {
						for _, hour := range []string{"00:00:00", "17:30:00"} {
							ctx := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"session_timezone": session}),
								clickhouse.WithParameters(clickhouse.Parameters{"from": "2026-01-31 " + hour, "to": "2026-03-01 " + hour}))
							for _, s := range strings.Split(plan.Correct, ";\n") {
								if strings.TrimSpace(stripComments(s)) != "" {
									if err := engine.Conn().Exec(ctx, s); err != nil {
										t.Fatalf("%v\n%s", err, s)
									}
								}
							}
							same(t, "corrected from "+session+" at "+hour, plan)
						}
					}
				})
			}
		}
	}
}
