package hazard

import "strings"

var unmergedRead = &Rule{
	Code:     "unmerged-read",
	Title:    "Partial aggregates are never put together",
	Doc:      "What a view writes are parts: one per block and group. They are right only when the engine merges them and the reader still aggregates, since merges happen at any time or never.",
	Severity: Error,
	View:     checkUnmerged,
	Reading:  checkUnmergedRead,
}

func checkUnmerged(v *View) []Finding {
	if !v.incremental() {
		return nil
	}
	for i := range v.outputs {
		o := &v.outputs[i]
		a, ok := aggregate(o.expr)
		if !ok {
			continue
		}
		if a.isState() && v.target.neverMerges() {
			return one(
				sentence("%s writes states to %s, a %s, which never merges them.", v.def.Name, v.targetLabel(), v.target.Engine.Name),
				sentence("%s; output %s", v.target.declared(), o.shown()),
				"Use AggregatingMergeTree with the GROUP BY columns as sorting key.")
		}
		if how, f := v.target.merges(o.name); how == mergesOther && a.addsUp() && !a.isState() && isExtremeName(f) {
			return one(
				sentence("%s adds up in %s, but %s keeps only the %s of the parts.", o.name, v.def.Name, v.targetLabel(), f),
				sentence("column %s %s; output %s", o.name, v.target.column(o.name).Type, o.shown()),
				sentence("Declare %s as SimpleAggregateFunction(sum, …).", o.name))
		}
	}
	return nil
}

func isExtremeName(f string) bool {
	return f == "min" || f == "max" || strings.HasPrefix(f, "any")
}

// checkUnmergedRead finds queries that take the rows of a rollup as they lie.
func checkUnmergedRead(r *Reading) []Finding {
	for _, s := range r.scopes {
		if s.table == nil || !s.table.adds() || r.final(s) || s.inJoin || len(s.views) == 0 {
			continue
		}
		if s.aggregated() || s.outer != nil && !s.outer.sel.simple() {
			continue
		}
		for _, e := range s.flat.outputs {
			for _, c := range e.columns() {
				how, _ := s.table.merges(c)
				if how == mergesKey || how == mergesNever || how == mergesPick {
					continue
				}
				return one(
					sentence("The query reads %s from %s without putting its parts together; before a merge there are several rows per group.", c, s.table.Name),
					sentence("%s; column %s %s", s.table.declared(), c, s.table.column(c).Type),
					sentence("GROUP BY the sorting key and aggregate %s: %s.", c, readBy(s.table, c)))
			}
		}
	}
	return nil
}

// simple tells whether a SELECT adds no aggregation of its own.
func (s *Select) simple() bool {
	return len(s.group) == 0 && !s.groupAll && !anyAggregate(s.items)
}

func anyAggregate(items []*Expr) bool {
	for _, e := range items {
		if hasAggregate(e) {
			return true
		}
	}
	return false
}

// readBy gives the call that reads a column of a rollup.
func readBy(t *Table, col string) string {
	how, f := t.merges(col)
	if how == mergesState {
		if i := strings.IndexByte(f, '('); i > 0 {
			return f[:i] + "Merge" + f[i:] + "(" + col + ")"
		}
		return f + "Merge(" + col + ")"
	}
	return f + "(" + col + ")"
}
