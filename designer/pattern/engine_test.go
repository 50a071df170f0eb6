package pattern_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/sandbox"
)

var engine *sandbox.Engine

// engineContext outlives every test: the engine's own, for what is asked once.
var engineContext = context.Background()

func TestMain(m *testing.M) {
	sandbox.Child()
	e, err := sandbox.Start(context.Background(), sandbox.Options{Logs: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	engine = e
	code := m.Run()
	e.Close()
	os.Exit(code)
}

// carried is a design with the rows that its source receives, in batches, and,
// worked out by hand, what the truth is after each of them.
type carried struct {
	Design json.RawMessage `json:"design"`
	Load   []string        `json:"load"`
	Expect [][]string      `json:"expect"`
}

// TestPlansRun applies every fixture's plan on the engine, feeds it, compares
// read and truth at each step, repairs, and undoes it, leaving nothing behind.
func TestPlansRun(t *testing.T) {
	files, err := filepath.Glob("testdata/run/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var c carried
			if err := json.Unmarshal(data, &c); err != nil {
				t.Fatal(err)
			}
			for _, id := range append([]string{"auto"}, pattern.IDs()...) {
				t.Run(id, func(t *testing.T) {
					t.Parallel()
					runPlan(t, id, c)
				})
			}
		})
	}
}

func runPlan(t *testing.T, id string, c carried) {
	ctx := t.Context()
	d, err := designer.Decode(c.Design)
	if err != nil {
		t.Fatal(err)
	}
	db, drop, err := engine.Scratch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer drop()
	d.Source.Database, d.Target.Database, d.Pattern = db, db, id
	d.Normalise()
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	facts, err := engine.Analyse(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	r, err := designer.Resolve(d, facts)
	if err != nil {
		t.Fatal(err)
	}
	decision, err := pattern.Decide(r)
	if err != nil {
		if id == "auto" {
			t.Fatal(err)
		}
		return // refused: what it would have done is the proof's matter
	}
	plan := decision.Plan
	exec(t, sourceDDL(d))
	exec(t, "SYSTEM STOP MERGES "+r.SourceTable())
	before := tables(t, db)
	for _, s := range plan.Up {
		exec(t, s.SQL)
	}
	for i, batch := range c.Load {
		exec(t, strings.ReplaceAll(batch, "{source}", r.SourceTable()))
		if len(c.Expect) > 0 {
			if diff := cmp.Diff(c.Expect[i], query(t, plan.Truth)); diff != "" {
				t.Errorf("truth after batch %d (-by hand +engine):\n%s", i+1, diff)
			}
		}
		if decision.Pattern != "refreshable" {
			same(t, "after a batch", plan)
		}
	}
	if decision.Pattern == "refreshable" || decision.Pattern == "sealed" {
		script(t, plan.Backfill)
	}
	same(t, "after loading", plan)
	script(t, plan.Audit)
	if rows := query(t, plan.Audit); len(rows) > 0 {
		t.Errorf("audit differs: %v", rows)
	}
	exec(t, "SYSTEM START MERGES "+r.SourceTable())
	exec(t, "OPTIMIZE TABLE "+r.SourceTable()+" FINAL")
	for _, target := range plan.Targets {
		_, name, _ := strings.Cut(target.Table, ".")
		exec(t, "OPTIMIZE TABLE "+ddl.Table(db, name)+" FINAL")
	}
	same(t, "after merges", plan)
	scriptWindow(t, plan.Correct)
	same(t, "after correction", plan)
	script(t, strings.Split(plan.Monitor, "-- Failures of the views")[0])
	script(t, plan.Down())
	if got, want := strings.Join(tables(t, db), " "), strings.Join(before, " "); got != want {
		t.Errorf("left behind: %s, want %s", got, want)
	}
}

func sourceDDL(d *designer.Design) string {
	var columns []string
	for _, c := range d.Source.Columns {
		columns = append(columns, ddl.Ident(c.Name)+" "+c.Type)
	}
	s := fmt.Sprintf("CREATE TABLE %s (%s) ENGINE = %s ", ddl.Table(d.Source.Database, d.Source.Table), strings.Join(columns, ", "), d.Source.Engine)
	if d.Source.PartitionBy != "" {
		s += "PARTITION BY " + d.Source.PartitionBy + " "
	}
	var order []string
	for _, entry := range d.Source.OrderBy {
		if d.Source.Column(entry) != nil {
			entry = ddl.Ident(entry)
		}
		order = append(order, entry)
	}
	return s + "ORDER BY (" + strings.Join(order, ", ") + ")"
}

func exec(t *testing.T, sql string) {
	t.Helper()
	if err := engine.Conn().Exec(t.Context(), sql); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

// script runs statements that end with a semicolon and a line end.
func script(t *testing.T, text string) {
	t.Helper()
	for _, s := range strings.Split(text, ";\n") {
		if strings.TrimSpace(stripComments(s)) != "" {
			exec(t, s)
		}
	}
}

func scriptWindow(t *testing.T, text string) {
	t.Helper()
	ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"from": "2024-01-15 00:00:00", "to": "2024-02-15 00:00:00"}))
	for _, s := range strings.Split(text, ";\n") {
		if strings.TrimSpace(stripComments(s)) != "" {
			if err := engine.Conn().Exec(ctx, s); err != nil {
				t.Fatalf("%v\n%s", err, s)
			}
		}
	}
}

func stripComments(s string) string {
	var out []string
	for _, line := range strings.Split(s, "\n") {
		if !strings.HasPrefix(line, "--") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// query gives each row as the text of all its values.
func query(t *testing.T, sql string) []string {
	t.Helper()
	rows, err := engine.Conn().Query(t.Context(), "SELECT toString(tuple(*)) FROM (\n"+strings.TrimSuffix(strings.TrimSpace(sql), ";")+"\n)")
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func same(t *testing.T, when string, plan *ddl.Plan) {
	t.Helper()
	got, want := query(t, plan.Query), query(t, plan.Truth)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s: rollup and truth differ\n got %v\nwant %v", when, got, want)
	}
	if len(want) == 0 {
		t.Errorf("%s: the truth is empty, so it shows nothing", when)
	}
}

func tables(t *testing.T, db string) []string {
	t.Helper()
	return query(t, "SELECT name FROM system.tables WHERE database = "+ddl.Literal(db)+" ORDER BY name")
}
