// Package pattern holds the ways in which target, view and read query work
// together, one file each. The catalog lists them from the cheapest to read to
// the dearest (DESIGN §1): the first that is right is the one to choose.
package pattern

import "github.com/rollsmith/rollsmith/designer"

// Catalog lists every pattern, cheapest to read first. Projection stands apart:
// it alters the source, so it is chosen by name only.
var Catalog = []*designer.Pattern{
	Summing, Aggregating, Ledger, Signed, Sealed, Refreshable, Replacing, Direct, Projection,
}

// Find gives the pattern with this id, or nil.
func Find(id string) *designer.Pattern {
	for _, p := range Catalog {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// IDs lists the patterns' ids in catalog order.
func IDs() []string {
	out := make([]string, len(Catalog))
	for i, p := range Catalog {
		out[i] = p.ID
	}
	return out
}

func reason(code, text string) designer.Reason { return designer.Reason{Code: code, Text: text} }
