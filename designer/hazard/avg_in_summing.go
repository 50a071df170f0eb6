package hazard

var avgInSumming = &Rule{
	Code:     "avg-in-summing",
	Title:    "An average, ratio or distinct count is added up",
	Doc:      "Averages, ratios and distinct counts of parts do not add up to that of the whole, and SummingMergeTree adds them up.",
	Severity: Error,
	View: func(v *View) []Finding {
		return v.misfits(func(e *Expr, a Agg) bool {
			return !a.isQuantile() && !(a.isExtreme() && !e.calls("divide")) && !a.isState()
		})
	},
}

// misfits finds outputs that do not add up in columns that are added up, or
// that keep an arbitrary part; is chooses those of one rule.
func (v *View) misfits(is func(*Expr, Agg) bool) []Finding {
	if !v.incremental() || !v.target.adds() {
		return nil
	}
	var out []Finding
	for i := range v.outputs {
		o := &v.outputs[i]
		how, _ := v.target.merges(o.name)
		a, ok := finished(o.expr)
		if !ok || how != mergesSum && !(how == mergesPick && v.target.summing()) || addsUp(o.expr) || !is(o.expr, a) || v.finishedForAbove(o) {
			continue
		}
		what := "adds the parts up"
		if how == mergesPick {
			what = "keeps one part and drops the others"
		}
		out = append(out, Finding{
			Text:     sentence("%s is %s, which does not add up, and %s %s.", o.name, o.expr.String(), v.targetLabel(), what),
			Evidence: sentence("%s; output %s", v.target.declared(), o.shown()),
			Repair:   sentence("Keep a state, %s AggregateFunction(…) filled by %sState(…) in an AggregatingMergeTree, and read it with %sMerge; keep an average as sum and count.", o.name, a.base, a.base),
		})
	}
	return out
}
