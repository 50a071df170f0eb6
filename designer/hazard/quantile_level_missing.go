package hazard

import "strings"

var quantileLevelMissing = &Rule{
	Code:     "quantile-level-missing",
	Title:    "A quantile is read without its level",
	Doc:      "quantileMerge(state) without a level gives the median, whatever level the state was made for; topKMerge without k gives ten. The level belongs to the call that reads.",
	Severity: Error,
	View:     checkLevelView,
	Reading:  checkLevelRead,
}

func checkLevelView(v *View) []Finding {
	for _, o := range v.outputs {
		for _, a := range aggregates(o.expr) {
			if f := levelMissing(a, v.columnType, v.def.Name, o.name); f != nil {
				return f
			}
		}
	}
	return nil
}

func checkLevelRead(r *Reading) []Finding {
	for _, s := range r.scopes {
		if s.table == nil || s.flat == nil {
			continue
		}
		of := func(name string) string {
			if c := s.table.column(name); c != nil {
				return c.Type
			}
			return ""
		}
		for i, e := range s.flat.outputs {
			for _, a := range aggregates(e) {
				if f := levelMissing(a, of, "The query", s.flat.names[i]); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// levelMissing finds a -Merge of a parametric aggregate without parameters.
func levelMissing(a Agg, of func(string) string, who, name string) []Finding {
	if !a.has("Merge") || len(a.call.params) > 0 || a.arg() == nil || !a.isQuantile() && !strings.HasPrefix(a.base, "topK") || strings.HasPrefix(a.base, "median") {
		return nil
	}
	f, _ := stateFunction(of(a.arg().name))
	i := strings.IndexByte(f, '(')
	level := ""
	switch {
	case i > 0:
		level = f[i:]
	case levelInName(name) != "" || levelInName(a.arg().name) != "":
		level = "(" + levelInName(name+"_"+a.arg().name) + ")"
	}
	if level == "" || level == "(0.5)" || level == "(10)" && !a.isQuantile() {
		return nil
	}
	return one(
		sentence("%s reads %s without its level: it gets the median, not level %s.", who, a.call.String(), level),
		sentence("%s is %s", a.arg().String(), of(a.arg().name)),
		sentence("Write %s%s(%s).", a.call.name, level, a.arg().String()))
}

// levelInName reads p95, q99 and the like out of a name.
func levelInName(name string) string {
	for _, part := range strings.Split(strings.ToLower(name), "_") {
		if len(part) < 2 || part[0] != 'p' && part[0] != 'q' || strings.Trim(part[1:], "0123456789") != "" {
			continue
		}
		if digits := part[1:]; digits != "50" && (len(digits) > 1 || digits == "9") {
			return "0." + digits
		}
	}
	return ""
}
