package hazard

var summingZeroRowDropped = &Rule{
	Code:     "summing-zero-row-dropped",
	Title:    "A group vanishes when its sums are zero",
	Doc:      "SummingMergeTree drops a row whose summed columns are all zero. Where they can all be zero while the group still has rows, the group is missing from the answer.",
	Severity: Error,
	View:     checkZeroRow,
}

func checkZeroRow(v *View) []Finding {
	if !v.target.summing() || !v.incremental() || len(v.siblings) > 0 {
		return nil
	}
	var sums []string
	for i := range v.outputs {
		o := &v.outputs[i]
		how, _ := v.target.merges(o.name)
		if how != mergesSum && how != mergesState && how != mergesOther {
			continue
		}
		if how != mergesSum || !v.mayBeZero(o) {
			return nil
		}
		sums = append(sums, o.name)
	}
	if len(sums) == 0 {
		return nil
	}
	return one(
		sentence("All that %s sums (%s) can be zero at once; it then drops the group, though the group has rows.", v.targetLabel(), list(sums)),
		v.target.declared(),
		"Keep a row count beside them, count() or sum(sign), so that a group with rows is never all zero; or use AggregatingMergeTree with SimpleAggregateFunction(sum, …).")
}

// mayBeZero tells whether an output is zero for rows that are there: a count of
// some of them, or a sum that takes off.
func (v *View) mayBeZero(o *Output) bool {
	aggs := aggregates(o.expr)
	if len(aggs) == 0 {
		return v.mirror() && v.negatedColumn(o.expr)
	}
	for _, a := range aggs {
		arg := a.arg()
		switch {
		case a.has("If") && a.base == "count" && v.bothSides(a):
			return false
		case a.has("If"):
		case arg == nil || arg.kind == literalExpr:
			return false
		case v.countsSigns(arg):
			return false
		case v.negated(a), isTest(arg), v.negatedColumn(arg):
		default:
			return false
		}
	}
	return true
}

// countsSigns tells whether an argument is made of signs and flags alone, so
// that its sum counts the rows that are left.
func (v *View) countsSigns(arg *Expr) bool {
	cols := arg.columns()
	for _, c := range cols {
		if !contains(v.signs(), c) {
			return false
		}
	}
	return len(cols) > 0
}

// bothSides tells whether the rows that the count leaves out are counted beside it.
func (v *View) bothSides(a Agg) bool {
	for _, col := range v.signs() {
		if v.otherSide(a, col) {
			return true
		}
	}
	return false
}

// isTest tells whether an expression is 0 or 1 by a condition.
func isTest(e *Expr) bool {
	return e.isCall("equals", "notEquals", "less", "greater", "lessOrEquals", "greaterOrEquals", "and", "or", "in", "notIn", "like", "if", "multiIf", "not")
}

// deltaWords are the parts of names of signed changes.
var deltaWords = []string{"delta", "diff", "change", "net", "adjustment", "movement", "balance"}

// negatedColumn tells whether the expression is a signed change by name and type.
func (v *View) negatedColumn(e *Expr) bool {
	if e.kind != columnExpr || !nameSays(e.name, deltaWords) {
		return false
	}
	t := v.columnType(e.name)
	return t != "" && isNumeric(t) && !isUnsigned(t)
}
