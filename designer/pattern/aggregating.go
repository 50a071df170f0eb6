package pattern

import (
	"fmt"
	"slices"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Aggregating keeps aggregation states that merges combine.
var Aggregating = &designer.Pattern{
	ID:    "aggregating",
	Title: "States in an AggregatingMergeTree, fed by a materialized view",
	Price: "Reads one row per grain and part; exact distincts, quantiles and lists keep every value inside their states.",
	Judge: judgeAggregating,
	Plan: func(r *designer.Rollup) *ddl.Plan {
		return foldPlan(r, "aggregating", designer.Plain, false)
	},
}

func judgeAggregating(r *designer.Rollup) designer.Verdict {
	if r.Source.Feed == designer.Append {
		return designer.Verdict{For: []designer.Reason{reason("rows-never-change", fmt.Sprintf("Every row of %s is inserted once and never changes, and a state of all rows is the merge of the states of any blocks.", r.Source.Table))}}
	}
	v := designer.Verdict{For: []designer.Reason{reason("repeats-absorbed", "Every metric of the design absorbs a repeated row: seeing it twice is seeing it once.")}}
	for _, m := range r.Measures {
		if !idempotent(r, m) {
			v.Against = append(v.Against, foldsOnlyAppends(r)...)
			v.Against = append(v.Against, reason("metric-not-idempotent", fmt.Sprintf("%s is a %s: a row that is seen twice changes it.", m.Name, m.Kind)))
			return v
		}
	}
	if r.Source.Feed != designer.AtLeastOnce {
		v.Against = append(v.Against, leaves(r)...)
	}
	return v
}

// idempotent reports whether seeing a row twice leaves a metric as it is.
func idempotent(r *designer.Rollup, m designer.Measure) bool {
	switch m.Kind {
	case designer.Min, designer.Max, designer.CountDistinct, designer.Last:
		return true
	case designer.Ratio:
		return idempotent(r, *r.Measure(m.Numerator)) && idempotent(r, *r.Measure(m.Denominator))
	}
	return false
}

// leaves says what an entity can take with it that a state never forgets:
// itself, when deleted, and every value that an update replaces.
func leaves(r *designer.Rollup) []designer.Reason {
	s := r.Source
	if s.Feed != designer.Upsert || s.Deleted != "" {
		return []designer.Reason{reason("values-leave", fmt.Sprintf("A row of %s can be deleted or replaced, and a state that has seen its values never forgets them.", s.Table))}
	}
	if !r.TimeStable() || !r.FilterStable() || slices.ContainsFunc(r.Dims, func(x designer.Dim) bool { return !x.Stable }) {
		return []designer.Reason{reason("entity-moves", fmt.Sprintf("An update of %s can move an entity to another grain or out of the filter, and the state it leaves behind never forgets it.", s.Table))}
	}
	fixed := r.StableColumns()
	for _, m := range r.Measures {
		for _, c := range m.Columns {
			if !slices.Contains(fixed, c) {
				return []designer.Reason{reason("values-leave", fmt.Sprintf("%s depends on %s, which an update can change: a state that has seen the old value never forgets it.", m.Name, c))}
			}
		}
	}
	return nil
}
