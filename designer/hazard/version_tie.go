package hazard

import "strings"

var versionTie = &Rule{
	Code:     "version-tie",
	Title:    "Two changes may share a version",
	Doc:      "Among equal versions ReplacingMergeTree keeps the row inserted last and argMax the first it sees. A version that two changes of one row share leaves the answer to chance.",
	Severity: Error,
	View:     checkVersionTie,
}

func checkVersionTie(v *View) []Finding {
	if !v.incremental() || v.feed == "append" {
		return nil
	}
	if v.lastStates() {
		return v.argMaxTie()
	}
	version := v.target.versionColumn()
	if o := v.output(version); v.target.replacing() && v.mirror() && o != nil && !v.source.replacing() && coarse(o.typ) {
		return when(
			sentence("two changes of one (%s) can have the same %s", list(v.target.entityKey()), version),
			sentence("%s picks rows by %s, which has whole seconds: of two changes in one second the last inserted wins.", v.targetLabel(), version),
			v.target.declared(), "Version by a number that grows with every change, or by DateTime64 with a sequence behind it.")
	}
	return nil
}

// argMaxTie finds argMax by a single column that may not be unique per entity.
func (v *View) argMaxTie() []Finding {
	for _, a := range v.aggs() {
		args := a.plainArgs()
		if a.base != "argMax" || len(args) < 2 || args[1].isCall("tuple") || strings.HasPrefix(v.typeOf(args[1]), "Tuple") {
			continue
		}
		by := args[1].String()
		return when(
			sentence("two changes of one group can have the same %s", by),
			sentence("%s keeps the row with the greatest %s; among equal ones argMax keeps the first it sees, a ReplacingMergeTree the last inserted.", v.def.Name, by),
			sentence("%s in %s; %s", a.call.String(), v.full(), v.source.declared()),
			sentence("Order by (%s, ordinal), where the ordinal tells the changes of one %s apart.", by, by))
	}
	return nil
}

// coarse tells whether a version counts whole seconds or days.
func coarse(typ string) bool {
	t := plainType(typ)
	return t == "DateTime" || strings.HasPrefix(t, "DateTime(") || strings.HasPrefix(t, "Date") && !strings.HasPrefix(t, "DateTime") || strings.HasPrefix(t, "DateTime64(0")
}
