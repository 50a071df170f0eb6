package hazard

var finalizedMidTier = &Rule{
	Code:     "finalized-mid-tier",
	Title:    "A tier finishes what a higher tier aggregates again",
	Doc:      "A distinct count, average or quantile that a tier stores as a number cannot be aggregated further: the higher tier needs the state.",
	Severity: Error,
	Hides:    []string{"mv-over-replacing"},
	View:     checkFinalized,
}

func checkFinalized(v *View) []Finding {
	for _, w := range v.writers {
		if f := finalizedBetween(w, v); f != nil {
			return f
		}
	}
	for _, r := range v.readers {
		if f := finalizedBetween(v, r); f != nil {
			return f
		}
	}
	return nil
}

// finalizedBetween finds a column that the lower view finishes and the upper
// aggregates.
func finalizedBetween(lower, upper *View) []Finding {
	if lower.err != nil || upper.err != nil || lower == upper {
		return nil
	}
	for i := range lower.outputs {
		o := &lower.outputs[i]
		if a, ok := upper.reaggregates(o); ok {
			return one(
				sentence("%s stores %s as a finished number and %s computes %s from it: parts of it do not make up the whole.", lower.def.Name, o.name, upper.def.Name, a.call.String()),
				sentence("%s in %s; %s in %s", o.shown(), lower.full(), a.call.String(), upper.full()),
				sentence("Store a state in the lower tier (…State), combine it with …MergeState in %s, and finish with …Merge in the last read.", upper.def.Name),
			)
		}
	}
	return nil
}

// finishedForAbove tells whether a higher tier aggregates the output; then
// that is what is wrong with it.
func (v *View) finishedForAbove(o *Output) bool {
	for _, r := range v.readers {
		if r.err != nil {
			continue
		}
		if _, ok := r.reaggregates(o); ok {
			return true
		}
	}
	return false
}

// reaggregates finds an aggregate of the view over a finished output of the
// tier below that it cannot be taken over.
func (v *View) reaggregates(o *Output) (Agg, bool) {
	low, ok := finished(o.expr)
	if !ok {
		return Agg{}, false
	}
	for _, a := range v.aggs() {
		if a.has("Merge") || a.arg() == nil || !contains(a.arg().columns(), o.name) || v.source.column(o.name) == nil {
			continue
		}
		if f, _ := stateFunction(v.columnType(o.name)); f != "" {
			continue
		}
		if addsUp(o.expr) && a.addsUp() {
			continue
		}
		if low.isExtreme() && !o.expr.calls("divide") && a.base == low.base {
			continue
		}
		return a, true
	}
	return Agg{}, false
}
