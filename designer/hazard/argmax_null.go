package hazard

import "strings"

var argMaxNull = &Rule{
	Code:     "argmax-null",
	Title:    "A cleared value comes back",
	Doc:      "argMax, argMin, any and anyLast skip NULLs. When the latest row has cleared a value, they answer with an older one.",
	Severity: Error,
	View:     checkArgMaxNull,
}

func checkArgMaxNull(v *View) []Finding {
	for _, o := range v.outputs {
		for _, a := range aggregates(o.expr) {
			if a.base != "argMax" && a.base != "argMin" && !a.isAny() || a.has("Merge") || strings.HasSuffix(a.base, "respect_nulls") {
				continue
			}
			if a.isAny() && !a.isLastSeen() && !v.changes() && !meansLatest(o.name) {
				continue
			}
			arg := a.arg()
			if arg == nil || arg.isNull() || !isNullable(v.typeOf(arg)) {
				continue
			}
			return one(
				sentence("%s skips NULL: when %s is cleared, %s keeps the value before.", a.call.String(), arg.String(), o.name),
				sentence("output %s; %s is %s", o.shown(), arg.String(), v.typeOf(arg)),
				sentence("Wrap the value in a tuple: %s.", wrapped(a)))
		}
	}
	return nil
}

// wrapped gives the call with its first argument in a tuple.
func wrapped(a Agg) string {
	c := *a.call
	c.args = append([]*Expr{call("tuple", a.call.args[0])}, a.call.args[1:]...)
	return c.String() + ".1"
}
