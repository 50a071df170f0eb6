package cluster

import (
	"context"
	"slices"
	"testing"

	"github.com/rollsmith/rollsmith/designer"
)

// Everything this package can do is done as an account that may only read and
// may change no setting; then the server's own log tells what was asked of it.
func TestEverythingWorksForAnAccountThatMayOnlyRead(t *testing.T) {
	db := scratch(t)
	do(t, db,
		"CREATE TABLE DB.orders (id UInt64, at DateTime, country Nullable(String), buyer_id UInt64, v UInt64, d UInt8) ENGINE = ReplacingMergeTree(v, d) PARTITION BY toYYYYMM(at) ORDER BY id",
		"INSERT INTO DB.orders SELECT number, toDateTime('2026-01-01 00:00:00') + number * 600, 'de', number % 7, 1, 0 FROM numbers(10000)",
		"CREATE TABLE DB.daily (day Date, n UInt64) ENGINE = SummingMergeTree ORDER BY day",
		"CREATE MATERIALIZED VIEW DB.feed TO DB.daily AS SELECT toDate(at) AS day, count() AS n FROM DB.orders GROUP BY day",
		"SYSTEM FLUSH LOGS",
	)
	ctx := context.Background()
	for _, protocol := range []string{Native, HTTP} {
		c := as(t, "locked", protocol)
		if r := c.Check(ctx, nil); !r.OK || len(r.Missing) > 0 {
			t.Errorf("check: %+v", r)
		}
		var source designer.Source
		steps := map[string]func() error{
			"Databases": func() error { _, err := c.Databases(ctx); return err },
			"Tables":    func() error { _, err := c.Tables(ctx, Search{Text: "ord", Sort: "rows"}); return err },
			"Columns":   func() error { _, err := c.Columns(ctx, db, "orders"); return err },
			"Views":     func() error { _, err := c.Views(ctx, Search{}); return err },
			"Profile": func() error {
				p, err := c.TableProfile(ctx, db, "orders")
				if err == nil && len(p.Missing) > 0 {
					t.Errorf("profile misses %v", p.Missing)
				}
				return err
			},
			"Measure": func() error {
				m, err := c.Measure(ctx, source)
				if err == nil && len(m.Missing) > 0 {
					t.Errorf("measurement misses %v", m.Missing)
				}
				return err
			},
			"Stability": func() error { _, err := c.Stability(ctx, source, Named{"country", "country"}); return err },
			"Cardinality": func() error {
				found, err := c.Cardinality(ctx, source, Named{"country", "country"}, Named{"buyer", "buyer_id % 3"})
				if err == nil && (found[0].Values != 1 || found[1].Values != 3 || found[0].Top[0] != "de") {
					t.Errorf("cardinality = %+v", found)
				}
				return err
			},
			"Blocks": func() error { _, err := c.GroupsPerBlock(ctx, source, []string{"toDate(at)"}); return err },
			"Cost": func() error {
				sheets, err := c.Cost(ctx, source, Candidate{Name: "day", By: []string{"toDate(at)"}})
				if err == nil && len(sheets[0].Missing) > 0 {
					t.Errorf("cost misses %v", sheets[0].Missing)
				}
				return err
			},
			"Plan": func() error { _, err := c.ExplainPlan(ctx, "SELECT count() FROM "+db+".orders FINAL"); return err },
		}
		in, err := c.Introspect(ctx, db, "orders")
		if err != nil || len(in.Missing) > 0 {
			t.Fatalf("introspect: %+v, %v", in, err)
		}
		source = in.Source
		for name, step := range steps {
			if err := step(); err != nil {
				t.Errorf("%s over %s: %v", name, protocol, err)
			}
		}
	}
	do(t, db, "SYSTEM FLUSH LOGS")
	rows, err := engine.Conn().Query(ctx, "SELECT DISTINCT query_kind FROM system.query_log WHERE user = 'locked' AND startsWith(query_id, 'rollsmith-')")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var kinds []string
	for rows.Next() {
		var kind string
		if err := rows.Scan(&kind); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, kind)
		if !slices.Contains([]string{"Select", "Explain", "KillQuery"}, kind) {
			t.Errorf("a statement of kind %s was sent", kind)
		}
	}
	if !slices.Contains(kinds, "Select") || !slices.Contains(kinds, "Explain") {
		t.Errorf("the log knows only %v", kinds)
	}
}
