package hazard

var finalInMV = &Rule{
	Code:     "final-in-mv",
	Title:    "FINAL, SAMPLE or PREWHERE in an incremental view",
	Doc:      "An incremental view reads the inserted block, not the table: there is nothing to merge, to sample or to read ahead of. New servers refuse it, old ones ignore it.",
	Severity: Error,
	View:     checkFinalInMV,
}

func checkFinalInMV(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	for f := v.flat; f != nil; f = f.inner {
		what := ""
		switch from := f.sel.from; {
		case from == nil || from.name == "":
			continue
		case from.final:
			what = "FINAL"
		case from.sample:
			what = "SAMPLE"
		case f.sel.prewhere != nil:
			what = "PREWHERE"
		default:
			continue
		}
		return one(
			sentence("%s has no meaning in %s: the view sees the inserted rows, before any merge.", what, v.def.Name),
			shorten(v.def.Select),
			"Mirror the rows and use FINAL when reading, or make it a refreshable view.")
	}
	return nil
}
