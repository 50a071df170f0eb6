package hazard

var mutableKey = &Rule{
	Code:     "mutable-key",
	Title:    "A value that changes is part of the target's sorting key",
	Doc:      "Rows replace each other only under the same sorting key. If a column of the key changes for one entity, the old row stays beside the new one and no merge and no FINAL removes it.",
	Severity: Error,
	View:     checkMutableKey,
}

func checkMutableKey(v *View) []Finding {
	if !v.incremental() || v.feed == "ledger" || !v.entityTarget() {
		return nil
	}
	var doubtful []Finding
	for _, k := range v.target.keyColumns() {
		o := v.output(k)
		if o == nil || !v.beyondEntityKey(o) {
			continue
		}
		text := sentence("%s is in the sorting key of %s: when it changes for one (%s), the old row stays beside the new one.", k, v.targetLabel(), list(v.entity()))
		evidence := sentence("%s; %s", v.target.declared(), v.source.declared())
		repair := sentence("ORDER BY (%s) in the target, and take %s from the latest row at read.", list(v.entity()), k)
		if v.changesByName(o) {
			return one(text, evidence, repair)
		}
		doubtful = when(sentence("%s can change for one (%s)", k, list(v.entity())), text, evidence, repair)
	}
	return doubtful
}

// entityTarget tells whether the target keeps one row per entity of the source.
func (v *View) entityTarget() bool {
	if !v.changes() || !v.source.replacing() && !v.logged() || len(v.entity()) == 0 || len(v.missingEntityKey()) > 0 {
		return false
	}
	return v.mirror() && v.target.replacing() || v.lastStates()
}

// beyondEntityKey tells whether an output depends on more than the source's key.
func (v *View) beyondEntityKey(o *Output) bool {
	for _, c := range o.expr.columns() {
		if !contains(v.entity(), c) && c != v.source.versionColumn() {
			return true
		}
	}
	return false
}

// changesByName tells whether the output, or a column it is made of, has a
// name that tells of change.
func (v *View) changesByName(o *Output) bool {
	for _, c := range o.expr.columns() {
		if mayChange(c) && !contains(v.entity(), c) {
			return true
		}
	}
	return false
}
