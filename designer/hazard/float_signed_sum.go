package hazard

var floatSignedSum = &Rule{
	Code:     "float-signed-sum",
	Title:    "Floats are added and taken off again",
	Doc:      "With floats a + x - x is not a. A total from which everything was cancelled keeps a residue, and comparisons with zero fail.",
	Severity: Error,
	View:     checkFloatSigned,
}

func checkFloatSigned(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	for _, o := range v.outputs {
		for _, a := range aggregates(o.expr) {
			if a.base != "sum" && a.base != "sumKahan" || a.has("Merge") || !v.negated(a) && !v.bothSides(a) || !isFloat(v.typeOf(a.arg())) {
				continue
			}
			return one(
				sentence("%s adds and takes off floats (%s): cancelled values leave a residue.", v.def.Name, a.call.String()),
				sentence("output %s; %s is %s", o.shown(), a.arg().String(), v.typeOf(a.arg())),
				"Keep the value as Decimal or as integer of the smallest unit: sum(toDecimal64(x, 4) * sign).")
		}
	}
	return nil
}

// negated tells whether the argument takes values off: it is multiplied by a
// sign, or turned round by a condition.
func (v *View) negated(a Agg) bool {
	arg := a.arg()
	for _, col := range v.signs() {
		if contains(arg.columns(), col) && arg.kind == callExpr {
			return true
		}
	}
	turns := func(x *Expr) bool {
		return x.isCall("if", "multiIf") && x.any(func(y *Expr) bool { return y.isCall("negate") || y.kind == literalExpr && y.name == "-1" })
	}
	return arg.any(turns)
}
