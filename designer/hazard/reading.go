package hazard

import "strings"

// Reading is one query that somebody runs against sources and rollups.
type Reading struct {
	cat    *Catalog
	text   string
	query  *Select
	scopes []*Scope
}

// Scope is one SELECT of a reading query, with the table it reads from.
type Scope struct {
	sel    *Select
	flat   *flat
	table  *Table // of FROM, where that is a table
	nested bool   // in a subquery, a JOIN or an IN
	inJoin bool
	outer  *Scope
	views  []*View // the views that fill the table
}

// judgeQuery finds the hazards of one reading query.
func judgeQuery(c *Catalog, text string) QueryReport {
	out := QueryReport{Query: text, Findings: []Finding{}}
	r, err := newReading(c, text)
	if err != nil {
		out.Note = "not audited: " + err.Error()
		return out
	}
	for _, rule := range Catalogue {
		if rule.Reading == nil {
			continue
		}
		for _, f := range rule.Reading(r) {
			out.Findings = append(out.Findings, rule.complete(f))
		}
	}
	out.Findings = settle(out.Findings)
	return out
}

// newReading parses a query and finds what it reads.
func newReading(c *Catalog, text string) (*Reading, error) {
	q, err := ParseSelect(strings.TrimRight(strings.TrimSpace(text), "; \n"))
	if err != nil {
		return nil, err
	}
	r := &Reading{cat: c, text: text, query: q}
	r.visit(q, nil, nil, false)
	return r, nil
}

// setting gives a setting of the query, or what sessions get without it.
func (r *Reading) setting(name string) string {
	for _, s := range r.scopes {
		if v, ok := s.sel.settings[name]; ok {
			return v
		}
	}
	if v, ok := r.query.settings[name]; ok {
		return v
	}
	return r.cat.Settings[name]
}

// visit collects every SELECT of a query.
func (r *Reading) visit(s *Select, ctes map[string]*Select, outer *Scope, inJoin bool) {
	if len(r.scopes) > 500 {
		return
	}
	known := map[string]*Select{}
	for n, q := range ctes {
		known[n] = q
	}
	for n, q := range s.ctes {
		known[n] = q
	}
	scope := &Scope{sel: s, flat: flatten(s, ctes, 0), nested: outer != nil, inJoin: inJoin, outer: outer}
	r.scopes = append(r.scopes, scope)
	r.visitFrom(scope, s.from, known)
	for _, j := range s.joins {
		r.visitJoin(scope, j, known)
	}
	for _, e := range s.expressions() {
		e.walk(func(x *Expr) {
			if x.kind == subqueryExpr {
				r.visit(x.query, known, scope, false)
			}
		})
	}
	for _, branch := range s.union {
		r.visit(branch, known, outer, inJoin)
	}
}

// expressions lists everything a SELECT computes.
func (s *Select) expressions() []*Expr {
	out := append([]*Expr{}, s.items...)
	for _, e := range s.with {
		out = append(out, e)
	}
	return append(append(out, s.where, s.prewhere, s.having), s.group...)
}

func (r *Reading) visitFrom(scope *Scope, f *From, ctes map[string]*Select) {
	if f == nil {
		return
	}
	if q := f.query; q != nil {
		r.visit(q, ctes, scope, scope.inJoin)
		return
	}
	if q := ctes[f.name]; q != nil && f.db == "" {
		r.visit(q, without(ctes, f), scope, scope.inJoin)
		return
	}
	scope.table = r.cat.read(f)
	if scope.table != nil {
		scope.views = r.cat.fillers(scope.table)
	}
}

// visitJoin makes a scope of its own for a joined table, so that every rule
// about reading a table sees it.
func (r *Reading) visitJoin(scope *Scope, j *Join, ctes map[string]*Select) {
	if j.from.query != nil || j.from.db == "" && ctes[j.from.name] != nil {
		inner := &Scope{sel: &Select{settings: map[string]string{}}, nested: true, inJoin: true, outer: scope}
		r.visitFrom(inner, j.from, ctes)
		return
	}
	joined := &Select{from: j.from, settings: map[string]string{}, with: map[string]*Expr{}, ctes: map[string]*Select{}}
	s := &Scope{sel: joined, flat: flatten(joined, nil, 0), nested: true, inJoin: true, outer: scope}
	r.scopes = append(r.scopes, s)
	r.visitFrom(s, j.from, ctes)
}

// read finds the table that FROM names.
func (c *Catalog) read(f *From) *Table {
	db := f.db
	if db == "" {
		db = c.DefaultDB
	}
	return c.behind(c.source(db, f.name))
}

// fillers lists the views that write to a table.
func (c *Catalog) fillers(t *Table) []*View {
	var out []*View
	for _, v := range c.views {
		if v.err == nil && v.target == t {
			out = append(out, v)
		}
	}
	return out
}

// aggregated tells whether the scope groups or aggregates.
func (s *Scope) aggregated() bool { return s.flat != nil && s.flat.inner == nil && s.flat.aggregated() }

// final tells whether the scope reads its table merged.
func (r *Reading) final(s *Scope) bool {
	return s.sel.from != nil && s.sel.from.final || r.setting("final") == "1"
}
