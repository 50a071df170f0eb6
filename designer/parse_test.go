package designer_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
)

// FuzzParse: whatever bytes come, there is a design or a problem, and a design
// is written as it is read again.
func FuzzParse(f *testing.F) {
	for _, text := range documents(f) {
		f.Add(text)
	}
	for _, text := range []string{"", "{}", "null", "[]", `{"format": 1`, `{"format": 1}{}`, "\xef\xbb\xbf{\"format\": 1}", `{"metrics": [{"level": 1e999}]}`, `{"format": 1, "stability": {"dimensions": {"a": "stable", "a": "stable"}}}`,
		`{"grain": {"time": null}}`, `{"metrics": null}`, `{"source": {"columns": [null]}}`, strings.Repeat(`{"source":`, 2000), strings.Repeat("[", 20000)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := designer.Parse(data)
		if err != nil {
			p, ok := problem.As(err)
			if !ok || p.Code == "" || p.Message == "" || p.Hint == "" || p.Kind != problem.Invalid {
				t.Fatalf("not a problem that a person can use: %#v", err)
			}
			return
		}
		text := d.JSON()
		again, err := designer.Parse(text)
		if err != nil {
			t.Fatalf("it does not read what it writes: %v\n%s", err, text)
		}
		if diff := cmp.Diff(d, again); diff != "" {
			t.Fatalf("(-read +read again):\n%s", diff)
		}
		if !bytes.Equal(text, again.JSON()) {
			t.Fatalf("not the same bytes twice:\n%s\n%s", text, again.JSON())
		}
		for _, x := range d.Expressions() {
			if x.Path == "" || x.Text == "" || x.Role == "" {
				t.Fatalf("an expression without path, text or role: %#v", x)
			}
		}
	})
}

// documents gives the designs of the patterns' goldens.
func documents(t testing.TB) [][]byte {
	t.Helper()
	files, err := filepath.Glob("pattern/testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	var out [][]byte
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, txtar.Parse(data).Files[0].Data)
	}
	return out
}

// FuzzEngine: whatever engine clause comes, its parts are parts of it.
func FuzzEngine(f *testing.F) {
	for _, s := range []string{"", "MergeTree", "MergeTree()", "ReplacingMergeTree(_version, _is_deleted)", "ReplicatedReplacingMergeTree('/t/{shard}', '{replica}', `a, b`)",
		"SharedVersionedCollapsingMergeTree('/p', 'r', sign, v)", "CollapsingMergeTree(sign) ORDER BY id", "SummingMergeTree((a, b))", "X(", "X('", "X(`", "X)", "(((", "ReplacingMergeTree(\"odd \\\" name\")", "Replicated", "ReplicatedMergeTree('a')", "A(,,)", "A('\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := designer.ParseEngine(s)
		if !strings.Contains(s, e.Name) {
			t.Errorf("%q has no %q", s, e.Name)
		}
		total := 0
		for i, a := range e.Args {
			if e.Arg(i) != a {
				t.Errorf("argument %d is %q and %q", i, a, e.Arg(i))
			}
			total += len(a)
		}
		if total > len(s) || e.Arg(len(e.Args)) != "" {
			t.Errorf("%q has arguments that it does not hold: %q", s, e.Args)
		}
	})
}

// TestParseEngine reads the engine clauses that servers print.
func TestParseEngine(t *testing.T) {
	for s, want := range map[string]designer.Engine{
		"MergeTree":   {Name: "MergeTree"},
		"MergeTree()": {Name: "MergeTree"},
		"ReplacingMergeTree(_version, _is_deleted)":                                 {Name: "ReplacingMergeTree", Args: []string{"_version", "_is_deleted"}},
		"ReplicatedReplacingMergeTree('/t/{uuid}/{shard}', '{replica}', `a, \\`b`)": {Name: "ReplacingMergeTree", Args: []string{"a, `b"}},
		"ReplicatedReplacingMergeTree(v)":                                           {Name: "ReplacingMergeTree", Args: []string{"v"}},
		"SharedMergeTree('/p', '{replica}')":                                        {Name: "MergeTree", Args: []string{}},
		"VersionedCollapsingMergeTree(sign, version) ORDER BY id":                   {Name: "VersionedCollapsingMergeTree", Args: []string{"sign", "version"}},
		"SummingMergeTree((a, b))":                                                  {Name: "SummingMergeTree", Args: []string{"(a, b)"}},
		"MergeTree ORDER BY (a, b)":                                                 {Name: "MergeTree"},
		"GraphiteMergeTree('graphite, rollup')":                                     {Name: "GraphiteMergeTree", Args: []string{"'graphite, rollup'"}},
		"":                                                                          {},
	} {
		if diff := cmp.Diff(want, designer.ParseEngine(s)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", s, diff)
		}
	}
}
