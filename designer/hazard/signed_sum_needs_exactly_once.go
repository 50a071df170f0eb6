package hazard

var signedSumNeedsExactlyOnce = &Rule{
	Code:     "signed-sum-needs-exactly-once",
	Title:    "A signed sum counts every delivery",
	Doc:      "Sums weighted by a sign are right only if every state and every cancel arrives once. A retry of either is never balanced.",
	Severity: Error,
	View:     checkExactlyOnce,
}

func checkExactlyOnce(v *View) []Finding {
	flag, kind := v.ledger()
	if !v.incremental() || kind == noLedger || len(v.adding()) == 0 || v.feed != "" && v.feed != "at_least_once" {
		return nil
	}
	f := Finding{
		Text:     sentence("%s weighs rows by %s: a row that is delivered to %s twice is never balanced.", v.def.Name, flag, v.source.Name),
		Evidence: sentence("%s in %s", v.adding()[0].call.String(), v.full()),
		Repair:   "Make delivery exactly-once with a de-duplication window on source and target, or keep rows apart by version and aggregate at read.",
	}
	if v.feed == "" {
		f.Condition = sentence("rows can be delivered to %s more than once", v.source.Name)
	}
	return []Finding{f}
}
