package hazard

var avgOrderOfLevels = &Rule{
	Code:     "avg-order-of-levels",
	Title:    "An average is taken before the parts are summed",
	Doc:      "Where a level is the sum of its members (a plant of its units), its average over time is the average of sums. Averages kept per member give the average of members instead.",
	Severity: Error,
	Reading:  checkAvgLevels,
}

func checkAvgLevels(r *Reading) []Finding {
	for _, s := range r.scopes {
		if s.flat == nil || s.table == nil {
			continue
		}
		for _, v := range s.views {
			for _, e := range s.flat.outputs {
				if f := s.averagedMembers(v, e); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// averagedMembers finds an average that the query merges across a dimension
// which is no bucket of time.
func (s *Scope) averagedMembers(v *View, e *Expr) []Finding {
	for _, a := range aggregates(e) {
		if a.base != "avg" || !a.has("Merge") || a.arg() == nil || v.output(a.arg().name) == nil {
			continue
		}
		for _, k := range s.table.keyColumns() {
			d := v.output(k)
			if d == nil || bucketOf(d.expr).base != nil || isTime(d.typ) || s.keeps(k) {
				continue
			}
			o := v.output(a.arg().name)
			return when(
				sentence("the values of different %s add up rather than stand for the same thing", k),
				sentence("The query averages %s over all %s: if a level is the sum of its %s, that is the average of one of them.", a.arg().name, k, k),
				sentence("%s in %s; %s merged across %s", o.shown(), v.full(), a.call.String(), k),
				sentence("Sum over %s within each point of time first, then average over time.", k))
		}
	}
	return nil
}
