package hazard

var nullableIntoNotNull = &Rule{
	Code:     "nullable-into-not-null",
	Title:    "NULL meets a column that cannot hold it",
	Doc:      "A Nullable output into a column that is not Nullable turns NULL into 0, '' or 1970-01-01, or makes the insert fail.",
	Severity: Error,
	View:     checkNullableOutput,
}

func checkNullableOutput(v *View) []Finding {
	for _, o := range v.outputs {
		c := v.target.column(o.name)
		if c == nil || !isNullable(o.typ) || isNullable(c.Type) || c.Type == "" || isState(c.Type) {
			continue
		}
		return one(
			sentence("%s is %s in %s, but %s of %s cannot hold NULL.", o.name, o.typ, v.def.Name, o.name, v.targetLabel()),
			sentence("column %s %s; the view computes %s", o.name, c.Type, o.typ),
			sentence("Make the column Nullable(%s), or say what NULL means: ifNull(…, …).", plainType(c.Type)))
	}
	return nil
}

func isState(typ string) bool {
	f, _ := stateFunction(typ)
	return f != ""
}
