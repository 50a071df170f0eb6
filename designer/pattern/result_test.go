package pattern_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/designer/pattern"
)

// TestResultTypes: the types that a design's answer is said to have are those
// that the engine gives truth.sql, and the read view once it stands.
func TestResultTypes(t *testing.T) {
	checked := 0
	for seed := uint64(20_000); checked < 60; seed++ {
		d, err := designer.Parse(document(seed).JSON())
		if err != nil || d.Deployment != (designer.Deployment{}) {
			continue
		}
		db, drop, err := engine.Scratch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		d.Source.Database, d.Target.Database = db, db
		d.Backfill = designer.Backfill{Mode: designer.BackfillPause}
		r, err := designer.Resolve(d, recall(t, d))
		if err == nil {
			if decision, err := pattern.Decide(r); err == nil && decision.Pattern != "projection" {
				checked++
				exec(t, emptySource(d))
				sameTypes(t, seed, "truth.sql", r, types(t, decision.Plan.Truth))
				for _, s := range decision.Plan.Up {
					exec(t, s.SQL)
				}
				sameTypes(t, seed, "query.sql, "+decision.Pattern, r, types(t, decision.Plan.Query))
			}
		}
		drop()
	}
}

// emptySource gives a table with the source's columns, on an engine that takes
// FINAL and, having no rows, no part in the answer.
func emptySource(d *designer.Design) string {
	var columns []string
	for _, c := range d.Source.Columns {
		columns = append(columns, ddl.Ident(c.Name)+" "+c.Type)
	}
	return "CREATE TABLE " + ddl.Table(d.Source.Database, d.Source.Table) + " (" + strings.Join(columns, ", ") + ") ENGINE = ReplacingMergeTree ORDER BY tuple()"
}

// types gives name and type of each column of a query's answer.
func types(t *testing.T, sql string) []string {
	t.Helper()
	rows, err := engine.Conn().Query(t.Context(), "DESCRIBE (\n"+strings.TrimSuffix(strings.TrimSpace(sql), ";")+"\n)")
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		cells := make([]string, len(rows.Columns()))
		into := make([]any, len(cells))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		out = append(out, cells[0]+": "+string(designer.Type(cells[1]).Full()))
	}
	return out
}

func sameTypes(t *testing.T, seed uint64, what string, r *designer.Rollup, got []string) {
	t.Helper()
	var want []string
	if at := r.Grain.Time; at != nil {
		want = append(want, at.Name+": "+string(r.BucketType(r.Bucket)))
	}
	for _, x := range r.Dims {
		want = append(want, x.Name+": "+string(x.Type.Full()))
	}
	for _, m := range r.Measures {
		want = append(want, m.Name+": "+string(r.ResultType(m).Full()))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("document %d, %s (-said +engine):\n%s", seed, what, diff)
	}
}
