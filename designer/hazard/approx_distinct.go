package hazard

import "strings"

var approxDistinct = &Rule{
	Code:     "approx-distinct",
	Title:    "A distinct count is an estimate",
	Doc:      "uniq, uniqCombined and uniqHLL12 estimate: right for small sets, off by a percent or more for large ones. Where a number is billed or compared, use uniqExact. A name that says so (approx, estimate) accepts it.",
	Severity: Error,
	View:     checkApprox,
}

func checkApprox(v *View) []Finding {
	for i := range v.outputs {
		o := &v.outputs[i]
		for _, a := range aggregates(o.expr) {
			if !a.isApproximateDistinct() || a.has("Merge") || v.saysApproximate(o.name) {
				continue
			}
			return one(
				sentence("%s estimates %s with %s; it is not the number of distinct values.", v.def.Name, o.name, a.base),
				sentence("output %s", o.shown()),
				sentence("Use uniqExact%s, or name the column so that readers know it for an estimate (%s_approx).", strings.Join(a.combos, ""), o.name))
		}
	}
	return nil
}

// saysApproximate tells whether the column's name or comment owns up to an estimate.
func (v *View) saysApproximate(name string) bool {
	text := name
	if c := v.target.column(name); c != nil {
		text += " " + c.Comment
	}
	if v.target != nil {
		text += " " + v.target.Comment
	}
	text = strings.ToLower(text)
	for _, w := range []string{"approx", "estimat", "sketch", "rough", "hll"} {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
