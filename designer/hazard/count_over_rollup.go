package hazard

var countOverRollup = &Rule{
	Code:     "count-over-rollup",
	Title:    "Rows of a rollup are counted instead of its counter",
	Doc:      "A rollup has one row or more per group, depending on what has been merged. count() over it counts those rows; what was counted stands in the counter column.",
	Severity: Error,
	Hides:    []string{"finalized-mid-tier"},
	View:     checkCountOverRollup,
	Reading:  checkCountRead,
}

func checkCountOverRollup(v *View) []Finding {
	lower := aggregatingWriter(v.writers)
	if lower == nil || !lower.incremental() || v.flat.inner != nil {
		return nil
	}
	for _, a := range v.aggs() {
		if a.base == "count" && !a.has("Merge") && !a.isDistinct() && a.arg() == nil {
			return one(
				sentence("%s counts the rows of %s, which is a rollup: a group has a row per inserted block until it is merged.", v.def.Name, v.source.Name),
				sentence("%s in %s; %s fills %s", a.call.String(), v.full(), lower.full(), v.source.full()),
				sentence("Sum the counter that %s keeps: sum(%s).", lower.def.Name, lower.counter()))
		}
	}
	return nil
}

func checkCountRead(r *Reading) []Finding {
	for _, s := range r.scopes {
		if s.table == nil || !s.table.adds() || r.final(s) || s.flat == nil {
			continue
		}
		lower := aggregatingWriter(s.views)
		if lower == nil {
			continue
		}
		for _, e := range s.flat.outputs {
			for _, a := range aggregates(e) {
				if a.base == "count" && !a.has("Merge") && !a.isDistinct() && a.arg() == nil {
					return one(
						sentence("The query counts rows of %s, a rollup with a row per group and unmerged block.", s.table.Name),
						sentence("%s; %s fills %s", a.call.String(), lower.full(), s.table.full()),
						sentence("Use sum(%s) for what was counted; group in a subquery first to count groups.", lower.counter()))
				}
			}
		}
	}
	return nil
}

func aggregatingWriter(views []*View) *View {
	for _, w := range views {
		if w.err == nil && w.aggregated() {
			return w
		}
	}
	return nil
}

// counter names the column in which the view counts rows.
func (v *View) counter() string {
	for _, o := range v.outputs {
		if a, ok := aggregate(o.expr); ok && a.base == "count" {
			return o.name
		}
	}
	return "the counter"
}
