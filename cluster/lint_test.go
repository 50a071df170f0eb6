package cluster

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/rollsmith/rollsmith/designer/hazard"
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
