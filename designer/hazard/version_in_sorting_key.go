package hazard

var versionInSortingKey = &Rule{
	Code:     "version-in-sorting-key",
	Title:    "The version is part of the sorting key",
	Doc:      "ReplacingMergeTree replaces rows with the same sorting key. With the version in the key no two versions share it, and nothing is ever replaced.",
	Severity: Error,
	View:     checkVersionInKey,
}

func checkVersionInKey(v *View) []Finding {
	for _, t := range []*Table{v.target, v.source} {
		version := t.versionColumn()
		if !t.replacing() || version == "" || !contains(t.keyColumns(), version) {
			continue
		}
		return one(
			sentence("%s has its version %s in the sorting key: no version ever replaces another.", t.Name, version),
			t.declared(),
			sentence("ORDER BY (%s), without %s.", list(t.entityKey()), version),
		)
	}
	return nil
}
