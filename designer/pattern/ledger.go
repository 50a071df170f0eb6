package pattern

import (
	"fmt"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Ledger keeps live and cancelled contributions apart and subtracts at read.
var Ledger = &designer.Pattern{
	ID:    "ledger",
	Title: "Double-entry totals: what was added less what was cancelled",
	Price: "Reads two rows per grain and part; needs every cancel row, equal to the row it cancels, once.",
	Judge: judgeLedger,
	Plan: func(r *designer.Rollup) *ddl.Plan {
		return foldPlan(r, "ledger", designer.ByFlag, true)
	},
}

func judgeLedger(r *designer.Rollup) designer.Verdict {
	v := designer.Verdict{For: []designer.Reason{reason("cancels-subtract", fmt.Sprintf("Each version of %s that is replaced arrives once more as a cancel row with the same values, so + x - x = 0 in whatever grain it was counted; filter and dimensions may change.", r.Source.Table))}}
	if r.Source.Feed != designer.Ledger {
		v.Against = append(v.Against, reason("no-cancel-rows", fmt.Sprintf("Feed %s has no cancel rows told by a flag: nothing takes the replaced value back.", r.Source.Feed)))
	}
	v.Against = append(v.Against, notInvertible(r)...)
	return v
}

// notInvertible names the metrics from which a cancelled row cannot be taken out.
func notInvertible(r *designer.Rollup) []designer.Reason {
	var out []designer.Reason
	for _, m := range r.Measures {
		switch {
		case !additive(m):
			out = append(out, reason("metric-not-invertible", fmt.Sprintf("%s is a %s: a value that a state has seen cannot be taken out again.", m.Name, m.Kind)))
		case m.Type.Float() && (m.Kind == designer.Sum || m.Kind == designer.Avg):
			out = append(out, reason("float-does-not-cancel", fmt.Sprintf("%s adds up %s: x + y - x rounds to something near y at best, and to nothing of it when x is large. Keep the amount as Decimal or as an integer of the smallest unit.", m.Name, m.Type)))
		}
	}
	return out
}
