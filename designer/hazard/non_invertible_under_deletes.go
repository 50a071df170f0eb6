package hazard

var nonInvertibleUnderDeletes = &Rule{
	Code:     "non-invertible-under-deletes",
	Title:    "A minimum, maximum or distinct count cannot forget",
	Doc:      "min, max, any and the distinct functions only ever take values in. When the row that brought a value is deleted, changed or cancelled, the state keeps the value.",
	Severity: Error,
	View:     checkNonInvertible,
}

func checkNonInvertible(v *View) []Finding {
	if !v.incremental() || !v.changes() || v.lastPerEntity() {
		return nil
	}
	for _, o := range v.outputs {
		for _, a := range aggregates(o.expr) {
			if v.forgets(a) {
				continue
			}
			return one(
				sentence("%s keeps %s in a state, but rows of %s can be changed or deleted, and the state cannot give their values back.", v.def.Name, a.call.String(), v.source.Name),
				sentence("%s; output %s", v.source.declared(), o.shown()),
				sentence("Keep one row per (%s) in a target that merges versions, and compute %s with FINAL at read.", list(v.entity()), a.base),
			)
		}
	}
	return nil
}

// forgets tells whether the aggregate stays right when rows change: it adds up,
// or nothing it reads ever changes and no row goes away.
func (v *View) forgets(a Agg) bool {
	if !a.absorbsRepeats() || a.has("Merge") {
		return true
	}
	if v.source.collapsing() || v.deletes() {
		return false
	}
	stable := v.entity()
	read := a.call.columns()
	for _, g := range v.group() {
		read = append(read, g.columns()...)
	}
	for _, c := range read {
		if !contains(stable, c) && c != v.source.versionColumn() {
			return false
		}
	}
	return true
}

// lastPerEntity tells whether each group is one entity and only its latest
// version is kept.
func (v *View) lastPerEntity() bool {
	if !v.groupedBy(v.entity()) {
		return false
	}
	for _, a := range v.aggs() {
		byVersion := a.base == "argMax" || a.base == "max" && a.arg() != nil && (a.arg().name == v.source.versionColumn() || a.arg().kind == columnExpr && contains(v.entity(), a.arg().name))
		if !byVersion && a.absorbsRepeats() {
			return false
		}
	}
	return true
}
