package hazard

var aggregateIntoPlainMergeTree = &Rule{
	Code:     "aggregate-into-plain-mergetree",
	Title:    "Aggregates of single blocks stand side by side",
	Doc:      "A view aggregates one inserted block at a time. A plain MergeTree target keeps each block's result as a row of its own; nothing ever puts the parts of a group together.",
	Severity: Error,
	Hides:    []string{"block-scoped-operator"},
	View:     checkIntoPlain,
}

func checkIntoPlain(v *View) []Finding {
	if !v.incremental() || !v.target.neverMerges() {
		return nil
	}
	for _, o := range v.outputs {
		if a, ok := finished(o.expr); ok {
			return one(
				sentence("%s writes %s to %s, a %s: every insert adds its own row for the same group, and they are never put together.", v.def.Name, a.call.String(), v.targetLabel(), v.target.Engine.Name),
				sentence("%s; output %s", v.target.declared(), o.shown()),
				"Use SummingMergeTree or AggregatingMergeTree with the GROUP BY columns as sorting key, and aggregate again when reading.",
			)
		}
	}
	return nil
}
