package hazard

var weekModeImplicit = &Rule{
	Code:     "week-mode-implicit",
	Title:    "The week begins on Sunday, unasked",
	Doc:      "toStartOfWeek without a mode begins weeks on Sunday, toMonday and toStartOfInterval(…, INTERVAL 1 WEEK) on Monday. Side by side they disagree on every Sunday.",
	Severity: Error,
	View:     checkWeekMode,
}

func checkWeekMode(v *View) []Finding {
	exprs := append([]*Expr{}, v.group()...)
	for _, o := range v.outputs {
		exprs = append(exprs, o.expr)
	}
	for _, e := range exprs {
		var found *Expr
		e.walk(func(x *Expr) {
			if x.isCall("toStartOfWeek", "toLastDayOfWeek", "toWeek", "toYearWeek") && len(x.args) == 1 {
				found = x
			}
		})
		if found != nil {
			return one(
				sentence("%s begins weeks on Sunday (%s has no mode); weeks of toMonday and of most readers begin on Monday.", v.def.Name, found.String()),
				found.String(),
				sentence("Say which: %s(%s, 1) or toMonday(%s).", found.name, found.args[0].String(), found.args[0].String()))
		}
	}
	return nil
}
