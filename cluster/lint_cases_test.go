package cluster

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/rollsmith/rollsmith/designer/hazard"
)

// corpus is a folder of cases in the format of the public corpus: expect.json
// and one file per case with sections such as @source, @naive and @right.
type corpus struct {
	dir     string
	Cases   map[string]corpusCase `json:"cases"`
	Healthy map[string]struct {
		File string `json:"file"`
	} `json:"healthy"`
}

type corpusCase struct {
	File   string   `json:"file"`
	Hazard string   `json:"hazard"`
	AlsoOK []string `json:"also_ok"`
	Detect string   `json:"detect"`
}

// TestLintFindsTheCorpus runs the folder of cases that ROLLSMITH_CASES names;
// without one it runs the corpus in testdata.
func TestLintFindsTheCorpus(t *testing.T) {
	dir := os.Getenv("ROLLSMITH_CASES")
	if dir == "" {
		dir = "testdata/cases"
	}
	c := corpus{dir: dir}
	text, err := os.ReadFile(filepath.Join(dir, "expect.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	for _, id := range sortedKeys(c.Cases) {
		t.Run(id+" is found", func(t *testing.T) { c.found(t, c.Cases[id]) })
		t.Run(id+" repaired is clean", func(t *testing.T) { c.repaired(t, c.Cases[id]) })
	}
	for _, id := range sortedKeys(c.Healthy) {
		t.Run(id+" is healthy", func(t *testing.T) {
			s := caseSections(t, filepath.Join(dir, c.Healthy[id].File))
			r := lintSections(t, s, hazardInput{queries: s["view_query"]}, "source", "view")
			for _, f := range unconditional(r) {
				t.Errorf("%s: %s", f.Code, f.Text)
			}
		})
	}
}

func sortedKeys[T any](m map[string]T) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func (c corpus) found(t *testing.T, one corpusCase) {
	s := caseSections(t, filepath.Join(c.dir, one.File))
	in := hazardInput{}
	switch one.Detect {
	case "reader":
		in.queries = s["naive_query"]
	case "pipeline", "settings":
		in.script = s["pre"] + s["naive_post"] + s["naive_migrate"] + s["load"]
		in.queries = s["naive_query"]
	}
	r := lintSections(t, s, in, "source", "naive")
	hit := false
	for _, f := range allFindings(r) {
		switch {
		case f.Code == one.Hazard:
			hit = true
			if f.Condition != "" && one.Detect == "ddl" {
				t.Errorf("%s has the condition %q, and is seen in the definitions", f.Code, f.Condition)
			}
		case !slices.Contains(one.AlsoOK, f.Code) && f.Severity == hazard.Error && f.Condition == "":
			t.Errorf("false alarm %s (condition %q): %s", f.Code, f.Condition, f.Text)
		}
	}
	if !hit {
		t.Errorf("%s is not found", one.Hazard)
	}
}

func (c corpus) repaired(t *testing.T, one corpusCase) {
	s := caseSections(t, filepath.Join(c.dir, one.File))
	in := hazardInput{queries: s["right_query"]}
	if one.Detect == "pipeline" {
		in.script = s["right_post"] + s["right_migrate"]
	}
	r := lintSections(t, s, in, "source", "right")
	for _, f := range unconditional(r) {
		t.Errorf("false alarm %s: %s", f.Code, f.Text)
	}
}

var sectionLine = regexp.MustCompile(`^--\s*@(\w+)\s*$`)

// caseSections reads a case file.
func caseSections(t testing.TB, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out, name := map[string]string{}, ""
	for _, line := range strings.Split(string(text), "\n") {
		if m := sectionLine.FindStringSubmatch(line); m != nil {
			name = m[1]
			continue
		}
		if name != "" {
			out[name] += line + "\n"
		}
	}
	return out
}

type hazardInput struct {
	queries, script string
	feeds           map[string]string
}

// lintSections applies the named sections to a fresh database and audits it.
func lintSections(t testing.TB, s map[string]string, in hazardInput, names ...string) hazard.Report {
	t.Helper()
	db := scratch(t)
	conn := inDatabase(t, db)
	for _, name := range names {
		for _, statement := range hazard.Split(s[name]) {
			if err := conn.Exec(context.Background(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	feeds := map[string]string{}
	for table, feed := range in.feeds {
		feeds[db+"."+table] = feed
	}
	r, _, err := Lint(context.Background(), Through(engine.Conn(), "test"), Audit{Database: db, Queries: in.queries, Script: in.script, Feeds: feeds})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// inDatabase connects to the engine with a database for unqualified names.
func inDatabase(t testing.TB, db string) driver.Conn {
	t.Helper()
	conn, err := engine.Open(db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func allFindings(r hazard.Report) []hazard.Finding {
	var out []hazard.Finding
	for _, v := range r.Views {
		out = append(out, v.Findings...)
	}
	for _, q := range r.Queries {
		out = append(out, q.Findings...)
	}
	return out
}

// unconditional lists the errors that do not depend on the feed.
func unconditional(r hazard.Report) []hazard.Finding {
	var out []hazard.Finding
	for _, f := range allFindings(r) {
		if f.Condition == "" && f.Severity == hazard.Error {
			out = append(out, f)
		}
	}
	return out
}
