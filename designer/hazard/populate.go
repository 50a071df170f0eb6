package hazard

var populateView = &Rule{
	Code:     "populate",
	Title:    "POPULATE misses inserts under way",
	Doc:      "CREATE … POPULATE loads the history while the view is being attached. An insert that is running at that moment is in neither.",
	Severity: Error,
	View:     checkPopulate,
}

func checkPopulate(v *View) []Finding {
	if !v.def.Populate {
		return nil
	}
	return one(
		sentence("%s was created with POPULATE: an insert into %s that was running then is missing from it.", v.def.Name, v.sourceName()),
		"CREATE MATERIALIZED VIEW … POPULATE",
		"Create the view first, with a cut-off on a column that grows with arrival, and load what lies before it by INSERT … SELECT.")
}
