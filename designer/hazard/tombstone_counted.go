package hazard

import "strings"

var tombstoneCounted = &Rule{
	Code:     "tombstone-counted",
	Title:    "Delete rows are counted as data",
	Doc:      "The source marks deleted rows with a flag. A view that neither carries the flag to its target nor filters on it treats a delete row as one more row.",
	Severity: Error,
	Hides:    []string{"non-invertible-under-deletes"},
	View:     checkTombstone,
}

func checkTombstone(v *View) []Finding {
	flag := v.source.deletedColumn()
	if op := v.source.operationColumn(); flag == "" && strings.HasPrefix(op, "_") || op == "cdc_operation" {
		flag = op
	}
	if flag == "" || v.reads(flag) || v.feed == "append" || !v.incremental() && v.watermark() {
		return nil
	}
	if !v.incremental() && (v.flat.final && v.source.replacing() && len(v.source.Engine.args) > 1 || !v.source.is("ReplacingMergeTree", "MergeTree")) {
		return nil
	}
	if v.incremental() && v.source.replacing() && v.aggregated() && !v.lastStates() || v.source.collapsing() {
		return nil
	}
	return one(
		sentence("%s ignores %s, the delete flag of %s: a delete row stands in the target like any other.", v.def.Name, flag, v.source.Name),
		sentence("%s has the column %s; %s neither outputs it nor filters on it", v.source.full(), flag, v.full()),
		sentence("Carry %s into the target and exclude deleted rows when reading, after they have met the rows they delete.", flag),
	)
}
