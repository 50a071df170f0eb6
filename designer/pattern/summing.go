package pattern

import (
	"fmt"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Summing keeps plain totals that merges add up.
var Summing = &designer.Pattern{
	ID:    "summing",
	Title: "Totals in a SummingMergeTree, fed by a materialized view",
	Price: "Reads one row per grain and part; nothing beside the totals is stored.",
	Judge: judgeSumming,
	Plan: func(r *designer.Rollup) *ddl.Plan {
		return foldPlan(r, "summing", designer.Plain, true)
	},
}

func judgeSumming(r *designer.Rollup) designer.Verdict {
	v := designer.Verdict{Against: foldsOnlyAppends(r)}
	for _, m := range r.Measures {
		if !additive(m) {
			v.Against = append(v.Against, reason("metric-not-additive", fmt.Sprintf("%s is a %s: totals of parts do not give it. A table of states can hold it.", m.Name, m.Kind)))
		}
	}
	v.For = []designer.Reason{reason("rows-never-change", fmt.Sprintf("Every row of %s is inserted once and never changes, so adding up inserts gives the truth.", r.Source.Table))}
	return v
}

// additive reports whether a metric is a total, or is computed from totals.
func additive(m designer.Measure) bool {
	switch m.Kind {
	case designer.Count, designer.Sum, designer.Avg, designer.Ratio:
		return true
	}
	return false
}

// foldsOnlyAppends says why adding up what a view sees is wrong for the feed.
func foldsOnlyAppends(r *designer.Rollup) []designer.Reason {
	source := r.Source.Table
	switch r.Source.Feed {
	case designer.AtLeastOnce:
		return []designer.Reason{reason("repeats-counted", fmt.Sprintf("A retry inserts the same row of %s again, and the view adds it again: merges of the source remove the repeat, the rollup keeps it.", source))}
	case designer.Upsert:
		return []designer.Reason{reason("updates-counted", fmt.Sprintf("An update of %s inserts a new version; the view adds its value and never takes the old one back, so each update counts an entity once more.", source))}
	case designer.Ledger:
		return []designer.Reason{reason("cancels-counted", fmt.Sprintf("A cancel row of %s (%s != 0) would be added instead of taken back.", source, r.Source.Deleted))}
	case designer.Collapsing, designer.VersionedCollapsing:
		return []designer.Reason{reason("sign-ignored", fmt.Sprintf("A cancel row of %s (%s = -1) would be added instead of taken back.", source, r.Source.Sign))}
	}
	return nil
}
