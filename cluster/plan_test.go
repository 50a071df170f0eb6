package cluster

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlansAreParsed(t *testing.T) {
	for file, want := range map[string]string{
		"final-26.7.json": `Expression (Project names)
  Sorting (Sorting for ORDER BY)
    Expression ((Before ORDER BY + Projection))
      Aggregating
        Expression (Before GROUP BY)
          Filter ((WHERE + Change column names to column identifiers))
            ReadFromMergeTree (cl_t.o) parts 4/4 granules 13/13
`,
		"projection-26.7.json": `Expression ((Project names + Projection))
  Aggregating
    Expression
      ReadFromMergeTree (p) parts 4/4 granules 4/4
`,
		"final-26.7.txt": `Sorting (Sorting for ORDER BY)
  Aggregating
    Filter ((WHERE + Change column names to column identifiers))
      ReadFromMergeTree (cl_t.o) parts 4/4 granules 13/13
`,
		"union-24.8.txt": `Expression ((Project names + Projection))
  Aggregating
    Union
      Expression ((Before GROUP BY + Change column names to column identifiers))
        ReadFromMergeTree (shop.orders) parts 1/9 granules 3/100
      Expression
        ReadFromPreparedSource (Read from NullSource) parts 0/0 granules 0/0
`,
	} {
		raw, err := os.ReadFile(filepath.Join("testdata", "plan", file))
		if err != nil {
			t.Fatal(err)
		}
		root, err := ParsePlan(string(raw))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if diff := cmp.Diff(want, root.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func TestPlanKeepsWhatEachIndexSpared(t *testing.T) {
	raw, err := os.ReadFile("testdata/plan/union-24.8.txt")
	if err != nil {
		t.Fatal(err)
	}
	root, err := ParsePlan(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	p := Plan{}
	p.collect(root)
	want := []IndexUse{
		{Type: "MinMax", Keys: []string{"created_at"}, Condition: "(created_at in [1767225600, +Inf))", PartsBefore: 9, PartsAfter: 2, GranulesBefore: 100, GranulesAfter: 40},
		{Type: "Partition", Keys: []string{"toYYYYMM(created_at)"}, Condition: "(toYYYYMM(created_at) in [202601, +Inf))", PartsBefore: 2, PartsAfter: 2, GranulesBefore: 40, GranulesAfter: 40},
		{Type: "PrimaryKey", Keys: []string{"id"}, Condition: "(id in [6, +Inf))", PartsBefore: 2, PartsAfter: 2, GranulesBefore: 40, GranulesAfter: 12},
		{Type: "Skip", Name: "by_country", Description: "set GRANULARITY 1", PartsBefore: 2, PartsAfter: 1, GranulesBefore: 12, GranulesAfter: 3},
	}
	if diff := cmp.Diff(want, p.Reads[0].Indexes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlansThatAreNoneAreErrors(t *testing.T) {
	for _, raw := range []string{"", "[]", "[{", "[1]", "nonsense", "{}", "[" + strings.Repeat(`{"Plan":{"Plans":[`, 3)} {
		if root, err := ParsePlan(raw); err == nil {
			t.Errorf("%q gave %v", raw, root)
		}
	}
	deep := `{"Node Type":"X"}`
	for range deepest + 2 {
		deep = `{"Node Type":"X","Plans":[` + deep + `]}`
	}
	if _, err := ParsePlan(`[{"Plan":` + deep + `}]`); err == nil {
		t.Error("a plan nested beyond all measure was taken")
	}
}

func FuzzParsePlan(f *testing.F) {
	files, err := filepath.Glob("testdata/plan/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(raw))
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if root, err := ParsePlan(raw); err == nil && root == nil {
			t.Error("neither a plan nor an error")
		}
	})
}

func TestPlanOfARealEngine(t *testing.T) {
	db := scratch(t)
	do(t, db,
		"CREATE TABLE DB.t (id UInt64, at DateTime, c String, v UInt64, d UInt8) ENGINE = ReplacingMergeTree(v, d) PARTITION BY toYYYYMM(at) ORDER BY id",
		"SYSTEM STOP MERGES DB.t",
		"INSERT INTO DB.t SELECT number, toDateTime('2026-01-01') + number * 60, 'de', 1, 0 FROM numbers(100000)",
		"INSERT INTO DB.t SELECT number, toDateTime('2026-01-01') + number * 60, 'de', 2, 0 FROM numbers(100000)",
	)
	sql := "SELECT toDate(at) AS d, sum(v) FROM " + db + ".t FINAL WHERE at >= '2026-02-15 00:00:00' GROUP BY d ORDER BY d SETTINGS do_not_merge_across_partitions_select_final = 1;"
	for name, on := range map[string]Asker{"owner": as(t, "default", Native), "HTTP": as(t, "default", HTTP), "locked": as(t, "locked", Native), "a driver's connection": Through(engine.Conn(), "plan test")} {
		p, err := ExplainPlan(context.Background(), on, sql)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows, marks, parts := p.Rows()
		// Without its SETTINGS, FINAL has to look into every partition.
		pruned := p.Reads[0].Parts < p.Reads[0].PartsAll
		if p.Format != "json" || len(p.Reads) != 1 || pruned == (name == "locked") || rows == 0 || marks == 0 || parts == 0 || !p.Final() {
			t.Errorf("%s: %s%+v, estimate %+v, final %v", name, p.Root, p.Reads, p.Estimate, p.FinalMerges)
		}
		if locked := len(p.Missing) > 0; locked != (name == "locked") {
			t.Errorf("%s: missing %v", name, p.Missing)
		}
	}
	plain, err := ExplainPlan(context.Background(), as(t, "locked", Native), "SELECT count() FROM "+db+".t WHERE id < 10")
	if err != nil || plain.Final() {
		t.Errorf("a read without FINAL: %v, %v", plain, err)
	}
	if _, err := ExplainPlan(context.Background(), as(t, "locked", Native), "SELECT nonsense FROM "+db+".t"); err == nil {
		t.Error("a plan for nonsense")
	}
}
