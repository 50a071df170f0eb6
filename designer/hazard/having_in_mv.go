package hazard

var havingInMV = &Rule{
	Code:     "having-in-mv",
	Title:    "HAVING judges the groups of one block",
	Doc:      "HAVING in a materialized view sees the part of a group that one block holds. A group that passes only as a whole is dropped piece by piece.",
	Severity: Error,
	Hides:    []string{"nested-aggregate-per-block"},
	View:     checkHaving,
}

func checkHaving(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	for f := v.flat; f != nil; f = f.inner {
		if hasAggregate(f.having) && !alwaysHolds(f.having) {
			return one(
				sentence("HAVING %s in %s is judged on the rows of one inserted block.", f.having.String(), v.def.Name),
				shorten(v.def.Select),
				"Keep every group in the target and put the HAVING into the read query.")
		}
	}
	return nil
}

// alwaysHolds tells a HAVING that every group passes: count() > 0, which only
// keeps an empty block from making a row.
func alwaysHolds(e *Expr) bool {
	if !e.isCall("greater", "greaterOrEquals", "notEquals") || len(e.args) != 2 {
		return false
	}
	a, ok := aggregate(e.args[0])
	limit := e.args[1].name
	return ok && a.base == "count" && a.arg() == nil && (limit == "0" || limit == "1" && e.name == "greaterOrEquals")
}
