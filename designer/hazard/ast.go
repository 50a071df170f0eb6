package hazard

import "strings"

// exprKind is what an expression is.
type exprKind int

const (
	columnExpr   exprKind = iota // a column, an alias, or a dotted name
	literalExpr                  // number, string, NULL
	callExpr                     // function or operator, named as ClickHouse names it
	starExpr                     // *, t.*, COLUMNS('…')
	lambdaExpr                   // x -> …
	subqueryExpr                 // (SELECT …)
)

// Expr is an expression of a query. Operators are calls: a + b is plus(a, b).
type Expr struct {
	kind     exprKind
	name     string   // function, column (dotted), literal text
	parts    []string // a column's name, part by part
	text     bool     // literal: a quoted string
	params   []*Expr  // quantile(0.9)(x): 0.9
	args     []*Expr
	distinct bool // count(DISTINCT x)
	window   bool // … OVER (…)
	query    *Select
	alias    string
}

// Select is one SELECT; a union keeps its further branches.
type Select struct {
	with       map[string]*Expr   // WITH expr AS name
	ctes       map[string]*Select // WITH name AS (SELECT …)
	distinct   bool
	items      []*Expr
	from       *From
	arrayJoin  []*Expr
	joins      []*Join
	prewhere   *Expr
	where      *Expr
	group      []*Expr
	groupAll   bool
	having     *Expr
	orderBy    []*Expr
	limitBy    []*Expr
	limit      bool
	settings   map[string]string
	union      []*Select
	unionParts bool // UNION stands between the branches (INTERSECT and EXCEPT too)
}

// From is what a query reads: a table, a table function or a subquery.
type From struct {
	db, name string
	call     *Expr
	query    *Select
	alias    string
	final    bool
	sample   bool
}

// Join is one further table of FROM.
type Join struct {
	from *From
	on   *Expr
	kind string
}

// String prints an expression in one canonical form: two expressions are the
// same if they print the same.
func (e *Expr) String() string {
	if e == nil {
		return ""
	}
	switch e.kind {
	case columnExpr, starExpr:
		return e.name
	case literalExpr:
		if e.text {
			return "'" + strings.ReplaceAll(e.name, "'", "\\'") + "'"
		}
		return e.name
	case lambdaExpr:
		return e.name + " -> " + e.args[0].String()
	case subqueryExpr:
		return "(" + e.query.String() + ")"
	}
	return printCall(e)
}

// infix names the operators that are printed between their arguments.
var infix = map[string]string{
	"plus": "+", "minus": "-", "multiply": "*", "divide": "/", "modulo": "%",
	"equals": "=", "notEquals": "!=", "less": "<", "greater": ">", "lessOrEquals": "<=", "greaterOrEquals": ">=",
	"and": "AND", "or": "OR", "in": "IN", "notIn": "NOT IN", "like": "LIKE", "notLike": "NOT LIKE", "ilike": "ILIKE",
}

func printCall(e *Expr) string {
	if op := infix[e.name]; op != "" && len(e.args) >= 2 {
		var parts []string
		for _, a := range e.args {
			s := a.String()
			if a.kind == callExpr && infix[a.name] != "" {
				s = "(" + s + ")"
			}
			parts = append(parts, s)
		}
		return strings.Join(parts, " "+op+" ")
	}
	var b strings.Builder
	b.WriteString(e.name)
	if len(e.params) > 0 {
		b.WriteString("(" + printList(e.params) + ")")
	}
	b.WriteByte('(')
	if e.distinct {
		b.WriteString("DISTINCT ")
	}
	b.WriteString(printList(e.args) + ")")
	if e.window {
		b.WriteString(" OVER (…)")
	}
	return b.String()
}

func printList(list []*Expr) string {
	var parts []string
	for _, e := range list {
		parts = append(parts, e.String())
	}
	return strings.Join(parts, ", ")
}

// String names a query shortly: what it selects and from where.
func (s *Select) String() string {
	if s == nil {
		return ""
	}
	out := "SELECT " + printList(s.items)
	if s.from != nil {
		out += " FROM " + s.from.String()
	}
	if s.where != nil {
		out += " WHERE " + s.where.String()
	}
	if len(s.group) > 0 {
		out += " GROUP BY " + printList(s.group)
	}
	return out
}

// String names what is read.
func (f *From) String() string {
	switch {
	case f == nil:
		return ""
	case f.query != nil:
		return "(" + f.query.String() + ")"
	case f.call != nil:
		return f.call.String()
	case f.db != "":
		return f.db + "." + f.name
	}
	return f.name
}

// walk visits an expression and all below it, not the subqueries in it.
func (e *Expr) walk(visit func(*Expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, a := range e.args {
		a.walk(visit)
	}
}

// any tells whether some part of an expression satisfies the condition.
func (e *Expr) any(is func(*Expr) bool) bool {
	found := false
	e.walk(func(x *Expr) { found = found || is(x) })
	return found
}

// calls tells whether the expression calls one of these functions.
func (e *Expr) calls(names ...string) bool {
	return e.any(func(x *Expr) bool { return x.isCall(names...) })
}

// isCall tells whether the expression is a call of one of these functions.
func (e *Expr) isCall(names ...string) bool {
	if e == nil || e.kind != callExpr {
		return false
	}
	for _, n := range names {
		if strings.EqualFold(e.name, n) {
			return true
		}
	}
	return false
}

// columns lists the column names below an expression, each once.
func (e *Expr) columns() []string {
	var out []string
	e.walk(func(x *Expr) {
		if x.kind == columnExpr && !contains(out, x.name) {
			out = append(out, x.name)
		}
	})
	return out
}

// conjuncts takes a condition apart at its ANDs.
func (e *Expr) conjuncts() []*Expr {
	if e == nil {
		return nil
	}
	if e.isCall("and") {
		var out []*Expr
		for _, a := range e.args {
			out = append(out, a.conjuncts()...)
		}
		return out
	}
	return []*Expr{e}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func call(name string, args ...*Expr) *Expr {
	return &Expr{kind: callExpr, name: name, args: args}
}

func column(name string) *Expr {
	return &Expr{kind: columnExpr, name: name, parts: []string{name}}
}
