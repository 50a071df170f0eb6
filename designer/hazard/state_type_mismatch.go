package hazard

import "strings"

var stateTypeMismatch = &Rule{
	Code:     "state-type-mismatch",
	Title:    "The state is of another type than the column",
	Doc:      "An AggregateFunction column takes states of exactly its function and argument types. Another state is refused, or read as something else by older servers.",
	Severity: Error,
	View:     checkStateType,
}

func checkStateType(v *View) []Finding {
	for _, o := range v.outputs {
		c := v.target.column(o.name)
		if c == nil || !isState(c.Type) {
			continue
		}
		want, got := sameState(c.Type), sameState(v.stateType(&o))
		if got == "" || got == want {
			continue
		}
		return one(
			sentence("%s fills %s with %s, but the column is %s.", v.def.Name, o.name, v.stateType(&o), c.Type),
			sentence("output %s", o.shown()),
			"Cast the argument to the column's type, or declare the column with the argument's.")
	}
	return nil
}

// stateType is the type of an output as the server tells it, or as the call
// makes it where argument types are known.
func (v *View) stateType(o *Output) string {
	if o.typ != "" {
		return o.typ
	}
	a, ok := aggregate(o.expr)
	if !ok || !a.has("State") || a.has("Merge") || len(a.combos) > 1 {
		return ""
	}
	parts := []string{a.base}
	if len(a.call.params) > 0 {
		parts[0] += "(" + printList(a.call.params) + ")"
	}
	for _, x := range a.call.args {
		t := v.typeOf(x)
		if t == "" {
			return ""
		}
		parts = append(parts, t)
	}
	return "AggregateFunction(" + strings.Join(parts, ", ") + ")"
}

// sameState brings types to a form in which equal states print equally.
func sameState(typ string) string {
	for {
		i := strings.Index(typ, "LowCardinality(")
		if i < 0 {
			break
		}
		depth, j := 0, i+len("LowCardinality")
		for ; j < len(typ); j++ {
			if typ[j] == '(' {
				depth++
			} else if typ[j] == ')' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if j >= len(typ) {
			break
		}
		typ = typ[:i] + typ[i+len("LowCardinality("):j] + typ[j+1:]
	}
	return strings.ReplaceAll(typ, " ", "")
}
