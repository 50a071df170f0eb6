package hazard

var mvOverReplacing = &Rule{
	Code:     "mv-over-replacing",
	Title:    "A view adds up rows that the source will replace",
	Doc:      "A materialized view sees each inserted block once and before any merge. Over a ReplacingMergeTree every new version of a row is added to what the version before it has added; nothing takes the old one off again.",
	Severity: Error,
	Hides:    []string{"non-invertible-under-deletes", "tombstone-counted", "summing-zero-row-dropped"},
	View:     checkOverReplacing,
}

func checkOverReplacing(v *View) []Finding {
	if !v.incremental() || !v.source.is("ReplacingMergeTree", "CoalescingMergeTree") || v.feed == "append" {
		return nil
	}
	what := v.addedFromReplacing()
	if what == "" {
		return nil
	}
	if _, kind := v.ledger(); kind != noLedger {
		return nil
	}
	return one(
		sentence("%s adds up %s over %s, whose rows are replaced: every new version of a row is counted beside the old one.", v.def.Name, what, v.source.Name),
		sentence("%s; %s sees inserted blocks before any merge", v.source.declared(), v.full()),
		sentence("Mirror the needed columns into a ReplacingMergeTree keyed by (%s) and aggregate it with FINAL at read, or recompute with a refreshable view: CREATE MATERIALIZED VIEW … REFRESH EVERY … AS SELECT … FROM %s FINAL.", list(v.source.entityKey()), v.source.Name),
	)
}

// addedFromReplacing names what the view adds up, "" where it adds nothing.
func (v *View) addedFromReplacing() string {
	if v.mirror() && v.target.summing() {
		return list(v.target.summed())
	}
	if adding := v.adding(); len(adding) > 0 {
		return adding[0].call.String()
	}
	return ""
}
