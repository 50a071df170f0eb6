package hazard

import "strings"

var selectStar = &Rule{
	Code:     "select-star",
	Title:    "The view selects whatever columns there are",
	Doc:      "SELECT * in a view is expanded at every insert. After an ALTER of the source, new columns have no place in the target, and renamed ones stop being filled, in silence.",
	Severity: Error,
	View:     checkSelectStar,
}

func checkSelectStar(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	for _, e := range v.query.items {
		if e.kind == starExpr && (strings.HasSuffix(e.name, "*") || strings.Contains(e.name, "* ") || strings.HasPrefix(e.name, "COLUMNS")) {
			return one(
				sentence("%s selects %s: what reaches %s changes with every ALTER of %s.", v.def.Name, e.name, v.targetLabel(), v.sourceName()),
				shorten(v.def.Select),
				sentence("Name the columns: SELECT %s.", list(outputNames(v))))
		}
	}
	return nil
}

func outputNames(v *View) []string {
	var out []string
	for _, o := range v.outputs {
		out = append(out, o.name)
	}
	return out
}
