package hazard

import "strings"

var defaultPoisonsAggregate = &Rule{
	Code:     "default-poisons-aggregate",
	Title:    "A default takes part in a minimum",
	Doc:      "Columns that a view does not fill hold their type's default, and the merge treats it as a value: min() becomes 0, any() becomes empty.",
	Severity: Error,
	View:     checkPoison,
}

func checkPoison(v *View) []Finding {
	if v.target == nil || !v.incremental() {
		return nil
	}
	for _, c := range v.target.Columns {
		if !v.poisoned(&c) {
			continue
		}
		f, _ := simpleFunction(c.Type)
		return one(
			sentence("%s does not fill %s, so each of its rows brings the default into %s(%s).", v.def.Name, c.Name, f, c.Name),
			sentence("column %s %s of %s; other views fill it", c.Name, c.Type, v.target.full()),
			sentence("Declare it Nullable inside: SimpleAggregateFunction(%s, Nullable(%s)), and let this view write NULL.", f, plainType(c.Type)))
	}
	return nil
}

// poisoned tells whether the view brings a default into a column that another
// view aggregates real values in.
func (v *View) poisoned(c *Column) bool {
	f, typ := simpleFunction(c.Type)
	if f == "" || isNullable(c.Type) || c.Default != "" || !poisonable(f, typ) {
		return false
	}
	if o := v.output(c.Name); o != nil && !o.expr.isDefault() {
		return false
	}
	for _, w := range v.siblings {
		if o := w.output(c.Name); w.err == nil && o != nil && !o.expr.isDefault() {
			return true
		}
	}
	return false
}

// poisonable tells whether the type's default can win in this function.
func poisonable(f, typ string) bool {
	if strings.HasPrefix(f, "max") || f == "groupBitOr" {
		t := plainType(typ)
		return isNumeric(t) && !isUnsigned(t)
	}
	return f != "sum" && f != "sumWithOverflow" && !strings.Contains(f, "Array")
}

// isDefault tells whether an expression is 0, ” or the like.
func (e *Expr) isDefault() bool {
	if e.isCall("min", "max", "any", "anyLast", "toDateTime", "toDate", "CAST", "toUInt64", "toUInt32", "toFloat64", "toInt64", "toDecimal64") && len(e.args) > 0 {
		return e.args[0].isDefault()
	}
	return e.kind == literalExpr && strings.Trim(e.name, "0.-: ") == "" && !e.isNull()
}
