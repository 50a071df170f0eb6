package hazard

var nullCoverageLost = &Rule{
	Code:     "null-coverage-lost",
	Title:    "Missing values count as zero",
	Doc:      "The sum of a value that is often missing says nothing without a count of the rows that had it: an average over all rows is too small, and a group without any value reads as zero.",
	Severity: Error,
	Reading:  checkCoverage,
}

func checkCoverage(r *Reading) []Finding {
	for _, s := range r.scopes {
		if s.flat == nil || s.table == nil {
			continue
		}
		for _, v := range s.views {
			for _, e := range s.flat.outputs {
				if f := v.coverage(e); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// coverage finds a read of an optional metric that nothing counts.
func (v *View) coverage(e *Expr) []Finding {
	for _, a := range aggregates(e) {
		if a.arg() == nil {
			continue
		}
		for _, col := range a.arg().columns() {
			o := v.output(col)
			if o == nil {
				continue
			}
			optional := v.optional(o)
			if optional == "" || v.countsValues(optional) {
				continue
			}
			c := v.target.column(col)
			divided := v.dividedByRows(e, col)
			if !divided && (c == nil || isNullable(c.Type) || isState(c.Type)) {
				continue
			}
			return one(
				sentence("The query reads %s, a sum of %s, which can be NULL; nothing in %s counts the rows that have it.", col, optional, v.targetLabel()),
				sentence("%s in %s; %s is %s", o.shown(), v.full(), optional, v.columnType(optional)),
				sentence("Keep count(%s) beside the sum; divide by it, and show NULL where it is 0.", optional))
		}
	}
	return nil
}

// optional names the Nullable column that an output sums.
func (v *View) optional(o *Output) string {
	for _, a := range aggregates(o.expr) {
		if a.base != "sum" || a.arg() == nil {
			continue
		}
		for _, c := range a.arg().columns() {
			if isNullable(v.columnType(c)) {
				return c
			}
		}
	}
	return ""
}

// countsValues tells whether the view counts the rows that have the value.
func (v *View) countsValues(col string) bool {
	for _, a := range v.aggs() {
		if a.base == "count" && contains(a.call.columns(), col) || a.base == "avg" && contains(a.call.columns(), col) {
			return true
		}
		if a.base == "sum" && a.arg().any(func(x *Expr) bool { return x.isCall("isNotNull", "isNull") && contains(x.columns(), col) }) {
			return true
		}
	}
	return false
}

// dividedByRows tells whether a column is divided by the count of all rows.
func (v *View) dividedByRows(e *Expr, col string) bool {
	return e.any(func(x *Expr) bool {
		if !x.isCall("divide") || !contains(x.args[0].columns(), col) {
			return false
		}
		for _, c := range x.args[1].columns() {
			if o := v.output(c); o != nil {
				if a, ok := aggregate(o.expr); ok && a.base == "count" && a.arg() == nil {
					return true
				}
			}
		}
		return false
	})
}
