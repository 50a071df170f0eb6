package sandbox

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/problem"
)

// Analyst uses a ClickHouse server as the parser of a design's expressions. It
// only ever explains: no statement of it creates, writes or reads a table.
type Analyst struct {
	conn driver.Conn

	mu        sync.Mutex
	ready     bool
	version   string
	zones     map[string]bool
	forbidden map[string]bool // functions whose value is not the row's alone, in lower case
}

// NewAnalyst makes an analyst that asks through conn.
func NewAnalyst(conn driver.Conn) *Analyst { return &Analyst{conn: conn} }

// Analyse learns from the engine what the design's expressions are, and refuses
// what designer.Facts says must be refused.
func (e *Engine) Analyse(ctx context.Context, d *designer.Design) (*designer.Facts, error) {
	if err := e.Err(); err != nil {
		return nil, err
	}
	return e.analyst.Analyse(ctx, d)
}

// analysisSettings keep an expression's constants, which the engine computes
// while it explains, from costing anything, and experimental types usable.
var analysisSettings = clickhouse.Settings{
	"readonly": 2, "max_execution_time": 10, "max_memory_usage": 512 << 20,
	"session_timezone": "UTC", "enable_analyzer": 1,
	"allow_suspicious_low_cardinality_types": 1, "allow_suspicious_types_in_group_by": 1,
}

// Analyse is Engine.Analyse over any connection.
func (a *Analyst) Analyse(ctx context.Context, d *designer.Design) (*designer.Facts, error) {
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(analysisSettings))
	if err := a.prepare(ctx); err != nil {
		return nil, err
	}
	if t := d.Grain.Time; t != nil && t.Timezone != "" && !a.zones[t.Timezone] {
		return nil, problem.Field("timezone", "grain.time.timezone", t.Timezone, "ClickHouse knows no such time zone", "name a zone such as UTC or Europe/Berlin")
	}
	source, err := a.source(ctx, d.Source.Columns)
	if err != nil {
		return nil, err
	}
	facts := &designer.Facts{Exprs: map[string]designer.ExprFact{}, Engine: a.version}
	all := d.Expressions()
	if len(all) == 0 {
		return facts, nil
	}
	found, err := a.explain(ctx, source, all)
	if err != nil {
		found, err = a.explainEach(ctx, source, all)
	}
	if err != nil {
		return nil, err
	}
	for i, x := range all {
		facts.Exprs[x.Path] = found[i]
	}
	return facts, nil
}

// explainEach finds the culprit when a batch fails.
func (a *Analyst) explainEach(ctx context.Context, s *source, all []designer.Expression) ([]designer.ExprFact, error) {
	var out []designer.ExprFact
	for _, x := range all {
		facts, err := a.explain(ctx, s, []designer.Expression{x})
		if err != nil {
			return nil, err
		}
		out = append(out, facts...)
	}
	return out, nil
}

// explain looks at expressions in three steps, each safe because of the one
// before: every one parses alone, both bare and in parentheses; then the syntax
// trees hold nothing but one scalar expression each, so that nothing in them is
// run; then the query trees give types and columns. The error of a batch is only
// meaningful when the batch is one expression.
func (a *Analyst) explain(ctx context.Context, s *source, batch []designer.Expression) ([]designer.ExprFact, error) {
	if err := a.checkParses(ctx, s, batch); err != nil {
		return nil, err
	}
	if err := a.checkSyntax(ctx, s, batch); err != nil {
		return nil, err
	}
	root, err := a.tree(ctx, "EXPLAIN QUERY TREE dump_ast = 0, passes = 1 SELECT "+joinWrapped(batch, "(")+s.from, 2)
	if err != nil {
		return nil, rejected(err, "expr-rejected", batch[0], "ClickHouse rejects this expression: "+engineText(err, ""), "use the columns of the source, with ClickHouse's functions")
	}
	query := root.child("QUERY")
	list := query.child("PROJECTION")
	for _, k := range query.kids { // "PROJECTION COLUMNS" comes before "PROJECTION"
		if k.text == "PROJECTION" {
			list = k.child("LIST")
		}
	}
	table := tableLine.FindStringSubmatch(textOf(query.child("JOIN TREE").child("TABLE_FUNCTION")))
	if list == nil || len(list.kids) != len(batch) || table == nil {
		return nil, notScalar(batch[0], "it is not one expression over the source")
	}
	out := make([]designer.ExprFact, len(batch))
	for i, x := range batch {
		if out[i], err = a.fact(s, x, list.kids[i], table[1]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// checkParses asks the engine whether each expression is one by itself. The
// answers end in our FROM unless the expression swallowed it.
func (a *Analyst) checkParses(ctx context.Context, s *source, batch []designer.Expression) error {
	var texts []string
	for _, x := range batch {
		if err := guard(x.Text); err != nil {
			return notScalar(x, err.Error())
		}
		for _, form := range []string{"SELECT %s FROM " + s.alias, "SELECT (%s\n) FROM " + s.alias} {
			texts = append(texts, ddl.Literal(fmt.Sprintf(form, x.Text)))
		}
	}
	formatted, err := a.formatted(ctx, texts)
	if err != nil {
		return err
	}
	for i, text := range formatted {
		x := batch[i/2]
		if text == "" {
			return a.syntaxProblem(ctx, s, x)
		}
		if !strings.HasSuffix(text, " FROM "+s.alias) {
			return notScalar(x, "it does not end where the field ends")
		}
	}
	return nil
}

// formatted gives each text as ClickHouse's formatter writes it, empty where it
// does not parse.
func (a *Analyst) formatted(ctx context.Context, quoted []string) ([]string, error) {
	var out []string
	query := "SELECT arrayMap(q -> ifNull(formatQuerySingleLineOrNull(q), ''), [" + strings.Join(quoted, ", ") + "])"
	if err := a.conn.QueryRow(ctx, query).Scan(&out); err != nil {
		return nil, failed(err)
	}
	return out, nil
}

// syntaxProblem repeats the engine's own words on an expression that does not parse.
func (a *Analyst) syntaxProblem(ctx context.Context, s *source, x designer.Expression) error {
	for _, form := range [][2]string{{"SELECT (", "\n)"}, {"SELECT ", ""}} {
		prefix := "EXPLAIN AST " + form[0]
		if _, err := a.tree(ctx, prefix+x.Text+form[1]+" FROM "+s.alias, 1); err != nil {
			return rejected(err, "expr-syntax", x, "ClickHouse does not read this as one expression: "+engineText(err, prefix), "give one expression over the source's columns, without SELECT, FROM or an alias")
		}
	}
	return notScalar(x, "it is not one expression by itself")
}

// checkSyntax looks through the syntax trees, before the engine resolves them and
// computes their constants.
func (a *Analyst) checkSyntax(ctx context.Context, s *source, batch []designer.Expression) error {
	root, err := a.tree(ctx, "EXPLAIN AST SELECT "+joinWrapped(batch, "tuple(")+" FROM "+s.alias, 1)
	if err != nil {
		return rejected(err, "expr-syntax", batch[0], "ClickHouse does not read this: "+engineText(err, ""), "")
	}
	sel := root.child("SelectWithUnionQuery").child("ExpressionList").child("SelectQuery")
	list := sel.child("ExpressionList")
	if list == nil || len(list.kids) != len(batch) || len(sel.kids) != 2 {
		return notScalar(batch[0], "it is more than one expression")
	}
	for i, x := range batch {
		wrapper := list.kids[i]
		args := wrapper.child("ExpressionList")
		if !strings.HasPrefix(wrapper.text, "Function tuple (children 1)") || args == nil || len(args.kids) != 1 {
			return notScalar(x, "it is not exactly one expression")
		}
		if err := args.kids[0].walk(func(n *node) error { return a.checkNode(s, x, n) }); err != nil {
			return err
		}
	}
	return nil
}

// checkNode refuses whatever is not a plain function of the row.
func (a *Analyst) checkNode(s *source, x designer.Expression, n *node) error {
	word, rest, _ := strings.Cut(n.text, " ")
	switch word {
	case "ExpressionList", "Literal", "Identifier":
	case "Function":
		name, _, _ := strings.Cut(rest, " ")
		if err := a.checkFunction(x, name); err != nil {
			return err
		}
	case "Subquery", "SelectWithUnionQuery", "SelectQuery":
		return refuse("expr-subquery", x, "it holds a subquery", "a rollup sees one inserted block, not other tables; use the source's columns")
	case "WindowDefinition":
		return refuse("expr-window", x, "it holds a window function", "use a function of one row")
	default:
		return notScalar(x, "it holds "+n.text)
	}
	if alias := n.alias(s.names); alias != "" {
		return refuse("expr-alias", x, "it names an alias, "+alias, "leave AS out; the field beside it holds the name")
	}
	return nil
}

// checkFunction refuses a function whose value is not the row's alone.
func (a *Analyst) checkFunction(x designer.Expression, name string) error {
	lower := strings.ToLower(name)
	if !a.forbidden[lower] || x.Role == designer.RoleShard && shardFunctions[lower] {
		return nil
	}
	return refuse("expr-not-row", x, name+"() does not depend on the row alone", "use columns of the source: a view and a later read must come to the same value")
}

// fact reads type, columns and zone of one resolved expression.
func (a *Analyst) fact(s *source, x designer.Expression, n *node, tableID string) (designer.ExprFact, error) {
	columns := map[string]bool{}
	err := n.walk(func(n *node) error {
		name, kind := n.function()
		if kind == "aggregate" || kind == "window" {
			return refuse("expr-aggregate", x, "it holds the "+kind+" function "+name, "give the expression of one row; the metric's kind aggregates it")
		}
		if err := a.checkFunction(x, name); err != nil { // CURRENT_DATE looks like a column until it is resolved
			return err
		}
		if m := sourceLine.FindStringSubmatch(n.text); m != nil && m[2] == tableID {
			name := s.owner(m[1])
			if name == "" {
				return refuse("expr-column", x, m[1]+" is not a column of the source", "use the columns listed in source.columns")
			}
			columns[name] = true
		}
		for _, table := range []string{"TABLE", "QUERY", "UNION"} {
			if strings.HasPrefix(n.text, table+" ") || strings.HasPrefix(n.text, "TABLE_FUNCTION ") {
				return refuse("expr-subquery", x, "it reads a table", "use the source's columns")
			}
		}
		return nil
	})
	if err != nil {
		return designer.ExprFact{}, err
	}
	fact := designer.ExprFact{
		Type:         n.resultType(),
		Columns:      slices.Sorted(maps.Keys(columns)),
		ImplicitZone: dependsOnZone(n, a.zones),
	}
	return fact, checkType(x, fact)
}

// tree runs an EXPLAIN and reads the lines it gives.
func (a *Analyst) tree(ctx context.Context, query string, step int) (*node, error) {
	rows, err := a.conn.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return parseTree(lines, step), rows.Err()
}

// joinWrapped puts each expression into its own parentheses; open is what stands
// before it.
func joinWrapped(batch []designer.Expression, open string) string {
	parts := make([]string, len(batch))
	for i, x := range batch {
		parts[i] = open + x.Text + "\n)"
	}
	return strings.Join(parts, ", ")
}

func textOf(n *node) string {
	if n == nil {
		return ""
	}
	return n.text
}

func refuse(code string, x designer.Expression, message, hint string) error {
	return problem.Field(code, x.Path, x.Text, message, hint)
}

// rejected is a refusal if the engine gave an answer, and else its failure.
func rejected(err error, code string, x designer.Expression, message, hint string) error {
	if _, ok := exceptionMessage(err); !ok {
		return failed(err)
	}
	return refuse(code, x, message, hint)
}

func notScalar(x designer.Expression, why string) error {
	return refuse("expr-not-one", x, "this is not exactly one scalar expression: "+why, "give one expression over the source's columns")
}

// failed is the engine's failure to answer, which is nobody's input.
func failed(err error) error {
	if p, ok := problem.As(err); ok {
		return p
	}
	if message, ok := exceptionMessage(err); ok {
		return down("engine-failed", err, "ClickHouse failed: "+message, "")
	}
	return down("engine-gone", err, "ClickHouse does not answer: "+err.Error(), "")
}
