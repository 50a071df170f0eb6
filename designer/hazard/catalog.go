package hazard

// Catalogue lists every hazard we look for, in the order findings are shown.
var Catalogue []*Rule
