package hazard

var targetColumnNotFilled = &Rule{
	Code:     "target-column-not-filled",
	Title:    "No view fills a column of the target",
	Doc:      "A view's outputs reach the target by name. A column that no output is named after gets its type's default, 0, '' or 1970-01-01, without a word.",
	Severity: Error,
	View:     checkNotFilled,
}

func checkNotFilled(v *View) []Finding {
	if v.target == nil || v.implicit() || v.target.is("Null") {
		return nil
	}
	var lost, optional []string
	for _, c := range v.target.Columns {
		if c.DefaultKind != "" || v.output(c.Name) != nil || v.filledElsewhere(&c) || v.ttlUses(c.Name) {
			continue
		}
		if isNullable(c.Type) && !contains(v.target.keyColumns(), c.Name) {
			optional = append(optional, c.Name)
			continue
		}
		lost = append(lost, c.Name)
	}
	f := Finding{
		Evidence: sentence("%s has columns %s; %s outputs %s", v.target.full(), list(columnNames(v.target)), v.full(), list(outputNames(v))),
	}
	switch {
	case len(lost) > 0:
		f.Text = sentence("%s fills no %s of %s: it holds the type's default in every row.", v.def.Name, list(lost), v.target.Name)
		f.Repair = sentence("Name an output after %s, give it a DEFAULT, or drop it.", list(lost))
	case len(optional) > 0:
		f.Severity = Warning
		f.Text = sentence("%s fills no %s of %s: it is NULL in every row.", v.def.Name, list(optional), v.target.Name)
		f.Repair = sentence("Name an output after %s, or drop it.", list(optional))
	default:
		return nil
	}
	return []Finding{f}
}

// filledElsewhere tells whether another view feeds the column and the default
// that this one leaves there does no harm.
func (v *View) filledElsewhere(c *Column) bool {
	for _, w := range v.siblings {
		if w.err != nil || w.output(c.Name) == nil {
			continue
		}
		if contains(v.target.keyColumns(), c.Name) {
			return false
		}
		return true
	}
	return false
}

// ttlUses tells whether the target's TTL depends on the column.
func (v *View) ttlUses(col string) bool {
	for _, e := range v.target.Engine.ttl {
		if contains(e.columns(), col) {
			return true
		}
	}
	return false
}

func columnNames(t *Table) []string {
	var out []string
	for _, c := range t.Columns {
		out = append(out, c.Name)
	}
	return out
}
