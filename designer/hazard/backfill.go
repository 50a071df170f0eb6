package hazard

// load is one INSERT … SELECT of a script that fills a view's target from the
// view's source.
type load struct {
	at   int
	st   *Statement
	view *View
}

// loads lists the loads of a script, one for each view they stand in for.
func (s *Script) loads() []load {
	var out []load
	for i, st := range s.steps {
		if st.does != insertAction || st.flat == nil {
			continue
		}
		target := s.cat.behind(s.cat.source(st.db, st.name))
		for _, v := range s.cat.views {
			if v.err == nil && v.incremental() && target != nil && v.target == target && st.reads(s.cat, v.source) {
				out = append(out, load{i, st, v})
			}
		}
	}
	return out
}

// liveAt tells whether the view takes inserts when a step runs.
func (s *Script) liveAt(v *View, at int) bool {
	live := !v.def.fromScript
	for _, st := range s.steps[:at] {
		if st.db != v.def.DB || st.name != v.def.Name {
			continue
		}
		switch st.does {
		case createAction, attachAction:
			live = true
		case dropAction:
			live = false
		}
	}
	if s.createsLater(v, at) {
		return false
	}
	return live
}

// createsLater tells whether the script first creates the view after a step,
// though the server may have it already from an earlier run.
func (s *Script) createsLater(v *View, at int) bool {
	return s.comesBack(v, at, createAction) >= 0 && s.first(v, createAction) > at
}

// first is the first step that does something with the view, -1 if none.
func (s *Script) first(v *View, does action) int { return s.comesBack(v, -1, does) }

// comesBack is the first such step after at.
func (s *Script) comesBack(v *View, at int, does action) int {
	for i := at + 1; i < len(s.steps); i++ {
		if st := s.steps[i]; st.does == does && st.db == v.def.DB && st.name == v.def.Name {
			return i
		}
	}
	return -1
}

// cutoff compares what the load takes with what the view takes.
type cutoff int

const (
	noCutoff cutoff = iota
	exactCutoff
	gapCutoff     // > on one side and < on the other: the edge is in neither
	overlapCutoff // >= on one side and <= on the other: the edge is in both
)

// cut finds how a load is kept apart from the view's rows.
func (l load) cut() cutoff {
	for _, c := range l.st.flat.filters {
		if l.boundedByTarget(c) {
			return exactCutoff
		}
	}
	for _, up := range l.st.flat.filters {
		for _, low := range l.view.flat.filters {
			if k := complement(low, up); k != noCutoff {
				return k
			}
		}
	}
	return noCutoff
}

// boundedByTarget tells whether a condition compares with what the target or
// another record of the view's beginning holds.
func (l load) boundedByTarget(c *Expr) bool {
	if !isBound(c) && !c.isCall("notIn", "not") {
		return false
	}
	return c.any(func(x *Expr) bool {
		return x.kind == subqueryExpr && x.query.from != nil && x.query.from.name != l.view.flat.from.name
	})
}

// complement compares a lower bound of the view with an upper bound of the load.
func complement(low, up *Expr) cutoff {
	lowCol, lowValue, lowOp := bound(low)
	upCol, upValue, upOp := bound(up)
	if lowCol == "" || lowCol != upCol || lowValue != upValue || lowOp[0] == upOp[0] {
		return noCutoff
	}
	if lowOp[0] == '<' {
		lowOp, upOp = upOp, lowOp
	}
	switch {
	case lowOp == ">" && upOp == "<":
		return gapCutoff
	case lowOp == ">=" && upOp == "<=":
		return overlapCutoff
	}
	return exactCutoff
}

// bound reads column op constant, whichever way round it is written.
func bound(c *Expr) (col, value, op string) {
	ops := map[string]string{"less": "<", "lessOrEquals": "<=", "greater": ">", "greaterOrEquals": ">="}
	turned := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}
	if op = ops[c.name]; op == "" || len(c.args) != 2 {
		return "", "", ""
	}
	a, b := c.args[0], c.args[1]
	if a.constant() {
		a, b, op = b, a, turned[op]
	}
	if a.kind == columnExpr || len(a.columns()) == 1 {
		return a.String(), constantText(b), op
	}
	return "", "", ""
}

// constantText gives a constant without the conversion around it.
func constantText(e *Expr) string {
	for e.kind == callExpr && len(e.args) > 0 && e.args[0].kind == literalExpr {
		e = e.args[0]
	}
	return e.name
}

// replaces tells whether the script empties the target, or a partition of it,
// before the load.
func (s *Script) replaces(l load) bool {
	for _, st := range s.steps[:l.at] {
		if st.full() != l.st.full() {
			continue
		}
		if st.does == truncateAction || st.does == alterAction && (st.says("DROP", "PARTITION") || st.says("DELETE")) || st.does == mutateAction {
			return true
		}
	}
	return false
}

// repeatsReplace tells whether loading a row that the view has written too
// changes nothing.
func (v *View) repeatsReplace() bool {
	if v.mirror() {
		return v.target.replacing()
	}
	return v.repeatsHarmless()
}
