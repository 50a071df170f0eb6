package hazard

import "strings"

var modifyQueryInnerTable = &Rule{
	Code:     "modify-query-inner-table",
	Title:    "The view's own storage does not follow its query",
	Doc:      "MODIFY QUERY changes the query of a view but not the columns of its implicit storage: new outputs are refused or lost.",
	Severity: Error,
	View: func(v *View) []Finding {
		if !v.implicit() || v.def.fromScript {
			return nil
		}
		return homeless(v, "Create a table of your own and a view that writes TO it, and copy the history.")
	},
	Script: checkModifyQuery,
}

func checkModifyQuery(s *Script) []ScriptFinding {
	var out []ScriptFinding
	for _, st := range s.steps {
		if st.does != alterAction || !st.says("MODIFY", "QUERY") {
			continue
		}
		v := s.view(st.db, st.name)
		if v == nil || !v.implicit() || v.err != nil {
			continue
		}
		q := modifiedQuery(st.text)
		if q == nil {
			continue
		}
		for _, name := range flatten(q, nil, 0).names {
			if v.target.column(name) == nil {
				f := one(sentence("The script adds %s to the query of %s, whose storage has no such column.", name, v.def.Name), st.short(),
					"Create a table of your own and a view that writes TO it, and copy the history.")
				out = append(out, ScriptFinding{v, f[0]})
			}
		}
	}
	return out
}

// modifiedQuery gives the query after MODIFY QUERY.
func modifiedQuery(text string) *Select {
	toks := lex(text)
	for i, t := range toks {
		if t.is("QUERY") {
			q, err := ParseSelect(strings.TrimSpace(text[toks[i].to:]))
			if err == nil {
				return q
			}
		}
	}
	return nil
}

// view finds a view by name.
func (s *Script) view(db, name string) *View {
	for _, v := range s.cat.views {
		if v.def.DB == db && v.def.Name == name {
			return v
		}
	}
	return nil
}
