package hazard

var targetKeyNotInDeleteRow = &Rule{
	Code:     "target-key-not-in-delete-row",
	Title:    "Delete rows may miss the row they delete",
	Doc:      "Connectors write delete rows with the identity columns alone; the others hold their type's default. A target keyed by one of the others files such a row under a key of its own.",
	Severity: Error,
	View:     checkTargetKeyInDeleteRow,
}

func checkTargetKeyInDeleteRow(v *View) []Finding {
	flag := v.source.deletedColumn()
	if flag == "" || !v.incremental() || v.feed == "ledger" || !v.entityTarget() {
		return nil
	}
	for _, k := range v.target.keyColumns() {
		o := v.output(k)
		if o == nil || !v.beyondEntityKey(o) {
			continue
		}
		f := Finding{
			Text:     sentence("%s is in the sorting key of %s, but the key of %s is only (%s): a delete row that holds no %s deletes nothing here.", k, v.targetLabel(), v.source.Name, list(v.entity()), k),
			Evidence: sentence("%s; delete flag %s; %s", v.source.declared(), flag, v.target.declared()),
			Repair:   sentence("ORDER BY (%s) in the target, and take %s from the latest live row at read.", list(v.entity()), k),
		}
		if v.feed != "upsert" {
			f.Condition = sentence("delete rows of %s do not carry the old %s", v.source.Name, k)
		}
		return []Finding{f}
	}
	return nil
}
