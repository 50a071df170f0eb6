package hazard

var ttlOnUnfilledColumn = &Rule{
	Code:     "ttl-on-unfilled-column",
	Title:    "The TTL counts from 1970",
	Doc:      "A TTL over a target column that the view does not fill sees the type's default, 1970-01-01, and deletes rows as soon as they arrive.",
	Severity: Error,
	View:     checkTTLUnfilled,
}

func checkTTLUnfilled(v *View) []Finding {
	if v.target == nil {
		return nil
	}
	for _, e := range v.target.Engine.ttl {
		for _, name := range e.columns() {
			c := v.target.column(name)
			if c == nil || c.DefaultKind != "" || v.output(name) != nil {
				continue
			}
			return one(
				sentence("The TTL of %s depends on %s, which %s does not fill: rows expire on arrival.", v.targetLabel(), name, v.def.Name),
				sentence("%s TTL %s; %s outputs %s", v.target.full(), e.String(), v.full(), list(outputNames(v))),
				sentence("Fill %s in the view, or write the TTL over a column that it fills.", name))
		}
	}
	return nil
}
