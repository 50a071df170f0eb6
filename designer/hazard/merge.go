package hazard

// merging is what merges of a target do with a column's values.
type merging string

const (
	mergesKey   merging = "key"       // equal in all rows that meet
	mergesState merging = "state"     // AggregateFunction
	mergesSum   merging = "sum"       // added up
	mergesPick  merging = "pick"      // an arbitrary row's value stays
	mergesOther merging = "other"     // SimpleAggregateFunction of another kind
	mergesNever merging = "unchanged" // the engine adds nothing up
)

// merges tells what happens to a column of the table when rows meet, and for
// SimpleAggregateFunction by which function.
func (t *Table) merges(col string) (merging, string) {
	c := t.column(col)
	if !t.adds() || c == nil {
		return mergesNever, ""
	}
	if contains(t.keyColumns(), col) {
		return mergesKey, ""
	}
	if f, _ := stateFunction(c.Type); f != "" {
		return mergesState, f
	}
	if f, _ := simpleFunction(c.Type); f != "" {
		if f == "sum" || f == "sumWithOverflow" || f == "sumMap" {
			return mergesSum, f
		}
		return mergesOther, f
	}
	if contains(t.summed(), col) {
		return mergesSum, "sum"
	}
	if t.summing() && (isMapSum(c) || c.Type == "") {
		return mergesOther, "sumMap"
	}
	return mergesPick, ""
}

// isMapSum tells a nested structure that SummingMergeTree sums by its keys.
func isMapSum(c *Column) bool {
	for i := 0; i+3 < len(c.Name); i++ {
		if c.Name[i:i+4] == "Map." {
			return true
		}
	}
	return false
}

// addsUp tells whether an expression of aggregates may be added across groups:
// sums, and sums of them, times constants.
func addsUp(e *Expr) bool {
	if a, ok := aggregate(e); ok {
		return a.addsUp()
	}
	if e == nil || e.kind != callExpr || len(e.args) == 0 {
		return false
	}
	switch e.name {
	case "plus", "minus":
		return addsUp(e.args[0]) && addsUp(e.args[1])
	case "multiply":
		return addsUp(e.args[0]) && e.args[1].constant() || addsUp(e.args[1]) && e.args[0].constant()
	case "divide":
		return addsUp(e.args[0]) && e.args[1].constant()
	case "if":
		return false
	}
	return converts(e) && addsUp(e.args[0])
}

// converts tells whether a function only changes the type or replaces NULL.
func converts(e *Expr) bool {
	if e.isCall("CAST", "ifNull", "coalesce", "assumeNotNull", "negate", "round", "accurateCast", "toNullable", "reinterpret") {
		return true
	}
	for _, p := range []string{"toUInt", "toInt", "toFloat", "toDecimal"} {
		if len(e.name) > len(p) && e.name[:len(p)] == p {
			return true
		}
	}
	return false
}

// finished is the outermost aggregate of an expression that stands as a value,
// not as a state; ok is false where there is none.
func finished(e *Expr) (Agg, bool) {
	for _, a := range aggregates(e) {
		return a, !a.isState()
	}
	return Agg{}, false
}

// isDimension tells whether an output of an aggregating view is a GROUP BY key.
func (v *View) isDimension(o *Output) bool {
	return v.aggregated() && !hasAggregate(o.expr) && len(o.expr.columns()) > 0
}

// derived tells whether the target's key determines an output: it is computed
// from key columns, or a coarser bucket of a time that the key holds.
func (v *View) derived(o *Output) bool {
	keys := map[string]bool{}
	for _, k := range v.target.keyColumns() {
		if ko := v.output(k); ko != nil && ko.name != o.name {
			keys[ko.expr.String()] = true
			if b := bucketOf(ko.expr); b.base != nil {
				if ob := bucketOf(o.expr); ob.base != nil && ob.base.String() == b.base.String() && b.nests(ob) {
					return true
				}
			}
		}
	}
	return derivedFrom(o.expr, keys)
}

func derivedFrom(e *Expr, keys map[string]bool) bool {
	if keys[e.String()] || e.kind == literalExpr {
		return true
	}
	if e.kind != callExpr || len(e.args) == 0 {
		return false
	}
	for _, a := range e.args {
		if !derivedFrom(a, keys) {
			return false
		}
	}
	return true
}
