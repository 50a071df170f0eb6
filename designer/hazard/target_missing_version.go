package hazard

var targetMissingVersion = &Rule{
	Code:     "target-missing-version",
	Title:    "The target drops the version of its source",
	Doc:      "A ReplacingMergeTree target without the version keeps whichever row was inserted last, so a late old version wins; without the delete flag it never removes anything.",
	Severity: Error,
	View:     checkTargetMissingVersion,
}

func checkTargetMissingVersion(v *View) []Finding {
	version := v.source.versionColumn()
	if !v.incremental() || !v.mirror() || !v.source.replacing() || version == "" || v.feed == "append" {
		return nil
	}
	if !v.target.replacing() && !v.target.is("MergeTree") {
		return nil
	}
	if v.target.replacing() && v.target.versionColumn() == "" || !v.carries(version) {
		return one(
			sentence("%s picks rows without %s, the version of %s: a row that arrives late replaces a newer one.", v.targetLabel(), version, v.source.Name),
			sentence("%s; %s", v.source.declared(), v.target.declared()),
			sentence("Carry %s into the target and declare it ReplacingMergeTree(%s).", version, list(v.engineColumns())),
		)
	}
	if flag := v.source.deletedColumn(); flag != "" && !v.reads(flag) {
		return one(
			sentence("%s has no %s, the delete flag of %s: deleted rows come back to life there.", v.targetLabel(), flag, v.source.Name),
			sentence("%s; %s", v.source.declared(), v.target.declared()),
			sentence("Carry %s into the target and declare it ReplacingMergeTree(%s).", flag, list(v.engineColumns())),
		)
	}
	return nil
}

// engineColumns are the version and delete flag of the source.
func (v *View) engineColumns() []string {
	out := []string{v.source.versionColumn()}
	if flag := v.source.deletedColumn(); flag != "" {
		out = append(out, flag)
	}
	return out
}
