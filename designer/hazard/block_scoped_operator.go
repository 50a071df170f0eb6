package hazard

var blockScopedOperator = &Rule{
	Code:     "block-scoped-operator",
	Title:    "An operator that needs all rows sees one block",
	Doc:      "DISTINCT, LIMIT, LIMIT BY and window functions in a view work on the rows of one inserted block, not on the table.",
	Severity: Error,
	View:     checkBlockScoped,
}

func checkBlockScoped(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	thins := !v.aggregated() && (v.target.deduplicates() || v.target.aggregating() && v.allKeys())
	for f := v.flat; f != nil; f = f.inner {
		what := ""
		switch {
		case windowCall(f.sel) != nil:
			what = windowCall(f.sel).name + " OVER (…)"
		case f.sel.distinct && !thins:
			what = "DISTINCT"
		case f.sel.limitBy != nil && !(thins && v.target.versionColumn() != ""):
			what = "LIMIT BY " + printList(f.sel.limitBy)
		case f.sel.limit:
			what = "LIMIT"
		case len(f.group) > 0 && !v.hasAggs() && v.target.neverMerges():
			what = "GROUP BY " + printList(f.group)
		}
		if what != "" {
			return one(
				sentence("%s in %s works within one inserted block: rows of other inserts are not seen.", what, v.def.Name),
				sentence("%s; the view is fired once per block inserted into %s", shorten(v.def.Select), v.sourceName()),
				"Let the target merge (ReplacingMergeTree or AggregatingMergeTree) and apply the operator when reading, or use a refreshable view.")
		}
	}
	return nil
}

// allKeys tells whether every output is part of the target's sorting key.
func (v *View) allKeys() bool {
	for _, o := range v.outputs {
		if !contains(v.target.keyColumns(), o.name) {
			return false
		}
	}
	return true
}

func (v *View) hasAggs() bool { return len(v.aggs()) > 0 }

// windowCall finds a window function of a SELECT.
func windowCall(s *Select) *Expr {
	var found *Expr
	for _, e := range s.items {
		e.walk(func(x *Expr) {
			blockwise := x.window || x.isCall("runningDifference", "runningAccumulate", "neighbor", "runningDifferenceStartingWithFirstValue")
			if found == nil && blockwise {
				found = x
			}
		})
	}
	return found
}
