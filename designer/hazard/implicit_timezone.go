package hazard

import "strings"

var implicitTimezone = &Rule{
	Code:     "implicit-timezone",
	Title:    "The day begins where somebody happens to be",
	Doc:      "Rounding a time without a zone in the call or in the type uses the zone of the session that inserts or that created the table. The same event falls into different days.",
	Severity: Error,
	View:     checkZone,
}

func checkZone(v *View) []Finding {
	found := v.zoneless()
	if found == nil {
		return nil
	}
	return one(
		sentence("%s rounds %s without naming a zone: the bucket depends on the session's zone.", v.def.Name, found.base.String()),
		sentence("%s; %s is %s", found.call.String(), found.base.String(), orUnknown(v.typeOf(found.base))),
		sentence("Name the zone: %s.", withZone(found)))
}

// zoneless finds a bucket of an hour or longer whose zone is nowhere named.
func (v *View) zoneless() *bucket {
	exprs := append([]*Expr{}, v.group()...)
	for _, o := range v.outputs {
		exprs = append(exprs, o.expr)
	}
	for _, e := range exprs {
		var found *bucket
		e.walk(func(x *Expr) {
			if b := bucketOf(x); found == nil && v.needsZone(b) {
				found = &b
			}
		})
		if found != nil {
			return found
		}
	}
	return nil
}

// needsZone tells whether the bucket's edges depend on a zone that nothing
// names. All zones are whole quarters of an hour apart.
func (v *View) needsZone(b bucket) bool {
	if b.base == nil || b.zone != "" || b.seconds() <= 900 || b.base.constant() {
		return false
	}
	typ := v.typeOf(b.base)
	if b.call.isCall("toDate", "toDate32") && len(plainType(typ)) >= len("Int32") && isInteger(typ) {
		return true // seconds since 1970, dated in the session's zone
	}
	if _, ok := zoneOf(typ); ok || !isDateTime(typ) {
		return false
	}
	return b.seconds() > 3600 || b.base.kind == callExpr && !strings.HasPrefix(b.base.name, "toStartOf")
}

func orUnknown(s string) string {
	if s == "" {
		return "of a type without a zone"
	}
	return s
}

// withZone gives the call with a zone added.
func withZone(b *bucket) string {
	c := *b.call
	c.args = append(append([]*Expr{}, c.args...), &Expr{kind: literalExpr, text: true, name: "UTC"})
	if c.name == "toStartOfWeek" && len(c.args) == 2 {
		c.args = []*Expr{c.args[0], {kind: literalExpr, name: "1"}, c.args[1]}
	}
	return c.String()
}
