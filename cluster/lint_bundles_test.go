package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/designer/pattern"
)

// TestLintFindsNothingInOurBundles applies what the patterns plan for each of
// their fixtures and audits it with its feed stated, its reads and its backfill.
func TestLintFindsNothingInOurBundles(t *testing.T) {
	paths, err := filepath.Glob("../designer/pattern/testdata/run/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no designs: %v", err)
	}
	for _, path := range paths {
		for _, id := range pattern.IDs() {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".json")+" as "+id, func(t *testing.T) { lintBundle(t, path, id) })
		}
	}
}

// accepted are codes that a design asks for: an estimate where it says "exact":
// false, and a count of deliveries that only tells whether a group is there.
var accepted = map[string][]string{"aggregating": {"approx-distinct", "mv-over-replacing", "at-least-once-sum"}}

func lintBundle(t *testing.T, path, id string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var fixture struct {
		Design json.RawMessage `json:"design"`
	}
	if err := json.Unmarshal(text, &fixture); err != nil {
		t.Fatal(err)
	}
	d, err := designer.Decode(fixture.Design)
	if err != nil {
		t.Fatal(err)
	}
	db := scratch(t)
	d.Source.Database, d.Target.Database, d.Pattern = db, db, id
	d.Normalise()
	facts, err := engine.Analyse(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	r, err := designer.Resolve(d, facts)
	if err != nil {
		t.Fatal(err)
	}
	decision, err := pattern.Decide(r)
	if err != nil {
		return // the pattern refuses this feed
	}
	var columns []string
	for _, c := range d.Source.Columns {
		columns = append(columns, ddl.Ident(c.Name)+" "+c.Type)
	}
	do(t, db, fmt.Sprintf("CREATE TABLE %s (%s) ENGINE = %s ORDER BY (%s)", ddl.Table(db, d.Source.Table), strings.Join(columns, ", "), d.Source.Engine, strings.Join(sortingKey(d), ", ")))
	for _, s := range decision.Plan.Up {
		do(t, db, s.SQL)
	}
	report, _, err := Lint(context.Background(), Through(engine.Conn(), "test"), Audit{
		Database: db, Queries: decision.Plan.Query, Script: decision.Plan.Backfill, Feeds: map[string]string{db + "." + d.Source.Table: string(d.Source.Feed)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range unconditional(report) {
		if slices.Contains(accepted[id], f.Code) {
			continue
		}
		t.Errorf("%s: %s\n%s", f.Code, f.Text, f.Evidence)
	}
	for _, q := range report.Queries {
		if q.Note != "" {
			t.Error(q.Note)
		}
	}
	for _, v := range report.Views {
		if v.Verdict == "unknown" {
			t.Errorf("%s is not understood", v.View)
		}
	}
}

// sortingKey gives the entries as SQL: quoted where one is exactly a column.
func sortingKey(d *designer.Design) []string {
	var out []string
	for _, entry := range d.Source.OrderBy {
		if d.Source.Column(entry) != nil {
			entry = ddl.Ident(entry)
		}
		out = append(out, entry)
	}
	return out
}
