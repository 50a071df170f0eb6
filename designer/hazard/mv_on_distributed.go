package hazard

import "strings"

var mvOnDistributed = &Rule{
	Code:     "mv-on-distributed",
	Title:    "The view hangs on a Distributed table",
	Doc:      "A view on a Distributed table is fired only by inserts that go through that table on that server. Rows written to the local tables never reach it.",
	Severity: Error,
	View:     checkDistributed,
}

func checkDistributed(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	from := v.flat.from
	remote := from != nil && from.call != nil && !generates(from.call.name)
	if !remote && !v.source.is("Distributed", "Merge") {
		return nil
	}
	return one(
		sentence("%s reads %s: rows that are inserted into the local tables do not fire it.", v.def.Name, v.sourceName()),
		sentence("%s; %s", shorten(v.def.Select), v.sourceEngine()),
		"Create the view on every server on the local table, writing to a local target, and read through a Distributed table over the targets.")
}

func (v *View) sourceEngine() string {
	if v.source == nil {
		return "a table function"
	}
	return v.source.full() + " is " + v.source.engineText()
}

// generates tells table functions that make rows up from those that read.
func generates(name string) bool {
	return contains([]string{"numbers", "numbers_mt", "zeros", "values", "generateSeries", "generate_series", "generateRandom", "view", "null", "input"}, strings.ToLower(name))
}
