package hazard

var joinInMV = &Rule{
	Code:     "join-in-mv",
	Title:    "The view freezes what it joins",
	Doc:      "Only inserts into the left-most table fire a view. What a JOIN, a dictionary or an IN finds on the other side is what stood there at that moment; later rows and changes there never reach the target.",
	Severity: Error,
	Hides:    []string{"replacing-read-without-final"},
	View:     checkJoin,
}

func checkJoin(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	what := v.frozen()
	if what == "" {
		return nil
	}
	return one(
		sentence("%s looks up %s at insert time: changes and late rows there never reach %s, and inserts there do not fire the view.", v.def.Name, what, v.targetLabel()),
		shorten(v.def.Select),
		"Keep the joined key in the target and join when reading, or use a refreshable view.")
}

// frozen names what the view looks up beside its source.
func (v *View) frozen() string {
	for _, j := range v.flat.joins {
		if j.from.call == nil {
			return "JOIN " + j.from.String()
		}
	}
	found := ""
	for f := v.flat; f != nil; f = f.inner {
		for _, e := range f.sel.expressions() {
			e.walk(func(x *Expr) {
				switch {
				case found != "" || x.kind != callExpr:
				case len(x.name) > 7 && x.name[:7] == "dictGet" || x.name == "joinGet" || x.name == "dictHas":
					found = x.String()
				case x.isCall("in", "notIn", "globalIn") && len(x.args) == 2 && v.otherTable(x.args[1]):
					found = x.String()
				}
			})
		}
	}
	return found
}

// otherTable tells whether the right side of IN reads a table.
func (v *View) otherTable(e *Expr) bool {
	return e.kind == subqueryExpr && e.query.from != nil && e.query.from.call == nil
}
