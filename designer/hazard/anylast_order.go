package hazard

import "strings"

var anyLastOrder = &Rule{
	Code:     "anylast-order",
	Title:    "\"Last\" is whatever was read last",
	Doc:      "any and anyLast take values in the order in which blocks and parts happen to be read, not in the order of time. The latest value needs argMax.",
	Severity: Error,
	View:     checkAnyLast,
}

func checkAnyLast(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	for i := range v.outputs {
		o := &v.outputs[i]
		for _, a := range aggregates(o.expr) {
			if !a.isAny() || a.has("Merge") || !a.isLastSeen() && !meansLatest(o.name) && !v.anyOfChanging(a) {
				continue
			}
			return one(
				sentence("%s takes %s for the latest %s; which row comes last is up to inserts and merges.", v.def.Name, a.call.String(), o.name),
				sentence("output %s", o.shown()),
				sentence("Use argMax(%s, <time or version>), as argMaxState in the view and argMaxMerge when reading.", a.arg().String()))
		}
		if f := v.simpleAnyLast(o); f != nil {
			return f
		}
	}
	return nil
}

// simpleAnyLast finds a plain value in a column that keeps the last one seen.
func (v *View) simpleAnyLast(o *Output) []Finding {
	c := v.target.column(o.name)
	if c == nil || hasAggregate(o.expr) || o.expr.constant() {
		return nil
	}
	f, _ := simpleFunction(c.Type)
	if !strings.HasPrefix(f, "anyLast") && !strings.HasPrefix(f, "last_value") {
		return nil
	}
	return one(
		sentence("%s of %s keeps whatever value a merge reads last.", o.name, v.targetLabel()),
		sentence("column %s %s", o.name, c.Type),
		sentence("Declare %s as AggregateFunction(argMax, …) and fill it with argMaxState(%s, <time or version>).", o.name, o.expr.String()))
}

// anyOfChanging tells whether any() takes one of several values that a thing
// has had.
func (v *View) anyOfChanging(a Agg) bool {
	arg := a.arg()
	return arg != nil && arg.kind == columnExpr && mayChange(arg.name) && !v.changes()
}

// meansLatest tells whether a name claims the newest value.
func meansLatest(name string) bool {
	return nameSays(name, []string{"last", "latest", "newest", "current", "recent", "now"})
}
