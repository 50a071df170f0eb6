package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/rollsmith/rollsmith/designer/hazard"
	"github.com/rollsmith/rollsmith/problem"
)

const fixtures = "../designer/hazard/testdata"

// TestLintJudgesEveryFixture applies each fixture of the catalogue to the
// engine. Its file "want" names the codes that must be found, "if" behind a
// code that depends on the feed; or says "clean" (nothing that is wrong) or
// "right" (nothing at all).
func TestLintJudgesEveryFixture(t *testing.T) {
	paths, err := filepath.Glob(fixtures + "/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures in %s: %v", fixtures, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(strings.TrimPrefix(path, fixtures+"/"), ".txtar")
		t.Run(name, func(t *testing.T) {
			files := archive(t, path)
			in := hazardInput{queries: files["query.sql"], script: files["script.sql"], feeds: map[string]string{}}
			for _, line := range strings.Fields(files["feeds"]) {
				table, feed, _ := strings.Cut(line, "=")
				in.feeds[table] = feed
			}
			judgeFixture(t, lintSections(t, files, in, "ddl.sql"), strings.TrimSpace(files["want"]))
		})
	}
}

// TestEveryRuleHasBothFixtures keeps the catalogue and its examples together.
func TestEveryRuleHasBothFixtures(t *testing.T) {
	for _, r := range hazard.Catalogue {
		for _, kind := range []string{"bad", "good"} {
			if found, _ := filepath.Glob(filepath.Join(fixtures, r.Code, kind+".txtar")); len(found) == 0 {
				t.Errorf("%s has no %s.txtar", r.Code, kind)
			}
		}
		if r.Title == "" || r.Doc == "" || r.Severity == "" {
			t.Errorf("%s does not say what it is", r.Code)
		}
	}
}

// TestLintReadsPopulateFromTheLog finds what the server keeps nowhere else.
func TestLintReadsPopulateFromTheLog(t *testing.T) {
	db := scratch(t)
	do(t, db, "CREATE TABLE DB.src (a UInt32) ENGINE = MergeTree ORDER BY a",
		"CREATE MATERIALIZED VIEW DB.mv ENGINE = SummingMergeTree ORDER BY a POPULATE AS SELECT a, count() AS n FROM DB.src GROUP BY a",
		"SYSTEM FLUSH LOGS")
	r, missing, err := Lint(context.Background(), Through(engine.Conn(), "test"), Audit{Database: db})
	if err != nil || !found(r, "populate") {
		t.Errorf("found %v, missing %v, error %v", codes(r), missing, err)
	}
}

// TestLintOfALargeClusterIsQuick audits 2,000 views with one statement per
// system table.
func TestLintOfALargeClusterIsQuick(t *testing.T) {
	c := &hazard.Catalog{}
	for i := range 10_000 {
		c.Tables = append(c.Tables, &hazard.Table{DB: "d", Name: fmt.Sprintf("t%d", i), Engine: hazard.ParseEngine("SummingMergeTree ORDER BY (day, site)"),
			Columns: []hazard.Column{{Name: "day", Type: "Date"}, {Name: "site", Type: "UInt32"}, {Name: "n", Type: "UInt64"}}})
	}
	for i := range 2_000 {
		c.Definitions = append(c.Definitions, &hazard.Definition{DB: "d", Name: fmt.Sprintf("v%d", i), Materialized: true, TargetDB: "d", TargetName: fmt.Sprintf("t%d", i+5000),
			Select: fmt.Sprintf("SELECT day, site, count() AS n FROM d.t%d GROUP BY day, site", i)})
	}
	began := time.Now()
	r := hazard.Audit(c, hazard.Input{})
	if took := time.Since(began); len(r.Views) != 2_000 || took > 10*time.Second {
		t.Errorf("%d views in %s", len(r.Views), took)
	}
}

// TestLintSaysWhatItMayNotSee judges with what a narrow account is shown, and
// tells a server that does not answer apart.
func TestLintSaysWhatItMayNotSee(t *testing.T) {
	db := scratch(t)
	do(t, db, "CREATE TABLE DB.src (a UInt32) ENGINE = MergeTree ORDER BY a", "CREATE TABLE DB.dst (a UInt32, n UInt64) ENGINE = MergeTree ORDER BY a",
		"CREATE MATERIALIZED VIEW DB.mv TO DB.dst AS SELECT a, count() AS n FROM DB.src GROUP BY a")
	r, missing, err := Lint(context.Background(), as(t, "locked", Native), Audit{Database: db})
	if err != nil || !found(r, "aggregate-into-plain-mergetree") {
		t.Errorf("found %v, missing %v, error %v", codes(r), missing, err)
	}
	_, _, err = Lint(context.Background(), Through(engine.Conn(), "test"), Audit{Database: db + "_misspelt"})
	if p, ok := problem.As(err); !ok || p.Kind != problem.NotFound {
		t.Errorf("a database that is not there gives %v", err)
	}
	down, err := OpenDSN(context.Background(), "clickhouse://127.0.0.1:1/default")
	if err != nil {
		t.Fatal(err)
	}
	defer down.Close()
	if _, _, err := Lint(context.Background(), down, Audit{}); err == nil {
		t.Error("a server that is down is judged all the same")
	} else if p, ok := problem.As(err); !ok || p.Kind != problem.Down {
		t.Errorf("a server that is down gives %v", err)
	}
}

func archive(t testing.TB, path string) map[string]string {
	t.Helper()
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range a.Files {
		out[f.Name] = string(f.Data)
	}
	return out
}

func judgeFixture(t *testing.T, r hazard.Report, want string) {
	t.Helper()
	for _, q := range r.Queries {
		if q.Note != "" {
			t.Errorf("query %s: %s", q.Query, q.Note)
		}
	}
	for _, v := range r.Views {
		if v.Verdict == hazard.Unknown {
			t.Errorf("%s is not understood", v.View)
		}
	}
	switch want {
	case "clean", "right":
		for _, f := range allFindings(r) {
			if f.Condition == "" && f.Severity == hazard.Error || want == "right" {
				t.Errorf("false alarm %s (condition %q): %s", f.Code, f.Condition, f.Text)
			}
		}
		return
	}
	wanted := map[string]bool{}
	for _, line := range strings.Split(want, "\n") {
		wanted[line] = true
	}
	for line := range wanted {
		if verdict, ok := strings.CutPrefix(line, "verdict "); ok {
			for _, v := range r.Views {
				if string(v.Verdict) != verdict {
					t.Errorf("%s is %s, want %s", v.View, v.Verdict, verdict)
				}
			}
			continue
		}
		if !found(r, line) {
			t.Errorf("%s is not found among %v", line, codes(r))
		}
	}
	for _, f := range unconditional(r) {
		if !wanted[f.Code] {
			t.Errorf("false alarm %s: %s", f.Code, f.Text)
		}
	}
}

// found looks for a code, with " if" behind it for a finding under a condition.
func found(r hazard.Report, line string) bool {
	code, conditional := strings.CutSuffix(line, " if")
	for _, f := range allFindings(r) {
		if f.Code == code && (f.Condition != "") == conditional {
			return true
		}
	}
	return false
}

func codes(r hazard.Report) []string {
	var out []string
	for _, f := range allFindings(r) {
		out = append(out, f.Code)
	}
	return out
}
