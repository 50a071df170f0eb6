package hazard

var distinctKeyNotRowKey = &Rule{
	Code:     "distinct-key-not-row-key",
	Title:    "Rows that share a value replace each other",
	Doc:      "A ReplacingMergeTree target keyed by a value rather than by the row keeps one of all rows that share the value. Deleting or changing one of them hides the others.",
	Severity: Error,
	Hides:    []string{"mutable-key", "target-key-not-in-delete-row"},
	View:     checkDistinctKey,
}

func checkDistinctKey(v *View) []Finding {
	if !v.incremental() || !v.mirror() || !v.target.replacing() || !v.source.replacing() && !v.logged() || v.target.versionColumn() == "" && !v.source.replacing() || !v.changes() {
		return nil
	}
	missing := v.missingEntityKey()
	if len(missing) == 0 {
		return nil
	}
	return one(
		sentence("%s keys rows by (%s) and leaves out %s: two rows of %s that share the key replace each other, and deleting one hides both.", v.targetLabel(), list(v.target.keyColumns()), list(missing), v.source.Name),
		sentence("%s; %s", v.source.declared(), v.target.declared()),
		sentence("Add %s to the ORDER BY of the target, and count distinct values over the live rows at read.", list(missing)),
	)
}
