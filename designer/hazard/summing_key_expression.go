package hazard

var summingKeyExpression = &Rule{
	Code:     "summing-key-expression",
	Title:    "A column that stands in the key only inside an expression",
	Doc:      "Servers before 25.4 add up a numeric column of SummingMergeTree that the sorting key uses only inside an expression.",
	Severity: Error,
	View:     checkKeyExpression,
}

func checkKeyExpression(v *View) []Finding {
	t := v.target
	if !t.summing() || len(t.Engine.args) > 0 {
		return nil
	}
	for _, k := range t.Engine.orderBy {
		if k.kind == columnExpr {
			continue
		}
		for _, name := range k.columns() {
			c := t.column(name)
			if c == nil || !isNumeric(c.Type) || t.bareKey(name) {
				continue
			}
			f := Finding{
				Text:     sentence("%s stands in the sorting key of %s only inside %s: servers before 25.4 add it up.", name, v.targetLabel(), k.String()),
				Evidence: t.declared(),
				Repair:   sentence("ORDER BY %s itself, or name the summed columns in the engine.", name),
			}
			if !v.cat.olderThan(25, 4) {
				f.Severity = Info
			}
			return []Finding{f}
		}
	}
	return nil
}

// bareKey tells whether a column is an entry of the sorting key by itself.
func (t *Table) bareKey(name string) bool {
	for _, k := range t.Engine.orderBy {
		if k.kind == columnExpr && k.name == name {
			return true
		}
	}
	return false
}
