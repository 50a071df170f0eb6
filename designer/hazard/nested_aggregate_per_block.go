package hazard

var nestedAggregatePerBlock = &Rule{
	Code:     "nested-aggregate-per-block",
	Title:    "An aggregate of an aggregate, one block at a time",
	Doc:      "A view with GROUP BY over a GROUP BY finishes the inner groups within one inserted block. Groups that span inserts are finished several times.",
	Severity: Error,
	Hides:    []string{"block-scoped-operator", "filter-before-dedup"},
	View:     checkNested,
}

func checkNested(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	for f := v.flat; f.inner != nil; f = f.inner {
		if !f.inner.ownAggregated() || !f.ownAggregated() || f.carriesOver() {
			continue
		}
		return one(
			sentence("%s aggregates what a subquery has aggregated, but both see one inserted block only: a group that arrives in two inserts is finished twice.", v.def.Name),
			shorten(v.def.Select),
			"Keep the inner groups as states in the target, and do the outer aggregation when reading.")
	}
	return nil
}

// ownAggregated tells whether this SELECT itself aggregates, not its subquery.
func (f *flat) ownAggregated() bool {
	return len(f.sel.group) > 0 || f.sel.groupAll || anyAggregate(f.sel.items)
}

// carriesOver tells whether the outer aggregates only carry the inner ones on:
// a sum of sums, a minimum of minimums.
func (f *flat) carriesOver() bool {
	found := false
	for _, o := range f.outputs {
		all := aggregates(o)
		for _, a := range all {
			if isOver(a, all) {
				continue
			}
			if a.arg() == nil || !hasAggregate(a.arg()) {
				if a.base == "count" && a.arg() == nil {
					return false
				}
				continue
			}
			low := aggregates(a.arg())[0]
			same := a.addsUp() && !a.has("If") && addsUp(a.arg()) || low.base == a.base && (a.isExtreme() || a.has("Merge"))
			if !same {
				return false
			}
			found = true
		}
	}
	return found
}
