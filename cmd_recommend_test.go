package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/problem"
)

// ordersDesign is a document over a table of orders that change.
const ordersDesign = `{
  "format": 1,
  "name": "daily_revenue",
  "source": {
    "database": "shop", "table": "orders",
    "engine": "ReplacingMergeTree(_version, _is_deleted)",
    "order_by": ["id"],
    "columns": [
      {"name": "id", "type": "UInt64"}, {"name": "created_at", "type": "DateTime('UTC')"},
      {"name": "country", "type": "LowCardinality(String)"}, {"name": "amount", "type": "Decimal(18, 2)"},
      {"name": "_version", "type": "UInt64"}, {"name": "_is_deleted", "type": "UInt8"}
    ],
    "feed": "upsert", "version": "_version", "deleted": "_is_deleted"
  },
  "grain": {
    "time": {"name": "day", "column": "created_at", "bucket": "1 day", "timezone": "UTC"},
    "dimensions": [{"name": "country", "expr": "country"}]
  },
  "metrics": [{"name": "revenue", "kind": "sum", "expr": "amount"}],
  "freshness": "insert",
  "pattern": "auto",
  "target": {"database": "shop", "prefix": "daily_revenue"}
}`

// saveDesign writes the document with some words exchanged.
func saveDesign(t *testing.T, oldNew ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "design.json")
	if err := os.WriteFile(path, []byte(strings.NewReplacer(oldNew...).Replace(ordersDesign)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRecommendTellsThePatternWithReasonsForAndAgainst(t *testing.T) {
	path := saveDesign(t)
	status, out, errs := rollsmith(t, "recommend", path, "--json")
	if status != exitDone || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	var fields map[string]json.RawMessage
	var r recommendation
	for _, to := range []any{&fields, &r} {
		if err := json.Unmarshal([]byte(out), to); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"pattern", "targets", "reasons", "rejected", "warnings", "questions"} {
		if text := string(fields[name]); text == "" || text == "null" {
			t.Errorf("%s is %q", name, text)
		}
	}
	if r.Pattern != "replacing" {
		t.Errorf("pattern = %s, want replacing", r.Pattern)
	}
	against := map[string]bool{}
	for _, x := range r.Rejected {
		against[x.Pattern] = x.Code != "" && x.Text != ""
	}
	if !against["summing"] || !against["aggregating"] || against["replacing"] {
		t.Errorf("rejected: %v", against)
	}
	if _, words, _ := rollsmith(t, "recommend", path); !strings.HasPrefix(words, "replacing: ") || !strings.Contains(words, "summing: ") {
		t.Errorf("in words: %s", words)
	}
}

func TestRecommendRefusesWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		change []string
		field  string
	}{
		"a pattern that cannot be right": {[]string{`"auto"`, `"summing"`}, "pattern"},
		"an expression that never ends":  {[]string{`"expr": "amount"`, `"expr": "amount, (SELECT 1"`}, "metrics[0].expr"},
		"a column that is not there":     {[]string{`"expr": "amount"`, `"expr": "price"`}, "metrics[0].expr"},
		"a type nobody knows":            {[]string{`"Decimal(18, 2)"`, `"Money"`}, "source.columns[3].type"},
		"a zone nobody knows":            {[]string{`"timezone": "UTC"`, `"timezone": "Mars/Olympus"`}, "grain.time.timezone"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "bundle")
			path := saveDesign(t, c.change...)
			for _, args := range [][]string{{"recommend", path, "--json"}, {"bundle", path, "--out", out, "--json"}} {
				status, text, errs := rollsmith(t, args...)
				var got struct{ Error problem.Error }
				if err := json.Unmarshal([]byte(text), &got); err != nil {
					t.Fatalf("%v: %s", err, text)
				}
				if status != exitInput || got.Error.Field != c.field || got.Error.Message == "" || !strings.Contains(errs, c.field) {
					t.Errorf("%s: status %d, field %q: %s", args[0], status, got.Error.Field, errs)
				}
			}
			if _, err := os.Stat(out); !os.IsNotExist(err) {
				t.Errorf("something was written: %v", err)
			}
		})
	}
}

func TestBundleIsTheSameBytesEveryTime(t *testing.T) {
	path, dir := saveDesign(t), t.TempDir()
	for _, name := range []string{"one", "two", "one"} {
		if status, out, errs := rollsmith(t, "bundle", "--out", filepath.Join(dir, name), path); status != exitDone || !strings.Contains(out, "audit.sql") {
			t.Fatalf("status %d: %s%s", status, out, errs)
		}
	}
	one := contents(t, filepath.Join(dir, "one"))
	if diff := cmp.Diff(one, contents(t, filepath.Join(dir, "two"))); diff != "" {
		t.Errorf("two bundles of one design differ\n%s", diff)
	}
	for _, name := range []string{"README.md", "design.json", "manifest.json", "backfill.sql", "query.sql", "truth.sql", "audit.sql", "correct.sql", "monitor.sql", "down.sql"} {
		if one[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestBundleOfItsOwnDocumentIsTheSame(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	rollsmith(t, "bundle", "--out", one, saveDesign(t))
	if status, _, errs := rollsmith(t, "bundle", "--out", two, filepath.Join(one, "design.json")); status != exitDone {
		t.Fatalf("status %d: %s", status, errs)
	}
	if diff := cmp.Diff(contents(t, one), contents(t, two)); diff != "" {
		t.Errorf("(-first +second)\n%s", diff)
	}
}
