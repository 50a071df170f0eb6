package pattern

import (
	"fmt"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Direct reads the source: no rollup at all.
var Direct = &designer.Pattern{
	ID:    "direct",
	Title: "No rollup: read the source, each entity once",
	Price: "Reads every row of the source in the range asked for, and merges versions while reading.",
	Judge: func(r *designer.Rollup) designer.Verdict {
		return designer.Verdict{For: []designer.Reason{reason("is-the-truth", fmt.Sprintf("The question is asked of %s itself; it is what every other pattern is audited against.", r.Source.Table))}}
	},
	Plan: planDirect,
}

func planDirect(r *designer.Rollup) *ddl.Plan {
	b := begin(r, "direct")
	b.plan.Targets = []ddl.Target{{Pattern: "direct", Table: r.Source.Database + "." + r.Source.Table, Metrics: r.MetricNames()}}
	b.plan.Backfill = ddl.Comment("Nothing is stored beside the source: there is nothing to fill.")
	b.plan.Correct = ddl.Comment("Nothing is stored beside the source: the answer is right as soon as the source is.")
	return b.readView(r.Answer(r.Live(), false), r.PartitionsHoldEntities(),
		"Asks the source itself, under a name that can later hide a rollup without changing a dashboard.")
}
