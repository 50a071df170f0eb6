package hazard

var narrowSumType = &Rule{
	Code:     "narrow-sum-type",
	Title:    "A sum is kept in a type too small for it",
	Doc:      "SummingMergeTree adds in the column's own type and wraps round in silence. A sum needs the type that sum() returns: 64 bits, Decimal(38, s), Float64.",
	Severity: Error,
	View:     checkNarrowSum,
}

func checkNarrowSum(v *View) []Finding {
	if !v.target.adds() {
		return nil
	}
	var out []Finding
	for i := range v.outputs {
		o := &v.outputs[i]
		c := v.target.column(o.name)
		how, _ := v.target.merges(o.name)
		if c == nil || how != mergesSum || !narrow(c.Type) {
			continue
		}
		if v.aggregated() && !addsUp(o.expr) {
			continue
		}
		out = append(out, Finding{
			Text:     sentence("%s of %s is added up as %s and wraps round or loses digits when the sum outgrows it.", o.name, v.targetLabel(), plainType(c.Type)),
			Evidence: sentence("%s; column %s %s filled by %s", v.target.declared(), o.name, c.Type, o.expr.String()),
			Repair:   sentence("Declare %s as %s.", o.name, wide(c.Type)),
		})
	}
	return out
}

// wide names the type that a sum of such values needs.
func wide(typ string) string {
	switch t := plainType(typ); {
	case isFloat(t):
		return "Float64"
	case isUnsigned(t):
		return "UInt64"
	case isInteger(t):
		return "Int64"
	}
	return "Decimal(38, s)"
}
