package hazard

import "strings"

var partialFunctionInMV = &Rule{
	Code:     "partial-function-in-mv",
	Title:    "A conversion that can throw",
	Doc:      "A conversion of free text throws on text that does not fit. The insert then gives an error although the source has stored the row, and the view has lost the block.",
	Severity: Error,
	View:     checkPartial,
}

func checkPartial(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	exprs := append([]*Expr{}, v.flat.filters...)
	exprs = append(exprs, v.group()...)
	for _, o := range v.outputs {
		exprs = append(exprs, o.expr)
	}
	for _, e := range exprs {
		if x := v.throws(e); x != nil {
			return one(
				sentence("%s in %s throws on text that does not fit; the source keeps the row and %s misses the block.", x.String(), v.def.Name, v.targetLabel()),
				sentence("%s; %s is %s", x.String(), x.args[0].String(), v.typeOf(x.args[0])),
				sentence("Use %sOrNull or %sOrZero and count what does not fit.", x.name, x.name))
		}
	}
	return nil
}

// throws finds a throwing conversion of text.
func (v *View) throws(e *Expr) *Expr {
	var found *Expr
	e.walk(func(x *Expr) {
		if found == nil && x.kind == callExpr && len(x.args) > 0 && converting(x) && isText(v.typeOf(x.args[0])) && len(x.args[0].columns()) > 0 {
			found = x
		}
	})
	return found
}

// converting tells whether a call parses text and throws where it cannot.
func converting(x *Expr) bool {
	if x.name == "CAST" {
		if len(x.args) < 2 {
			return false
		}
		to := plainType(x.args[1].name)
		return isNumeric(to) || isTime(to) || to == "UUID" || strings.HasPrefix(to, "IPv") || strings.HasPrefix(to, "Enum")
	}
	for _, safe := range []string{"OrNull", "OrZero", "OrDefault"} {
		if strings.HasSuffix(x.name, safe) {
			return false
		}
	}
	for _, p := range []string{"toUInt", "toInt", "toFloat", "toDecimal", "parseDateTime"} {
		if strings.HasPrefix(x.name, p) && !strings.HasPrefix(x.name, "toInterval") {
			return true
		}
	}
	return x.isCall("toDate", "toDate32", "toDateTime", "toDateTime64", "toUUID", "toIPv4", "toIPv6", "accurateCast")
}
