package hazard

import "strings"

var distinctStateMissingGrain = &Rule{
	Code:     "distinct-state-missing-grain",
	Title:    "Equal ids of different owners are counted once",
	Doc:      "A distinct state of an id that is unique only within a tenant, site or the like counts equal ids once when it is merged across them.",
	Severity: Error,
	Reading:  checkDistinctGrain,
}

func checkDistinctGrain(r *Reading) []Finding {
	for _, s := range r.scopes {
		if s.flat == nil || s.table == nil {
			continue
		}
		for _, e := range s.flat.outputs {
			for _, a := range aggregates(e) {
				if !a.isDistinct() || !a.has("Merge") || a.arg() == nil {
					continue
				}
				if f := s.lostOwner(a); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// lostOwner finds a dimension that the query merges across although the id in
// the state is unique only within it.
func (s *Scope) lostOwner(a Agg) []Finding {
	for _, v := range s.views {
		o := v.output(a.arg().name)
		if o == nil || v.source == nil {
			continue
		}
		low, ok := aggregate(o.expr)
		if !ok || low.arg() == nil || low.arg().kind != columnExpr || len(low.plainArgs()) > 1 || plainType(v.typeOf(low.arg())) == "UUID" {
			continue
		}
		id := low.arg().name
		for _, k := range s.table.keyColumns() {
			d := v.output(k)
			if d == nil || d.expr.kind != columnExpr || isTime(d.typ) || s.keeps(k) || !v.ownsID(d.expr.name, id) {
				continue
			}
			return one(
				sentence("The query merges the distinct %s across %s, but an %s is unique only within its %s: equal ids count once.", id, k, id, d.expr.name),
				sentence("%s in %s; %s", o.shown(), v.full(), v.source.declared()),
				sentence("Keep the whole identity in the state: uniqExactState((%s, %s)).", d.expr.name, id))
		}
	}
	return nil
}

// keeps tells whether the query groups by a column or fixes it.
func (s *Scope) keeps(col string) bool {
	for _, g := range s.flat.group {
		if contains(g.columns(), col) {
			return true
		}
	}
	for _, c := range s.flat.filters {
		if c.isCall("equals") && contains(c.columns(), col) {
			return true
		}
	}
	return false
}

// ownerWords are the parts of names of things within which ids are numbered.
var ownerWords = strings.Fields("tenant account org organization organisation site project workspace customer shop store company team realm namespace region instance app client branch school hospital clinic brand")

// ownsID tells whether the source's key or the column's name says that ids are
// numbered within the dimension.
func (v *View) ownsID(dimension, id string) bool {
	if nameSays(dimension, ownerWords) {
		return true
	}
	key := v.source.keyColumns()
	at := func(name string) int {
		for i, k := range key {
			if k == name {
				return i
			}
		}
		return -1
	}
	return at(dimension) >= 0 && at(id) > at(dimension) && v.source.deduplicates()
}
