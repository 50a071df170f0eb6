package hazard

var nonAdditiveInSumming = &Rule{
	Code:     "non-additive-in-summing",
	Title:    "A minimum, maximum or picked value is added up",
	Doc:      "min, max, any and argMax of several blocks do not add up, and SummingMergeTree adds every numeric column outside its sorting key.",
	Severity: Error,
	View: func(v *View) []Finding {
		return v.misfits(func(e *Expr, a Agg) bool { return a.isExtreme() && !e.calls("divide") })
	},
}
