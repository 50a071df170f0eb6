package hazard

var backfillChainedTier = &Rule{
	Code:     "backfill-chained-tier",
	Title:    "The upper tier is loaded twice",
	Doc:      "Loading the lower tier of a chain fires the view above it like any insert. A second load of the upper tier adds everything again.",
	Severity: Error,
	Hides:    []string{"backfill-overlap"},
	Script:   checkChainedTier,
}

func checkChainedTier(s *Script) []ScriptFinding {
	var out []ScriptFinding
	for i, st := range s.steps {
		if st.does != insertAction {
			continue
		}
		lower := s.cat.behind(s.cat.source(st.db, st.name))
		for _, upper := range s.cat.views {
			if lower == nil || upper.err != nil || !upper.incremental() || upper.source != lower || upper.repeatsReplace() || len(upper.writers) == 0 || !s.liveAt(upper, i) {
				continue
			}
			if also := s.insertInto(upper.target); also != nil {
				f := one(
					sentence("The script loads %s and %s; the first load already fires %s, so %s is loaded twice.", lower.Name, upper.target.Name, upper.def.Name, upper.target.Name),
					sentence("%s … and %s", st.short(), also.short()),
					sentence("Load %s alone, or detach %s during the load.", lower.Name, upper.def.Name))
				out = append(out, ScriptFinding{upper, f[0]})
			}
		}
	}
	return out
}

// insertInto finds a statement that inserts into a table.
func (s *Script) insertInto(t *Table) *Statement {
	for _, st := range s.steps {
		if st.does == insertAction && t != nil && s.cat.behind(s.cat.source(st.db, st.name)) == t && !s.replaces(load{at: s.index(st), st: st}) {
			return st
		}
	}
	return nil
}

func (s *Script) index(st *Statement) int {
	for i, x := range s.steps {
		if x == st {
			return i
		}
	}
	return 0
}
