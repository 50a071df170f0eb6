package hazard

var backfillOverlap = &Rule{
	Code:     "backfill-overlap",
	Title:    "The backfill loads rows that the view has seen",
	Doc:      "A load that runs while the view is live takes rows the view has already added, unless both are cut at one value of a column that grows with arrival.",
	Severity: Error,
	Script:   checkBackfillOverlap,
}

func checkBackfillOverlap(s *Script) []ScriptFinding {
	var out []ScriptFinding
	for _, l := range s.loads() {
		cut := l.cut()
		if cut == exactCutoff || cut == gapCutoff || l.view.repeatsReplace() || s.replaces(l) {
			continue
		}
		if !s.liveAt(l.view, l.at) && cut != overlapCutoff {
			continue
		}
		text := sentence("The load into %s runs beside the live view %s without a cut-off: rows that both take are added twice.", l.st.name, l.view.def.Name)
		if cut == overlapCutoff {
			text = sentence("The load into %s and the view %s both take the rows at the cut-off.", l.st.name, l.view.def.Name)
		}
		f := one(text, l.st.short(), sentence("Let the view take WHERE c >= X and the load WHERE c < X, on a column c of %s that grows with arrival.", l.view.source.Name))
		out = append(out, ScriptFinding{l.view, f[0]})
	}
	return out
}
