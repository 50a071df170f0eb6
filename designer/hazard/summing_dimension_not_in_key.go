package hazard

var summingDimensionNotInKey = &Rule{
	Code:     "summing-dimension-not-in-key",
	Title:    "A GROUP BY column is missing from the sorting key",
	Doc:      "SummingMergeTree puts rows with the same sorting key together. A dimension outside the key is added up if it is a number, and is an arbitrary row's value if it is not.",
	Severity: Error,
	Hides:    []string{"narrow-sum-type"},
	View:     checkSummingDimension,
}

func checkSummingDimension(v *View) []Finding {
	if !v.target.summing() || !v.incremental() {
		return nil
	}
	var lost []string
	for i := range v.outputs {
		o := &v.outputs[i]
		how, _ := v.target.merges(o.name)
		c := v.target.column(o.name)
		if c == nil || how != mergesPick && how != mergesSum || o.expr.constant() || hasAggregate(o.expr) || v.derived(o) {
			continue
		}
		if v.aggregated() && v.isDimension(o) || !v.aggregated() && how == mergesPick {
			lost = append(lost, o.name)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return one(
		sentence("%s tells rows apart by %s, but the sorting key of %s does not hold it: rows that differ in it are added into one.", v.def.Name, list(lost), v.targetLabel()),
		sentence("%s; columns %s are outside the key", v.target.declared(), list(lost)),
		sentence("ORDER BY (%s), and name the summed columns in the engine.", list(append(v.target.keyColumns(), lost...))),
	)
}
