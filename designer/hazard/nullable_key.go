package hazard

var nullableKey = &Rule{
	Code:     "nullable-key",
	Title:    "A Nullable column in the sorting key",
	Doc:      "A Nullable column in a sorting key is refused unless the table sets allow_nullable_key; with it, rows whose key is NULL are one group like any other.",
	Severity: Error,
	View:     checkNullableKey,
}

func checkNullableKey(v *View) []Finding {
	if on(v.target.setting("allow_nullable_key")) {
		return nil
	}
	for _, k := range v.target.keyColumns() {
		if c := v.target.column(k); c != nil && isNullable(c.Type) {
			return one(
				sentence("%s in the sorting key of %s is %s: the server refuses the table.", k, v.targetLabel(), c.Type),
				v.target.declared(),
				sentence("Give missing values a value of their own, ifNull(%s, …), or set allow_nullable_key = 1.", k))
		}
	}
	return nil
}
