package hazard

var ledgerCancelMismatch = &Rule{
	Code:     "ledger-cancel-mismatch",
	Title:    "A cancel row may not repeat what it cancels",
	Doc:      "A cancel row must hold the values and the buckets of the row that it cancels. If it holds others, or was stamped when it was sent, it is taken off elsewhere.",
	Severity: Error,
	View:     checkCancelMismatch,
}

func checkCancelMismatch(v *View) []Finding {
	flag, kind := v.ledger()
	if !v.incremental() || kind == noLedger || len(v.adding()) == 0 || v.feed != "" {
		return nil
	}
	return when(
		sentence("a cancel row of %s can differ from the row it cancels in a column that %s reads", v.source.Name, v.def.Name),
		sentence("%s takes a cancelled row off where the cancel row says; one with another value or bucket leaves a residue in both.", v.def.Name),
		sentence("%s is told by %s in %s", v.source.full(), flag, v.full()),
		sentence("Check that cancel rows equal their rows: group %s by its key and compare the columns that the view reads.", v.source.Name))
}
