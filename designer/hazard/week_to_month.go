package hazard

var weekToMonth = &Rule{
	Code:     "week-to-month",
	Title:    "Weeks do not make up months",
	Doc:      "A week can belong to two months, quarters or years. A tier of weeks cannot be rolled up into them: the whole week falls to the month in which it begins.",
	Severity: Error,
	View:     checkWeekToMonth,
	Reading:  checkWeekRead,
}

func checkWeekToMonth(v *View) []Finding {
	for _, w := range v.writers {
		if w.err != nil {
			continue
		}
		exprs := append([]*Expr{}, v.group()...)
		for _, o := range v.outputs {
			exprs = append(exprs, o.expr)
		}
		for _, e := range exprs {
			if col := weekSplit(e, w); col != "" {
				return one(
					sentence("%s rolls the weeks of %s up into %s: a week that spans two of them is counted in one.", v.def.Name, w.def.Name, e.String()),
					sentence("%s in %s; %s in %s", w.output(col).shown(), w.full(), e.String(), v.full()),
					"Feed the higher tier from days, or from the source.")
			}
		}
	}
	return nil
}

// weekSplit finds a rounding to months or longer of a week that the view below wrote.
func weekSplit(e *Expr, lower *View) string {
	found := ""
	e.walk(func(x *Expr) {
		b := bucketOf(x)
		if b.base == nil || b.unit != "month" && b.unit != "quarter" && b.unit != "year" {
			return
		}
		for _, c := range b.base.columns() {
			if o := lower.output(c); o != nil && bucketOf(o.expr).unit == "week" {
				found = c
			}
		}
	})
	return found
}

func checkWeekRead(r *Reading) []Finding {
	for _, s := range r.scopes {
		if s.flat == nil {
			continue
		}
		for _, e := range append(append([]*Expr{}, s.flat.outputs...), s.flat.group...) {
			for _, w := range s.views {
				if col := weekSplit(e, w); col != "" {
					return one(
						sentence("The query rolls weeks of %s up into %s: a week that spans two of them is counted in one.", s.table.Name, e.String()),
						w.output(col).shown(), "Read months from a tier of days.")
				}
			}
		}
	}
	return nil
}
