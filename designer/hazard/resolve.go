package hazard

import "strings"

// flat is a query with its aliases expanded and its plain subqueries merged
// into it: what each output computes from the columns of the table it reads.
type flat struct {
	sel     *Select
	from    *From // the table at the bottom
	outputs []*Expr
	names   []string
	filters []*Expr
	group   []*Expr
	having  *Expr
	joins   []*Join
	inner   *flat // the subquery it reads, if it does
	final   bool
}

// maxNodes bounds an expanded expression, whatever its aliases stack up to.
const maxNodes = 20_000

// resolver expands one SELECT.
type resolver struct {
	sel     *Select
	ctes    map[string]*Select
	aliases map[string]*Expr
	inner   *flat
	nodes   int
	depth   int
}

// flatten resolves a query. Columns of the bottom table keep their names,
// columns of joined tables their qualifier.
func flatten(s *Select, outer map[string]*Select, depth int) *flat {
	r := &resolver{sel: s, ctes: map[string]*Select{}, aliases: map[string]*Expr{}, depth: depth}
	for name, q := range outer {
		r.ctes[name] = q
	}
	for name, q := range s.ctes {
		r.ctes[name] = q
	}
	f := &flat{sel: s, from: s.from, joins: s.joins}
	if q := r.subquery(s.from); q != nil && depth < 20 {
		r.inner = flatten(q, without(r.ctes, s.from), depth+1)
		f.inner = r.inner
	}
	r.collectAliases()
	r.fill(f)
	return f
}

// without drops a common table expression from sight of its own query.
func without(ctes map[string]*Select, from *From) map[string]*Select {
	out := map[string]*Select{}
	for name, q := range ctes {
		if from.query != nil || name != from.name {
			out[name] = q
		}
	}
	return out
}

// subquery gives the query that FROM reads: in parentheses, or a WITH by name.
func (r *resolver) subquery(f *From) *Select {
	switch {
	case f == nil:
		return nil
	case f.query != nil:
		return f.query
	case f.db == "" && f.name != "":
		return r.ctes[f.name]
	}
	return nil
}

func (r *resolver) collectAliases() {
	note := func(e *Expr) {
		e.walk(func(x *Expr) {
			if x.alias != "" && r.aliases[x.alias] == nil {
				r.aliases[x.alias] = x
			}
		})
	}
	for _, e := range r.sel.items {
		note(e)
	}
	for name, e := range r.sel.with {
		r.aliases[name] = e
	}
	for _, e := range r.sel.arrayJoin {
		if e.alias != "" {
			r.aliases[e.alias] = call("arrayJoin", e)
		}
	}
	note(r.sel.where)
	note(r.sel.prewhere)
	for _, e := range r.sel.group {
		note(e)
	}
}

func (r *resolver) fill(f *flat) {
	if r.inner != nil {
		f.from, f.final = r.inner.from, r.inner.final
		f.joins = append(append([]*Join{}, f.joins...), r.inner.joins...)
		f.filters = append(f.filters, r.inner.filters...)
	} else if f.from != nil {
		f.final = f.from.final
	}
	for _, e := range r.sel.items {
		f.outputs = append(f.outputs, r.expand(e, nil))
		f.names = append(f.names, outputName(e))
	}
	f.filters = append(f.filters, r.expand(r.sel.prewhere, nil).conjuncts()...)
	f.filters = append(f.filters, r.expand(r.sel.where, nil).conjuncts()...)
	f.having = r.expand(r.sel.having, nil)
	for _, g := range r.sel.group {
		f.group = append(f.group, r.groupKey(f, g))
	}
	if r.sel.groupAll {
		for _, o := range f.outputs {
			if !hasAggregate(o) {
				f.group = append(f.group, o)
			}
		}
	}
}

// groupKey expands one GROUP BY entry; a bare number is the output at that place.
func (r *resolver) groupKey(f *flat, g *Expr) *Expr {
	if g.kind == literalExpr && !g.text && len(g.name) < 4 {
		n := 0
		for _, c := range g.name {
			n = n*10 + int(c-'0')
		}
		if n >= 1 && n <= len(f.outputs) {
			return f.outputs[n-1]
		}
	}
	return r.expand(g, nil)
}

// outputName is the name a query gives to one of its columns.
func outputName(e *Expr) string {
	switch {
	case e.alias != "":
		return e.alias
	case e.kind == columnExpr && len(e.parts) > 1:
		return e.parts[len(e.parts)-1]
	}
	return e.String()
}

// expand replaces aliases by what they stand for, and columns of a subquery by
// what computes them there. open holds the aliases being expanded.
func (r *resolver) expand(e *Expr, open []string) *Expr {
	if e == nil {
		return nil
	}
	if r.nodes++; r.nodes > maxNodes {
		return e
	}
	if e.alias != "" {
		open = append(open[:len(open):len(open)], e.alias)
	}
	switch e.kind {
	case columnExpr:
		return r.expandColumn(e, open)
	case callExpr, lambdaExpr:
		c := *e
		c.alias = ""
		if e.kind == lambdaExpr {
			open = append(open[:len(open):len(open)], strings.Split(strings.Trim(e.name, "tuple()"), ", ")...)
		}
		c.args = make([]*Expr, len(e.args))
		for i, a := range e.args {
			c.args[i] = r.expand(a, open)
		}
		return &c
	}
	c := *e
	c.alias = ""
	return &c
}

func (r *resolver) expandColumn(e *Expr, open []string) *Expr {
	if len(e.parts) == 1 {
		if a := r.aliases[e.name]; a != nil && !contains(open, e.name) {
			return r.expand(a, append(open[:len(open):len(open)], e.name))
		}
	}
	name, own := r.unqualified(e)
	if own && r.inner != nil {
		for i, n := range r.inner.names {
			if n == name {
				return r.inner.outputs[i]
			}
		}
	}
	if !own {
		return &Expr{kind: columnExpr, name: e.name, parts: e.parts}
	}
	return column(name)
}

// unqualified takes the table's name or alias off a column; own is false for a
// column of a joined table.
func (r *resolver) unqualified(e *Expr) (name string, own bool) {
	if len(e.parts) == 1 {
		return e.name, true
	}
	if r.sel.from.names(e.parts) {
		return strings.Join(e.parts[r.sel.from.prefix(e.parts):], "."), true
	}
	for _, j := range r.sel.joins {
		if j.from.names(e.parts) {
			return e.name, false
		}
	}
	return e.name, true // a nested column
}

// names tells whether a dotted name begins with this table.
func (f *From) names(parts []string) bool { return f.prefix(parts) > 0 }

// prefix counts the parts of a dotted name that name the table.
func (f *From) prefix(parts []string) int {
	switch {
	case f == nil:
		return 0
	case f.alias != "" && parts[0] == f.alias:
		return 1
	case f.name != "" && parts[0] == f.name:
		return 1
	case f.db != "" && len(parts) > 2 && parts[0] == f.db && parts[1] == f.name:
		return 2
	}
	return 0
}
