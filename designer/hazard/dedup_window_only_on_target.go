package hazard

var dedupWindowOnlyOnTarget = &Rule{
	Code:     "dedup-window-only-on-target",
	Title:    "The rollup drops repeats that the source keeps",
	Doc:      "The target recognises repeated blocks and drops them; the source keeps both. Two equal inserts that both count are one in the rollup.",
	Severity: Error,
	View:     checkWindowOnly,
}

func checkWindowOnly(v *View) []Finding {
	if !v.incremental() || !v.source.isMergeTree() || v.source.window() || !v.target.window() || v.repeatsHarmless() {
		return nil
	}
	return one(
		sentence("%s drops repeated blocks, %s keeps them: of two equal inserts the rollup counts one.", v.targetLabel(), v.source.Name),
		sentence("%s has %s; %s has no window", v.target.full(), v.target.windowText(), v.source.full()),
		sentence("Give %s the same window, or take it from %s.", v.source.Name, v.targetSQL()))
}
