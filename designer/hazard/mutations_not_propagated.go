package hazard

var mutationsNotPropagated = &Rule{
	Code:     "mutations-not-propagated",
	Title:    "The source is changed behind the view's back",
	Doc:      "Only inserts fire a view. UPDATE, DELETE, TRUNCATE and partition operations on the source leave the target as it was.",
	Severity: Error,
	Script:   checkMutations,
}

func checkMutations(s *Script) []ScriptFinding {
	var out []ScriptFinding
	for i, st := range s.steps {
		what := st.changesRows()
		if what == "" {
			continue
		}
		for _, v := range s.fired(st.db, st.name) {
			if s.repairs(v, i) {
				continue
			}
			f := one(
				sentence("%s of %s does not reach %s: only inserts fire %s.", what, st.name, v.targetLabel(), v.def.Name),
				st.short(),
				sentence("Repair %s in the same step: delete the affected groups and load them again from %s; or bring changes as inserted rows.", v.targetSQL(), v.source.Name))
			out = append(out, ScriptFinding{v, f[0]})
		}
	}
	return out
}

// changesRows names what a statement does to rows that are already there.
func (st *Statement) changesRows() string {
	switch {
	case st.does == mutateAction:
		return lex(st.text)[0].text
	case st.does == truncateAction:
		return "TRUNCATE"
	case st.does != alterAction:
		return ""
	}
	for _, words := range [][]string{{"UPDATE"}, {"DELETE", "WHERE"}, {"DROP", "PARTITION"}, {"DETACH", "PARTITION"}, {"ATTACH", "PARTITION"}, {"ATTACH", "PART"}, {"DROP", "PART"},
		{"REPLACE", "PARTITION"}, {"MOVE", "PARTITION"}, {"CLEAR", "COLUMN"}, {"DROP", "COLUMN"}, {"RENAME", "COLUMN"}} {
		if st.says(words...) {
			text := "ALTER"
			for _, w := range words {
				text += " " + w
			}
			return text
		}
	}
	return ""
}

// repairs tells whether a step after at deals with the view's target too.
func (s *Script) repairs(v *View, at int) bool {
	for i, st := range s.steps {
		if st.full() != v.targetName() {
			continue
		}
		if st.changesRows() != "" || st.does == insertAction && i > at {
			return true
		}
	}
	return false
}
