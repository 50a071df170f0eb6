package hazard

var ledgerWithoutCancelRows = &Rule{
	Code:     "ledger-without-cancel-rows",
	Title:    "Replaced versions are never taken off",
	Doc:      "A ledger subtracts what delete rows hold. It is right only if a cancel row with the old values arrives before every change. A feed that sends only the new version leaves the old one in the total.",
	Severity: Error,
	Hides:    []string{"ledger-cancel-mismatch", "signed-sum-needs-exactly-once"},
	View:     checkLedgerCancels,
}

func checkLedgerCancels(v *View) []Finding {
	if !v.incremental() || !v.source.replacing() || v.feed == "append" || v.feed == "ledger" || len(v.adding()) == 0 {
		return nil
	}
	flag, kind := v.ledger()
	if kind == noLedger {
		return nil
	}
	f := Finding{
		Text:     sentence("%s takes off what rows with %s hold; a change of %s that brings only the new version leaves the old one in the total.", v.def.Name, flag, v.source.Name),
		Evidence: sentence("%s; %s in %s", v.source.declared(), v.adding()[0].call.String(), v.full()),
		Repair:   "Make sure that the connector sends the old row as a cancel row before each change, or mirror the rows and use FINAL when reading.",
	}
	if v.feed != "upsert" {
		f.Condition = sentence("a change of %s arrives without a cancel row for the version it replaces", v.source.Name)
	}
	return []Finding{f}
}
