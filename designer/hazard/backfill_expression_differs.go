package hazard

import "sort"

var backfillExpressionDiffers = &Rule{
	Code:     "backfill-expression-differs",
	Title:    "The backfill computes something else than the view",
	Doc:      "History and new rows meet in one target. If the backfill rounds, filters or computes otherwise than the view, the target holds two kinds of numbers.",
	Severity: Error,
	Script:   checkBackfillDiffers,
}

func checkBackfillDiffers(s *Script) []ScriptFinding {
	var out []ScriptFinding
	for _, l := range s.loads() {
		what, evidence := l.difference()
		if what == "" || s.anotherFits(l) {
			continue
		}
		f := one(
			sentence("The load into %s is not the query of %s: %s.", l.st.name, l.view.def.Name, what),
			evidence, sentence("Load with the view's own SELECT and nothing added but a cut-off: %s", shorten(l.view.def.Select)))
		out = append(out, ScriptFinding{l.view, f[0]})
	}
	return out
}

// anotherFits tells whether the load is the query of another view with the
// same source and target.
func (s *Script) anotherFits(l load) bool {
	for _, other := range s.loads() {
		if other.st == l.st && other.view != l.view {
			if what, _ := other.difference(); what == "" {
				return true
			}
		}
	}
	return false
}

// difference says in what a load is not the view's query.
func (l load) difference() (what, evidence string) {
	computed := l.st.computed(l.view.target)
	names := make([]string, 0, len(computed))
	for n := range computed {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		o := l.view.output(n)
		if o == nil || sameMeaning(computed[n], o.expr) {
			continue
		}
		return sentence("%s is %s there and %s in the view", n, computed[n].String(), o.expr.String()), l.st.short()
	}
	for _, c := range l.view.flat.filters {
		if !isCut(c) && !holds(l.st.flat.filters, c) {
			return sentence("the view takes only rows with %s", c.String()), l.st.short()
		}
	}
	for _, c := range l.st.flat.filters {
		if !isCut(c) && !holds(l.view.flat.filters, c) {
			return sentence("only the load takes rows with %s", c.String()), l.st.short()
		}
	}
	return "", ""
}

// sameMeaning compares expressions, and a value with the state made of it alone.
func sameMeaning(a, b *Expr) bool {
	return a.String() == b.String() || a.constant() && b.constant() && constantText(a) == constantText(b)
}

// isCut tells whether a condition cuts a range or a part off rather than
// choosing kinds of rows.
func isCut(c *Expr) bool {
	if isBound(c) || c.any(func(x *Expr) bool { return x.kind == subqueryExpr }) {
		return true
	}
	if c.isCall("equals", "in") && len(c.args) == 2 {
		for _, a := range c.args {
			if bucketOf(a).base != nil || a.kind == columnExpr && (nameSays(a.name, []string{"date", "day", "month", "partition", "hour"}) || a.name == "_partition_id") {
				return true
			}
		}
	}
	return c.isCall("or") && isCut(c.args[0])
}

func holds(list []*Expr, c *Expr) bool {
	for _, x := range list {
		if x.String() == c.String() {
			return true
		}
	}
	return false
}
