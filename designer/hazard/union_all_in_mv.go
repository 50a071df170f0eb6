package hazard

var unionAllInMV = &Rule{
	Code:     "union-all-in-mv",
	Title:    "Only the first branch of the UNION is fired",
	Doc:      "A materialized view is fired by inserts into the table of its first SELECT. The other branches of a UNION ALL never see a row.",
	Severity: Error,
	View:     checkUnion,
}

func checkUnion(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	for f := v.flat; f != nil; f = f.inner {
		if len(f.sel.union) == 0 {
			continue
		}
		return one(
			sentence("%s is a UNION: only inserts into %s fire it, the other branches are never read.", v.def.Name, v.sourceName()),
			shorten(v.def.Select),
			"Create one materialized view per branch, all writing TO the same table.")
	}
	return nil
}
