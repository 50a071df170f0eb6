package hazard

import "strings"

var plainColumnInAggregating = &Rule{
	Code:     "plain-column-in-aggregating",
	Title:    "A plain column outside the key of AggregatingMergeTree",
	Doc:      "AggregatingMergeTree merges only AggregateFunction and SimpleAggregateFunction columns. Of any other column outside the sorting key it keeps an arbitrary row's value.",
	Severity: Error,
	View:     checkPlainColumn,
}

func checkPlainColumn(v *View) []Finding {
	if !v.target.aggregating() {
		return nil
	}
	for _, c := range v.target.Columns {
		o := v.output(c.Name)
		if o == nil || c.DefaultKind == "ALIAS" || c.DefaultKind == "MATERIALIZED" || contains(v.target.keyColumns(), c.Name) {
			continue
		}
		if strings.Contains(c.Type, "AggregateFunction(") || o.expr.constant() || !hasAggregate(o.expr) && v.derived(o) {
			continue
		}
		return one(
			sentence("%s of %s is a plain %s outside the sorting key: when rows are merged, one row's value stays and the others are lost.", c.Name, v.targetLabel(), c.Type),
			sentence("%s; %s filled by %s", v.target.declared(), c.Name, o.expr.String()),
			plainColumnRepair(c, o))
	}
	return nil
}

func plainColumnRepair(c Column, o *Output) string {
	if a, ok := finished(o.expr); ok && (a.addsUp() || a.isExtreme() && !a.isArg()) {
		f := a.base
		if f == "count" {
			f = "sum"
		}
		return sentence("Declare %s as SimpleAggregateFunction(%s, %s).", c.Name, f, o.typ)
	}
	if hasAggregate(o.expr) {
		return sentence("Declare %s as AggregateFunction(…) and fill it with a -State function.", c.Name)
	}
	return sentence("Add %s to the ORDER BY.", c.Name)
}
