package hazard

var dedupWindowMissingOnTarget = &Rule{
	Code:     "dedup-window-missing-on-target",
	Title:    "A retry is dropped by the source and counted by the rollup",
	Doc:      "The source recognises a repeated insert by its de-duplication window; the target has none, so the view adds the block again.",
	Severity: Error,
	View:     checkWindowMissing,
}

func checkWindowMissing(v *View) []Finding {
	if !v.incremental() || !v.source.window() || v.target == nil || !v.target.stores() || v.target.window() || v.repeatsHarmless() {
		return nil
	}
	return one(
		sentence("%s drops repeated inserts, %s does not: a retried insert is added to the rollup twice.", v.source.Name, v.targetLabel()),
		sentence("%s has %s; %s has no window", v.source.full(), v.source.windowText(), v.target.full()),
		sentence("ALTER TABLE %s MODIFY SETTING non_replicated_deduplication_window = 100, as long as the source's.", v.targetSQL()))
}
