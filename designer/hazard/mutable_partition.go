package hazard

var mutablePartition = &Rule{
	Code:     "mutable-partition",
	Title:    "Versions of one row fall into different partitions",
	Doc:      "Merges never cross partitions. When the partition follows a column outside the sorting key and that column is corrected, both versions stay; FINAL still resolves them, but not with do_not_merge_across_partitions_select_final = 1.",
	Severity: Error,
	View:     checkMutablePartition,
}

func checkMutablePartition(v *View) []Finding {
	if !v.incremental() || !v.target.deduplicates() || v.target.Engine.partitionBy == nil {
		return nil
	}
	for _, c := range v.target.Engine.partitionBy.columns() {
		if contains(v.target.keyColumns(), c) {
			continue
		}
		if o := v.output(c); o != nil && (o.expr.constant() || !v.mayMove(o)) {
			continue
		}
		f := Finding{
			Text:     sentence("%s is partitioned by %s, which is not in its sorting key: when %s changes, two versions of a row never meet in a merge.", v.targetLabel(), c, c),
			Evidence: sentence("%s PARTITION BY %s", v.target.declared(), v.target.Engine.partitionBy.String()),
			Repair:   sentence("Drop the PARTITION BY, or partition by a function of (%s).", list(v.target.keyColumns())),
		}
		if isStableName(c) || v.samePartition() {
			f.Condition = sentence("%s can change for one row", c)
		}
		return []Finding{f}
	}
	return nil
}

// mayMove tells whether an output depends on columns outside the source's key.
func (v *View) mayMove(o *Output) bool {
	if !v.source.replacing() {
		return true
	}
	for _, c := range o.expr.columns() {
		if !contains(v.source.entityKey(), c) {
			return true
		}
	}
	return false
}

// samePartition tells whether the source is partitioned in the same way.
func (v *View) samePartition() bool {
	p := v.source
	return p != nil && p.deduplicates() && p.Engine.partitionBy != nil && p.Engine.partitionBy.String() == v.target.Engine.partitionBy.String()
}
