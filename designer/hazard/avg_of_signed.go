package hazard

var avgOfSigned = &Rule{
	Code:     "avg-of-signed",
	Title:    "An average of signed values",
	Doc:      "avg(x * sign) divides by the number of rows, cancels included. The average of what is left is sum(x * sign) / sum(sign).",
	Severity: Error,
	Hides:    []string{"sign-ignored", "ledger-cancel-mismatch", "signed-sum-needs-exactly-once", "mv-over-replacing", "avg-in-summing"},
	View:     checkAvgOfSigned,
}

func checkAvgOfSigned(v *View) []Finding {
	for _, o := range v.outputs {
		for _, a := range aggregates(o.expr) {
			if a.base == "avg" && a.arg() != nil && v.negated(a) {
				return one(
					sentence("%s divides by all rows, cancels included: %s.", v.def.Name, a.call.String()),
					sentence("output %s; %s", o.shown(), v.source.declared()),
					"Keep sum(x * sign) and sum(sign), and divide them when reading.")
			}
		}
	}
	return nil
}
