package hazard

var refreshableAppendOverlap = &Rule{
	Code:     "refreshable-append-overlap",
	Title:    "Every refresh adds everything again",
	Doc:      "REFRESH … APPEND inserts the result of each run beside those before. A query over the whole source into a target that adds up multiplies the totals by the number of refreshes.",
	Severity: Error,
	View:     checkAppendOverlap,
}

func checkAppendOverlap(v *View) []Finding {
	if !v.def.Refreshable || !v.def.Append || !v.target.adds() || v.repeatsHarmless() && !v.mirror() {
		return nil
	}
	for _, c := range v.flat.filters {
		if isBound(c) || c.isCall("notIn", "in") {
			return nil
		}
	}
	return one(
		sentence("%s appends the totals of all of %s at every refresh, and %s adds them up.", v.def.Name, v.sourceName(), v.targetLabel()),
		sentence("%s; REFRESH … APPEND; %s", v.target.declared(), shorten(v.def.Select)),
		"Leave APPEND out, so that a refresh replaces the target, or let each run select only what is new since the last one.")
}
