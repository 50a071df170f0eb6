package hazard

var quantileInSumming = &Rule{
	Code:     "quantile-in-summing",
	Title:    "A finished quantile is added up",
	Doc:      "Quantiles of parts say nothing about the quantile of the whole, and SummingMergeTree adds them up.",
	Severity: Error,
	View: func(v *View) []Finding {
		return v.misfits(func(_ *Expr, a Agg) bool { return a.isQuantile() })
	},
}
