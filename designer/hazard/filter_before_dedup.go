package hazard

var filterBeforeDedup = &Rule{
	Code:     "filter-before-dedup",
	Title:    "A filter keeps the newest version from the target",
	Doc:      "A view that filters on a value that can change drops the version which leaves the filter. The target never hears of it, so the version before lives on for ever.",
	Severity: Error,
	View:     checkFilterBeforeDedup,
}

func checkFilterBeforeDedup(v *View) []Finding {
	if !v.incremental() || v.feed == "append" || v.feed == "at_least_once" || v.feed == "ledger" {
		return nil
	}
	if !(v.mirror() && v.target.replacing() || v.lastStates()) {
		return nil
	}
	for _, c := range v.flat.filters {
		for _, col := range c.columns() {
			if f := v.filterHazard(c, col); f != nil {
				return f
			}
		}
	}
	return nil
}

func (v *View) filterHazard(c *Expr, col string) []Finding {
	versioned := v.source.versionColumn() != "" || v.target.versionColumn() != "" || v.lastStates()
	key := v.source.entityKey()
	if v.target.replacing() && !v.source.replacing() {
		key = nil
		for _, sources := range v.targetKeySources() {
			key = append(key, sources...)
		}
	}
	switch {
	case contains(key, col) || v.source.column(col) == nil || !versioned || isBound(c) || col == v.source.versionColumn():
		return nil
	case col == v.source.deletedColumn() || col == v.source.operationColumn() || mayChange(col):
		return one(v.filterText(c), v.filterEvidence(c), v.filterRepair(col))
	case isStableName(col) || !v.source.replacing():
		return nil
	case !nameSays(col, kindWords):
		return one(v.filterText(c), v.filterEvidence(c), v.filterRepair(col))
	}
	return when(sentence("%s can change for one (%s)", col, list(key)), v.filterText(c), v.filterEvidence(c), v.filterRepair(col))
}

func (v *View) filterText(c *Expr) string {
	return sentence("%s filters on %s before %s can replace rows: a row that stops passing is never replaced there.", v.def.Name, c.String(), v.targetLabel())
}

func (v *View) filterEvidence(c *Expr) string {
	return sentence("WHERE %s in %s; %s", c.String(), v.full(), v.target.declared())
}

func (v *View) filterRepair(col string) string {
	return sentence("Let every version through, carry %s into the target, and filter when reading, after FINAL.", col)
}

// isBound tells whether a condition only bounds a value from one side, as a
// cut-off does.
func isBound(c *Expr) bool { return c.isCall("less", "lessOrEquals", "greater", "greaterOrEquals") }
