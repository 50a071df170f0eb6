package hazard

var aliasShadowsColumn = &Rule{
	Code:     "alias-shadows-column",
	Title:    "An alias takes the place of a source column",
	Doc:      "In ClickHouse an output's alias can be used anywhere in the same SELECT, and it wins over a column of that name. Another expression that means the column gets the alias's value.",
	Severity: Error,
	View:     checkAliasShadows,
}

func checkAliasShadows(v *View) []Finding {
	if v.query.settings["prefer_column_name_to_alias"] == "1" || v.flat.inner != nil {
		return nil
	}
	for _, e := range v.query.items {
		if e.alias == "" || v.source.column(e.alias) == nil || isColumnOf(e, e.alias) || keepsValue(e) {
			continue
		}
		if user := v.usesAlias(e); user != nil {
			return one(
				sentence("%s uses %s, which %s also computes: %s sees %s instead of the column of %s.", user.String(), e.alias, v.def.Name, user.String(), unnamed(e).String(), v.source.Name),
				sentence("%s AS %s; column %s of %s", unnamed(e).String(), e.alias, e.alias, v.source.full()),
				sentence("Give the alias another name, or write %s.%s where the column is meant.", v.source.Name, e.alias))
		}
	}
	return nil
}

func unnamed(e *Expr) *Expr { return e.named("") }

// isColumnOf tells whether an output is the column itself.
func isColumnOf(e *Expr, name string) bool {
	return e.kind == columnExpr && e.parts[len(e.parts)-1] == name
}

// keepsValue tells whether the alias holds the column's value in another dress,
// so that it hardly matters which of the two is meant.
func keepsValue(e *Expr) bool {
	return e.isCall("ifNull", "coalesce", "assumeNotNull", "toNullable") && len(e.args) > 0 && isColumnOf(e.args[0], e.alias)
}

// usesAlias finds another expression that uses the name unqualified.
func (v *View) usesAlias(shadow *Expr) *Expr {
	others := []*Expr{v.query.where, v.query.prewhere, v.query.having}
	for _, e := range v.query.items {
		if e != shadow {
			others = append(others, e)
		}
	}
	for _, e := range v.query.with {
		others = append(others, e)
	}
	for _, e := range others {
		if e.any(func(x *Expr) bool { return x.kind == columnExpr && x.name == shadow.alias }) {
			return unnamed(e)
		}
	}
	for _, g := range v.query.group {
		if g.kind != columnExpr && g.any(func(x *Expr) bool { return x.kind == columnExpr && x.name == shadow.alias }) && unnamed(g).String() != unnamed(shadow).String() {
			return unnamed(g)
		}
	}
	return nil
}
