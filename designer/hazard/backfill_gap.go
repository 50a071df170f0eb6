package hazard

var backfillGap = &Rule{
	Code:     "backfill-gap",
	Title:    "Rows arrive between the load and the view",
	Doc:      "When the history is loaded before the view is created, or while it is detached, rows inserted in between are in neither.",
	Severity: Error,
	Script:   checkBackfillGap,
}

func checkBackfillGap(s *Script) []ScriptFinding {
	var out []ScriptFinding
	for _, l := range s.loads() {
		if l.cut() == gapCutoff {
			f := one(sentence("The view %s takes what is above the cut-off and the load what is below: the rows at it are in neither.", l.view.def.Name), l.st.short(), "Use >= on one side and < on the other.")
			out = append(out, ScriptFinding{l.view, f[0]})
			continue
		}
		back := max(s.comesBack(l.view, l.at, createAction), s.comesBack(l.view, l.at, attachAction))
		if back < 0 || s.liveAt(l.view, l.at) || l.cut() == exactCutoff || s.caughtUp(l, back) {
			continue
		}
		f := one(
			sentence("The script loads %s before %s is there: rows inserted into %s in between are lost.", l.st.name, l.view.def.Name, l.view.source.Name),
			sentence("%s … then %s", l.st.short(), s.steps[back].short()),
			"Create the view first, with WHERE c >= X on a column that grows with arrival and an X a little ahead, and load WHERE c < X once X has passed.")
		out = append(out, ScriptFinding{l.view, f[0]})
	}
	return append(out, s.absences()...)
}

// caughtUp tells whether a later load takes what arrived in between.
func (s *Script) caughtUp(l load, back int) bool {
	for _, later := range s.loads() {
		if later.at > back && later.view == l.view && len(later.st.flat.filters) > 0 {
			return true
		}
	}
	return false
}

// absences finds a view that the script takes away and brings back without
// loading anything.
func (s *Script) absences() []ScriptFinding {
	var out []ScriptFinding
	for i, st := range s.steps {
		if st.does != dropAction {
			continue
		}
		v := s.view(st.db, st.name)
		if v == nil || v.err != nil || !v.incremental() {
			continue
		}
		back := max(s.comesBack(v, i, createAction), s.comesBack(v, i, attachAction))
		if back < 0 || s.loadsBetween(v, i) {
			continue
		}
		f := one(
			sentence("The script takes %s away and brings it back: rows inserted into %s in between never reach %s.", v.def.Name, v.sourceName(), v.targetLabel()),
			sentence("%s … then %s", st.short(), s.steps[back].short()),
			"Change the query in place with ALTER TABLE … MODIFY QUERY, or stop the writers meanwhile.")
		out = append(out, ScriptFinding{v, f[0]})
	}
	return out
}

// loadsBetween tells whether a load of the view's target follows a step.
func (s *Script) loadsBetween(v *View, at int) bool {
	for _, l := range s.loads() {
		if l.view == v && l.at > at {
			return true
		}
	}
	return false
}
