package hazard

var unsignedDelta = &Rule{
	Code:     "unsigned-delta",
	Title:    "A sum that can be negative is kept unsigned",
	Doc:      "A cancel or a negative change makes a part of a signed sum negative. In an unsigned column it becomes a huge number.",
	Severity: Error,
	Hides:    []string{"narrow-sum-type"},
	View:     checkUnsignedDelta,
}

func checkUnsignedDelta(v *View) []Finding {
	for i := range v.outputs {
		o := &v.outputs[i]
		c := v.target.column(o.name)
		if c == nil || !isUnsigned(c.Type) || contains(v.target.keyColumns(), o.name) || !isInteger(o.typ) || isUnsigned(o.typ) {
			continue
		}
		how, _ := v.target.merges(o.name)
		if !addsUp(o.expr) && !(how == mergesSum && v.mirror()) {
			continue
		}
		return one(
			sentence("%s can be negative (%s), but %s keeps it as %s: a negative part turns into a huge number.", o.name, o.expr.String(), v.targetLabel(), plainType(c.Type)),
			sentence("column %s %s of %s; the view computes %s", o.name, c.Type, v.target.full(), o.typ),
			sentence("Declare %s as Int64.", o.name))
	}
	return nil
}
