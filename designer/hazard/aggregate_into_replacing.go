package hazard

var aggregateIntoReplacing = &Rule{
	Code:     "aggregate-into-replacing",
	Title:    "The aggregate of one block replaces that of another",
	Doc:      "A view aggregates one inserted block at a time. A ReplacingMergeTree target keeps the newest block's result for a group and throws away what the blocks before it held.",
	Severity: Error,
	View:     checkIntoReplacing,
}

func checkIntoReplacing(v *View) []Finding {
	if !v.incremental() || !v.target.is("ReplacingMergeTree", "CoalescingMergeTree") || !v.aggregated() || len(v.aggs()) == 0 || v.keepsNewest() {
		return nil
	}
	a := v.aggs()[0]
	return one(
		sentence("%s writes %s to %s, a %s: the newest block's result replaces the others instead of joining them.", v.def.Name, a.call.String(), v.targetLabel(), v.target.Engine.Name),
		sentence("%s; %s in %s", v.target.declared(), a.call.String(), v.full()),
		"Use SummingMergeTree or AggregatingMergeTree with the GROUP BY columns as sorting key.",
	)
}

// keepsNewest tells whether the view only thins a block out to the newest row
// per key, which the target would pick anyway.
func (v *View) keepsNewest() bool {
	version := v.target.versionColumn()
	o := v.output(version)
	if version == "" || o == nil {
		return false
	}
	newest, ok := aggregate(o.expr)
	if !ok || newest.base != "max" {
		return false
	}
	for _, a := range v.aggs() {
		if a.base != "max" && a.base != "argMax" || a.isState() {
			return false
		}
		if a.base == "max" && a.call.String() != newest.call.String() {
			return false
		}
	}
	return true
}
