package handlers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/proof"
	"github.com/rollsmith/rollsmith/sandbox"
	"github.com/rollsmith/rollsmith/web"
)

// tried is a design as it stands in the sandbox.
type tried struct {
	engine, words string
	rows          int
	query, truth  *cluster.Plan
}

// ratio compares what the two would read of the same rows.
func (t *tried) ratio() string {
	read, _, _ := t.query.Rows()
	all, _, _ := t.truth.Rows()
	if t.rows == 0 || read == 0 || all == 0 {
		return ""
	}
	return fmt.Sprintf("Over the same %s the rollup would read %s, the source %s.", web.Plural(t.rows, "generated row"), web.Plural(read, "row"), web.Plural(all, "row"))
}

// tryRows is how many rows are generated; wide sources get fewer.
const tryRows, tryCells = 200_000, 4_000_000

// tryOut makes the design's source and plan in a scratch database, fills the
// source with generated rows, and explains both questions there.
func (h *Handlers) tryOut(ctx context.Context, doc *designer.Design, pattern string) (*tried, error) {
	engine, err := h.Sandbox.Engine()
	if err != nil {
		return nil, err
	}
	db, drop, err := engine.Scratch(ctx)
	if err != nil {
		return nil, err
	}
	defer drop()
	lab := clone(doc)
	lab.Source.Database, lab.Target.Database, lab.Deployment = db, db, designer.Deployment{}
	if pattern != "" && pattern != "mixed" {
		lab.Pattern = pattern
	}
	if lab.Target.Prefix == lab.Source.Table {
		lab.Target.Prefix += "_rollup"
	}
	decision, err := h.decide(ctx, lab)
	if err != nil {
		return nil, err
	}
	if err := engine.Conn().Exec(ctx, createSource(lab.Source)); err != nil {
		return nil, fmt.Errorf("make a source like this one: %w", err)
	}
	for _, s := range decision.Plan.Up {
		if err := engine.Conn().Exec(ctx, s.SQL); err != nil {
			return nil, fmt.Errorf("run %s: %w", s.Name, err)
		}
	}
	t := &tried{engine: engine.Version()}
	t.fill(ctx, engine, lab.Source)
	settle(ctx, engine, decision.Plan, ddl.Table(lab.Source.Database, lab.Source.Table))
	on := cluster.Through(engine.Conn(), "plan")
	if t.query, err = cluster.ExplainPlan(ctx, on, decision.Plan.Query); err != nil {
		return nil, err
	}
	if t.truth, err = cluster.ExplainPlan(ctx, on, decision.Plan.Truth); err != nil {
		return nil, err
	}
	rename(t.query, db, doc.Target.Database)
	rename(t.truth, db, doc.Source.Database)
	return t, nil
}

// settle does what time would: history is loaded, scheduled views have run, and
// source and targets are merged, so that what they would read compares. A step
// that does not work here leaves the plan of a target that is not filled.
func settle(ctx context.Context, engine *sandbox.Engine, p *ddl.Plan, source string) {
	for _, statement := range proof.Split(p.Backfill) {
		_ = engine.Conn().Exec(ctx, statement)
	}
	for _, s := range p.Up {
		if view, ok := strings.CutPrefix(s.Undo, "DROP VIEW IF EXISTS "); ok && strings.Contains(s.SQL, "\nREFRESH ") {
			_ = engine.Conn().Exec(ctx, "SYSTEM REFRESH VIEW "+view)
			_ = engine.Conn().Exec(ctx, "SYSTEM WAIT VIEW "+view)
		}
	}
	_ = engine.Conn().Exec(ctx, "OPTIMIZE TABLE "+source+" FINAL")
	for _, s := range p.Up {
		if table, ok := strings.CutPrefix(s.Undo, "DROP TABLE IF EXISTS "); ok {
			_ = engine.Conn().Exec(ctx, "OPTIMIZE TABLE "+table+" FINAL")
		}
	}
}

// rename hides the scratch database's name from the reader.
func rename(p *cluster.Plan, from, to string) {
	p.Raw, p.Pipeline = strings.ReplaceAll(p.Raw, from, to), strings.ReplaceAll(p.Pipeline, from, to)
	var walk func(*cluster.PlanNode)
	walk = func(n *cluster.PlanNode) {
		if n == nil {
			return
		}
		n.Description = strings.ReplaceAll(n.Description, from, to)
		if n.Read != nil {
			n.Read.Table = strings.ReplaceAll(n.Read.Table, from, to)
		}
		for _, child := range n.Children {
			walk(child)
		}
	}
	walk(p.Root)
}

// createSource writes a table of the source's shape.
func createSource(s designer.Source) string {
	var columns []string
	for _, c := range s.Columns {
		columns = append(columns, "    "+ddl.Ident(c.Name)+" "+c.Type)
	}
	e := designer.ParseEngine(s.Engine)
	if !strings.HasSuffix(e.Name, "MergeTree") {
		e = designer.Engine{Name: "MergeTree"}
	}
	sql := fmt.Sprintf("CREATE TABLE %s\n(\n%s\n)\nENGINE = %s(%s)", ddl.Table(s.Database, s.Table), strings.Join(columns, ",\n"), e.Name, strings.Join(named(s, e.Args), ", "))
	if s.PartitionBy != "" {
		sql += "\nPARTITION BY " + strings.Join(named(s, []string{s.PartitionBy}), "")
	}
	return sql + "\nORDER BY (" + strings.Join(named(s, s.OrderBy), ", ") + ")\nSETTINGS allow_nullable_key = 1"
}

// named quotes what is exactly a column.
func named(s designer.Source, exprs []string) []string {
	out := slices.Clone(exprs)
	for i, e := range out {
		if s.Column(e) != nil {
			out[i] = ddl.Ident(e)
		}
	}
	return out
}

// fill inserts generated rows; where the types do not allow it, the plans are
// those of empty tables, and the page says so.
func (t *tried) fill(ctx context.Context, engine *sandbox.Engine, s designer.Source) {
	rows := min(tryRows, tryCells/max(1, len(s.Columns)))
	var structure, values []string
	for _, c := range s.Columns {
		structure = append(structure, ddl.Ident(c.Name)+" "+c.Type)
		values = append(values, generated(s, c, len(values), rows))
	}
	sql := fmt.Sprintf("INSERT INTO %s SELECT %s FROM generateRandom(%s, 1, 8, 2) LIMIT %d SETTINGS max_partitions_per_insert_block = 0",
		ddl.Table(s.Database, s.Table), strings.Join(values, ", "), ddl.Literal(strings.Join(structure, ", ")), rows)
	if err := engine.Conn().Exec(ctx, sql); err != nil {
		t.words = "on empty tables: rows of these types cannot be generated"
		return
	}
	t.rows = rows
	t.words = "on " + web.Plural(rows, "generated row") + ", merged"
}

// generated is an expression for one column: believable times, few texts, keys
// that come back, flags that are flags.
func generated(s designer.Source, c designer.Column, i, rows int) string {
	name, kind := ddl.Ident(c.Name), designer.Type(c.Type)
	text := strings.NewReplacer("LowCardinality(", "", "Nullable(", "", ")", "").Replace(c.Type)
	switch {
	case c.Name == s.Deleted:
		return fmt.Sprintf("CAST(rand(%d) %% 20 = 0, %s)", i, ddl.Literal(c.Type))
	case c.Name == s.Sign:
		return "CAST(1, " + ddl.Literal(c.Type) + ")"
	case kind.Temporal():
		return fmt.Sprintf("CAST(now() - toIntervalSecond(rand(%d) %% 5184000), %s)", i, ddl.Literal(c.Type))
	case text == "String":
		return fmt.Sprintf("CAST(concat('v', toString(rand(%d) %% 40)), %s)", i, ddl.Literal(c.Type))
	case slices.Contains(s.Key, c.Name) && (text == "UInt64" || text == "UInt32" || text == "Int64" || text == "Int32"):
		return fmt.Sprintf("CAST(rand(%d) %% %d, %s)", i, max(1, rows*2/3), ddl.Literal(c.Type))
	}
	return name
}
