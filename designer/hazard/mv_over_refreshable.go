package hazard

var mvOverRefreshable = &Rule{
	Code:     "mv-over-refreshable",
	Title:    "A view over what a refresh replaces",
	Doc:      "A refreshable view swaps its whole target. An incremental view on that target is fired with everything at every refresh, or with nothing, and never learns what went away.",
	Severity: Error,
	Hides:    []string{"finalized-mid-tier", "count-over-rollup", "mv-over-replacing"},
	View:     checkOverRefreshable,
}

func checkOverRefreshable(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	for _, w := range v.writers {
		if w.def.Refreshable && !w.def.Append {
			return one(
				sentence("%s hangs on %s, which %s replaces as a whole at every refresh.", v.def.Name, v.source.Name, w.def.Name),
				sentence("%s is refreshable and writes to %s", w.full(), v.source.full()),
				sentence("Make %s refreshable too: REFRESH … DEPENDS ON %s.", v.def.Name, w.full()))
		}
	}
	return nil
}
