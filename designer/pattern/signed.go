package pattern

import (
	"fmt"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Signed weighs every contribution by the sign column.
var Signed = &designer.Pattern{
	ID:    "signed",
	Title: "Totals weighted by the sign column",
	Price: "Reads one row per grain and part; needs every cancel row, equal to the row it cancels, once.",
	Judge: judgeSigned,
	Plan: func(r *designer.Rollup) *ddl.Plan {
		return foldPlan(r, "signed", designer.BySign, true)
	},
}

func judgeSigned(r *designer.Rollup) designer.Verdict {
	v := designer.Verdict{For: []designer.Reason{reason("signs-cancel", fmt.Sprintf("A cancel row of %s repeats the values it takes back with %s = -1, so x * 1 + x * -1 = 0 in whatever grain it was counted.", r.Source.Table, r.Source.Sign))}}
	if !r.SignFeed() {
		v.Against = append(v.Against, reason("no-sign", fmt.Sprintf("Feed %s has no sign column to weigh by.", r.Source.Feed)))
	}
	v.Against = append(v.Against, notInvertible(r)...)
	return v
}
