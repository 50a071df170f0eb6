package hazard

var nullableKey = &Rule{
	Code:     "nullable-key",
	Title:    "A Nullable column in the sorting key",
	Doc:      "NULL in a sorting key needs allow_nullable_key, and rows whose key is NULL are one group for merges whatever they meant.",
	Severity: Error,
	View:     checkNullableKey,
}

func checkNullableKey(v *View) []Finding {
	if v.target.is("MergeTree") {
		return nil
	}
	for _, k := range v.target.keyColumns() {
		if c := v.target.column(k); c != nil && isNullable(c.Type) {
			return one(
				sentence("%s in the sorting key of %s is %s.", k, v.targetLabel(), c.Type),
				v.target.declared(),
				sentence("Give missing values a value of their own: ifNull(%s, …).", k))
		}
	}
	return nil
}
