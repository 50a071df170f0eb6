package hazard

import "strconv"

var cleanupResurrects = &Rule{
	Code:     "cleanup-resurrects",
	Title:    "A cleaned-up delete cannot stop a late row",
	Doc:      "CLEANUP merges remove delete rows for good. An older version that arrives afterwards finds nothing that replaces it, and the row is back.",
	Severity: Error,
	View:     checkCleanup,
	Script:   checkCleanupScript,
}

// cleanupSafeAge is how old a part must be, in seconds, before a clean-up by
// age counts as safe: a day, the usual bound on how late a change arrives.
const cleanupSafeAge = 86400

func checkCleanup(v *View) []Finding {
	for _, t := range []*Table{v.target, v.source} {
		if !t.replacing() || len(t.Engine.args) < 2 {
			continue
		}
		if how := t.cleansUp(); how != "" {
			return one(
				sentence("%s removes delete rows for good (%s): an older version that arrives late brings the row back.", t.Name, how),
				sentence("%s SETTINGS %s", t.declared(), how),
				"Keep delete rows, or clean up only parts older than any change can be late: min_age_to_force_merge_seconds.")
		}
	}
	return nil
}

// cleansUp names the setting by which the table cleans up too early, if one does.
func (t *Table) cleansUp() string {
	age, _ := strconv.Atoi(t.setting("min_age_to_force_merge_seconds"))
	switch {
	case t.setting("clean_deleted_rows") == "Always":
		return "clean_deleted_rows = 'Always'"
	case on(t.setting("enable_replacing_merge_with_cleanup_for_min_age_to_force_merge")):
		if age >= cleanupSafeAge {
			return ""
		}
		return "enable_replacing_merge_with_cleanup_for_min_age_to_force_merge = 1"
	case on(t.setting("allow_experimental_replacing_merge_with_cleanup")):
		return "allow_experimental_replacing_merge_with_cleanup = 1"
	}
	return ""
}

func on(value string) bool { return value == "1" || value == "true" }

func checkCleanupScript(s *Script) []ScriptFinding {
	var out []ScriptFinding
	for _, st := range s.steps {
		if st.does != optimizeAction || !st.says("CLEANUP") {
			continue
		}
		for _, v := range s.around(st.db, st.name) {
			f := one(sentence("The script removes delete rows of %s for good: an older version that arrives late brings the row back.", st.name), st.short(),
				"OPTIMIZE … FINAL without CLEANUP.")
			out = append(out, ScriptFinding{v, f[0]})
		}
	}
	return out
}

// around lists the views that read or write a table.
func (s *Script) around(db, name string) []*View {
	var out []*View
	for _, v := range s.cat.views {
		if v.err == nil && (v.targetName() == db+"."+name || v.source != nil && v.source.full() == db+"."+name) {
			out = append(out, v)
		}
	}
	return out
}
