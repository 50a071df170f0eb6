package hazard

var selfSubquerySeesBlock = &Rule{
	Code:     "self-subquery-sees-block",
	Title:    "The view reads its own source again",
	Doc:      "Where a view reads its source a second time, in a subquery or a JOIN, it does not see the table as somebody who wrote it would expect: the inserted block takes the table's place, or the rows of the insert are missing from it.",
	Severity: Error,
	Hides:    []string{"join-in-mv", "replacing-read-without-final", "nested-aggregate-per-block", "mv-over-replacing", "having-in-mv"},
	View:     checkSelfSubquery,
}

func checkSelfSubquery(v *View) []Finding {
	if !v.incremental() || v.source == nil {
		return nil
	}
	r := &Reading{cat: v.cat}
	r.visit(v.query, nil, nil, false)
	count := 0
	for _, s := range r.scopes {
		if from := s.sel.from; from != nil && from.name == v.flat.from.name && (from.db == v.flat.from.db || from.db == "") {
			count++
		}
	}
	if count < 2 || len(v.query.union) > 0 {
		return nil
	}
	return one(
		sentence("%s reads %s, its own source, more than once: the second read is not the whole table.", v.def.Name, v.source.Name),
		shorten(v.def.Select),
		"Keep what the view needs of the past in a target of its own and combine the two when reading, or use a refreshable view.")
}
