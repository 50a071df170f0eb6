package pattern_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/designer/pattern"
)

// TestGoldens: each file says in its first line what it shows, then holds the
// design, and either verdict, plan and undoing, or the exact refusal. Every plan
// is also carried out under workloads; one for a cluster is parsed.
// ROLLSMITH_GOLDEN=write writes what is expected.
func TestGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	shown := map[string]map[bool]bool{} // per pattern: that it fits, that it must not
	for i, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		id := filepath.Base(filepath.Dir(file))
		if shown[id] == nil {
			shown[id] = map[bool]bool{}
		}
		shown[id][len(archive.Files) > 1 && archive.Files[1].Name == "error.txt"] = true
		t.Run(id+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			golden(t, file, archive, uint64(i))
		})
	}
	for _, id := range append(pattern.IDs(), "mixed") {
		if !shown[id][false] || (!shown[id][true] && id != "direct" && id != "mixed") {
			t.Errorf("pattern %s: there has to be a case where it fits and one where it must not: %v", id, shown[id])
		}
	}
}

func golden(t *testing.T, file string, archive *txtar.Archive, seed uint64) {
	if first, _, _ := strings.Cut(string(archive.Comment), "\n"); len(first) < 20 {
		t.Errorf("the first line does not say what the case shows: %q", first)
	}
	if len(archive.Files) == 0 || archive.Files[0].Name != "design.json" {
		t.Fatal("design.json is not the first file")
	}
	d, decision, err := decided(t, archive.Files[0].Data)
	got := []txtar.File{archive.Files[0]}
	add := func(name, text string) { got = append(got, txtar.File{Name: name, Data: []byte(text)}) }
	if err != nil {
		add("error.txt", err.Error()+"\n")
	} else {
		add("verdict.txt", verdict(decision))
		add("plan.sql", plan(decision.Plan))
		add("undo.sql", decision.Plan.Down())
	}
	text := txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: got})
	if os.Getenv("ROLLSMITH_GOLDEN") == "write" {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(txtar.Format(archive)), string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err != nil {
		return
	}
	if d.Deployment != (designer.Deployment{}) {
		parseAll(t, bundled(designer.Bundle(decision)))
	} else if story := disproof(t, d, decision.Pattern, seed); story != "" {
		t.Error(story)
	}
}

// decided takes a document to its decision, with an engine's facts.
func decided(t *testing.T, text []byte) (*designer.Design, *designer.Decision, error) {
	t.Helper()
	d, err := designer.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	facts, err := engine.Analyse(t.Context(), d)
	if err != nil {
		return nil, nil, err
	}
	r, err := designer.Resolve(d, facts)
	if err != nil {
		return nil, nil, err
	}
	decision, err := pattern.Decide(r)
	return d, decision, err
}

// verdict tells a decision line by line.
func verdict(d *designer.Decision) string {
	var b strings.Builder
	fmt.Fprintf(&b, "pattern: %s\n", d.Pattern)
	for _, part := range []struct {
		word string
		list []designer.Reason
	}{{"because", d.Reasons}, {"warning", d.Warnings}, {"question", d.Questions}} {
		if part.word == "warning" {
			for _, x := range d.Rejected {
				fmt.Fprintf(&b, "not %s (%s): %s\n", x.Pattern, x.Code, x.Text)
			}
		}
		for _, x := range part.list {
			fmt.Fprintf(&b, "%s (%s): %s\n", part.word, x.Code, x.Text)
		}
	}
	return b.String()
}

func plan(p *ddl.Plan) string {
	var out []string
	for _, s := range p.Up {
		out = append(out, ddl.Comment(s.Why)+s.SQL+";\n")
	}
	return strings.Join(slices.Clone(out), "\n")
}
