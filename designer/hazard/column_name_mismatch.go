package hazard

var columnNameMismatch = &Rule{
	Code:     "column-name-mismatch",
	Title:    "A view output has no column in the target",
	Doc:      "Outputs reach the target by name. Older servers drop an output that no column is named after, newer ones refuse the view.",
	Severity: Error,
	Hides:    []string{"target-column-not-filled"},
	View: func(v *View) []Finding {
		if v.implicit() {
			return nil
		}
		return homeless(v, "Name the output after the column it is meant for, or add the column.")
	},
}

// homeless finds an output that the target has no column for.
func homeless(v *View, repair string) []Finding {
	if v.target == nil || len(v.target.Columns) == 0 || v.target.is("Distributed", "Null") {
		return nil
	}
	for _, o := range v.outputs {
		if v.target.column(o.name) == nil && o.expr.kind != starExpr && v.source != nil {
			return one(
				sentence("%s computes %s, but %s has no such column: the value is lost.", v.def.Name, o.name, v.targetLabel()),
				sentence("output %s; %s has %s", o.shown(), v.target.full(), list(columnNames(v.target))), repair)
		}
	}
	return nil
}
