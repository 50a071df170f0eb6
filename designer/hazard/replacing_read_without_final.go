package hazard

var replacingReadWithoutFinal = &Rule{
	Code:     "replacing-read-without-final",
	Title:    "Replaced rows are read along",
	Doc:      "A ReplacingMergeTree holds old versions until a merge, at a time of its own. A table that is joined, or read in a subquery, needs its own FINAL.",
	Severity: Error,
	View:     checkRefreshWithoutFinal,
	Reading: func(r *Reading) []Finding {
		return r.unfinished("The query")
	},
}

// checkRefreshWithoutFinal reads the query of a refreshable view like any other.
func checkRefreshWithoutFinal(v *View) []Finding {
	if v.incremental() {
		return nil
	}
	r := &Reading{cat: v.cat.within(v.def.DB), query: v.query}
	r.visit(v.query, nil, nil, false)
	return r.unfinished(v.def.Name)
}

// within is the catalog with another database for unqualified names.
func (c *Catalog) within(db string) *Catalog {
	copied := *c
	copied.DefaultDB = db
	return &copied
}

// unfinished finds a ReplacingMergeTree that is read without anything that
// picks one row per key.
func (r *Reading) unfinished(who string) []Finding {
	for _, s := range r.scopes {
		if !s.table.replacing() || r.final(s) || r.picksNewest(s) || s.harmless() {
			continue
		}
		return one(
			sentence("%s reads %s without FINAL: rows that were replaced or deleted are still in it.", who, s.table.Name),
			s.table.declared(),
			sentence("Write %s FINAL there; each table of a query needs its own.", s.table.Name))
	}
	return nil
}

// picksNewest tells whether the SELECT, or one it is read by, takes one row per
// key itself: argMax by the version, LIMIT 1 BY the key.
func (r *Reading) picksNewest(s *Scope) bool {
	for at := s; at != nil; at = at.outer {
		if at != s && s.inJoin != at.inJoin {
			return false
		}
		if at.sel.limitBy != nil || s.argMaxes(at) {
			return true
		}
	}
	return false
}

// argMaxes tells whether a SELECT takes the row of the greatest version.
func (s *Scope) argMaxes(at *Scope) bool {
	for _, e := range append(append([]*Expr{}, at.sel.items...), at.sel.having) {
		for _, a := range aggregates(e) {
			if a.base == "argMax" || a.base == "anyLast" {
				return true
			}
			if a.base == "max" && a.arg() != nil && a.arg().kind == columnExpr && s.table.versionColumn() != "" && a.arg().parts[len(a.arg().parts)-1] == s.table.versionColumn() {
				return true
			}
		}
	}
	return false
}

// harmless tells whether old versions cannot change what the SELECT gives: it
// reads key columns only, and nothing that counts rows.
func (s *Scope) harmless() bool {
	if s.flat == nil || s.inJoin {
		return false
	}
	if len(s.flat.group) == 0 && greatestOnly(s.flat.outputs) {
		return true // how far the table has come
	}
	if s.table.deletedColumn() != "" {
		return false
	}
	counts := !s.aggregated() && !s.nested
	for _, e := range append(append(append([]*Expr{}, s.flat.outputs...), s.flat.group...), s.flat.filters...) {
		for _, c := range e.columns() {
			if !contains(s.table.entityKey(), c) {
				return false
			}
		}
		for _, a := range aggregates(e) {
			counts = counts || !a.absorbsRepeats()
		}
		if e.kind == starExpr {
			return false
		}
	}
	return !counts
}
