package hazard

var mvErrorsIgnored = &Rule{
	Code:     "mv-errors-ignored",
	Title:    "A view may fail without anybody knowing",
	Doc:      "With materialized_views_ignore_errors the source takes the rows although a view has failed. The rollup lacks them, and no client is told.",
	Severity: Error,
	View:     checkErrorsIgnored,
	Script:   checkErrorsIgnoredScript,
}

const ignoreErrors = "materialized_views_ignore_errors"

func checkErrorsIgnored(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	where := ""
	switch {
	case on(v.cat.Settings[ignoreErrors]):
		where = "this session's settings"
	case on(v.cat.Profiles[ignoreErrors]):
		where = "a settings profile"
	case on(v.query.settings[ignoreErrors]):
		where = "the view's SETTINGS"
	default:
		return nil
	}
	return one(ignoredText(v), sentence("%s = 1 in %s", ignoreErrors, where), ignoredRepair)
}

func ignoredText(v *View) string {
	return sentence("Errors of %s are ignored: %s stores the rows, %s lacks them, and the client is told nothing.", v.def.Name, v.sourceName(), v.targetLabel())
}

const ignoredRepair = "Set materialized_views_ignore_errors = 0, make retries safe with a de-duplication window on source and target, and watch system.query_views_log."

func checkErrorsIgnoredScript(s *Script) []ScriptFinding {
	var out []ScriptFinding
	session := false
	for _, st := range s.steps {
		set := on(st.settings[ignoreErrors])
		if st.does == setAction {
			if _, named := st.settings[ignoreErrors]; named {
				session = set
			}
			continue
		}
		if st.does != insertAction || !set && !session {
			continue
		}
		for _, v := range s.fired(st.db, st.name) {
			f := one(ignoredText(v), st.short(), ignoredRepair)
			out = append(out, ScriptFinding{v, f[0]})
		}
	}
	if session && len(out) == 0 {
		for _, v := range s.cat.views {
			if v.err == nil && v.incremental() {
				f := one(ignoredText(v), "SET "+ignoreErrors+" = 1", ignoredRepair)
				out = append(out, ScriptFinding{v, f[0]})
			}
		}
	}
	return out
}

// fired lists the incremental views that an insert into a table fires.
func (s *Script) fired(db, name string) []*View {
	var out []*View
	for _, v := range s.cat.views {
		if v.err == nil && v.incremental() && v.source != nil && v.source.full() == db+"."+name {
			out = append(out, v)
		}
	}
	return out
}
