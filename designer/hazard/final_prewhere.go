package hazard

var finalPrewhere = &Rule{
	Code:     "final-prewhere",
	Title:    "PREWHERE runs before FINAL",
	Doc:      "An explicit PREWHERE filters rows before FINAL has chosen among versions. If the newest version does not pass, an older one that does is taken for the row.",
	Severity: Error,
	Reading:  checkFinalPrewhere,
}

func checkFinalPrewhere(r *Reading) []Finding {
	if on(r.setting("apply_prewhere_after_final")) {
		return nil
	}
	for _, s := range r.scopes {
		if !s.table.deduplicates() || !r.final(s) {
			continue
		}
		cond := s.sel.prewhere
		if cond == nil && on(r.setting("optimize_move_to_prewhere_if_final")) {
			cond = s.sel.where
		}
		for _, c := range cond.columns() {
			name := c[lastDot(c)+1:]
			if s.table.column(name) == nil || contains(s.table.keyColumns(), name) {
				continue
			}
			return one(
				sentence("PREWHERE %s filters %s before FINAL picks versions: a row whose newest version fails it comes back as an older one.", cond.String(), s.table.Name),
				s.table.declared(),
				sentence("Use WHERE %s, or SETTINGS apply_prewhere_after_final = 1.", cond.String()))
		}
	}
	return nil
}

func lastDot(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '.' {
			return i
		}
	}
	return -1
}
