package hazard

var signIgnored = &Rule{
	Code:     "sign-ignored",
	Title:    "A collapsing source is aggregated without its sign",
	Doc:      "A CollapsingMergeTree source tells states (+1) from cancels (-1) by its sign. A view that does not multiply by the sign counts the cancel rows as data.",
	Severity: Error,
	Hides:    []string{"non-invertible-under-deletes", "signed-sum-needs-exactly-once", "ledger-cancel-mismatch", "summing-zero-row-dropped", "target-column-not-filled"},
	View:     checkSignIgnored,
}

func checkSignIgnored(v *View) []Finding {
	sign := v.source.signColumn()
	if sign == "" || !v.incremental() && v.flat.final || v.groupsBy(sign) && !v.filters(sign) {
		return nil
	}
	if v.mirror() {
		return v.signDropped(sign)
	}
	for _, a := range v.adding() {
		if weighs(a, sign) || v.otherSide(a, sign) || a.has("Merge") {
			continue
		}
		return one(
			sentence("%s computes %s without the sign: cancel rows of %s count as data.", v.def.Name, a.call.String(), v.source.Name),
			sentence("%s; %s does not appear in %s", v.source.declared(), sign, a.call.String()),
			sentence("Use sum(%s) for counts and sum(x * %s) for sums.", sign, sign),
		)
	}
	return nil
}

// signDropped finds a mirror that passes rows on but not their sign.
func (v *View) signDropped(sign string) []Finding {
	if v.carries(sign) || !v.source.collapsing() {
		return nil
	}
	return one(
		sentence("%s passes rows of %s on without %s: states and cancels can no longer be told apart.", v.def.Name, v.source.Name, sign),
		sentence("%s; no output of %s reads %s", v.source.declared(), v.full(), sign),
		sentence("Carry %s into the target and give the target the source's engine.", sign),
	)
}
