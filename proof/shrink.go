package proof

import (
	"slices"
)

// shrinkRuns bounds how many rounds a shrink may take: at some thirty a second,
// a few seconds.
const shrinkRuns = 250

// shrinker looks for the smallest workload that still fails. Every candidate is
// run; nothing is left to belief. The same failure shrinks the same way.
type shrinker struct {
	fails func(*workload) bool
	runs  int
}

// shrink makes a failing workload small: fewer changes first, then fewer acts
// and settings, then plainer values.
func (s *shrinker) shrink(w *workload) *workload {
	w = s.try(w, w.cut)
	for before := -1; before != len(w.ops) && s.runs < shrinkRuns; {
		before = len(w.ops)
		w = s.fewerOps(w)
		w = s.fewerActs(w)
		w = s.try(w, func(c *workload) { c.reader = nil })
		w = s.try(w, func(c *workload) { c.writer = nil })
		w = s.fewerInserts(w)
		w = s.plainer(w)
	}
	w = s.try(w, func(c *workload) { c.oneByOne() })
	return s.fewerSettings(w)
}

// try keeps a change of the workload if it still fails.
func (s *shrinker) try(w *workload, change func(*workload)) *workload {
	if s.runs >= shrinkRuns {
		return w
	}
	c := w.clone()
	change(c)
	s.runs++
	if s.fails(c) {
		return c
	}
	return w
}

func (w *workload) clone() *workload {
	c := *w
	c.ops = make([]op, len(w.ops))
	for i, o := range w.ops {
		o.body = slices.Clone(o.body)
		c.ops[i] = o
	}
	c.entities = make([][]literal, len(w.entities))
	for i, e := range w.entities {
		c.entities[i] = slices.Clone(e)
	}
	c.script = slices.Clone(w.script)
	c.clocks = slices.Clone(w.clocks)
	c.reader, c.writer = copySettings(w.reader), copySettings(w.writer)
	return &c
}

func copySettings(s settings) settings {
	out := settings{}
	for k, v := range s {
		out[k] = v
	}
	return out
}

// cut forgets the changes whose rows never arrived.
func (w *workload) cut(c *workload) {
	sent := map[int]bool{}
	for _, a := range c.script {
		if a.kind == actInsert || a.kind == actRepair {
			sent[a.batch] = true
		}
	}
	c.ops = slices.DeleteFunc(c.ops, func(o op) bool { return !sent[o.batch] })
}

// fewerOps is delta debugging: drop halves, quarters, and so on down to single
// changes.
func (s *shrinker) fewerOps(w *workload) *workload {
	for size := (len(w.ops) + 1) / 2; size >= 1; size /= 2 {
		for at := 0; at < len(w.ops); {
			smaller := s.try(w, func(c *workload) {
				c.ops = slices.Delete(c.ops, at, min(at+size, len(c.ops)))
			})
			if smaller == w {
				at += size
			}
			w = smaller
		}
	}
	return w
}

// fewerActs drops what happened to the tables beside the inserts.
func (s *shrinker) fewerActs(w *workload) *workload {
	for at := len(w.script) - 1; at >= 0; at-- {
		switch w.script[at].kind {
		case actUp, actBackfill, actInsert:
			continue
		case actRepair:
			w = s.try(w, func(c *workload) { c.script[at].kind = actInsert })
			continue
		}
		w = s.try(w, func(c *workload) { c.script = slices.Delete(c.script, at, at+1) })
	}
	return w
}

// fewerInserts joins neighbouring inserts, and drops empty ones.
func (s *shrinker) fewerInserts(w *workload) *workload {
	for b := w.batches - 1; b > 0; b-- {
		w = s.try(w, func(c *workload) { c.join(b) })
	}
	return w
}

// join sends insert b along with the one before it.
func (w *workload) join(b int) {
	for i := range w.ops {
		if w.ops[i].batch >= b {
			w.ops[i].batch--
		}
		if w.ops[i].cancel >= b {
			w.ops[i].cancel--
		}
	}
	if w.clocks != nil {
		w.clocks = slices.Delete(w.clocks, b-1, b)
	}
	w.batches--
	if w.history > b {
		w.history--
	}
	var script []act
	for _, a := range w.script {
		switch a.kind {
		case actInsert, actRepair, actRetry:
			if a.batch == b && a.kind != actRetry {
				continue
			}
			if a.batch >= b {
				a.batch--
			}
		}
		script = append(script, a)
	}
	w.script = script
}

// fewerSettings keeps only the settings that the failure needs.
func (s *shrinker) fewerSettings(w *workload) *workload {
	for _, name := range settingNames(w.reader) {
		w = s.try(w, func(c *workload) { delete(c.reader, name) })
	}
	for _, name := range settingNames(w.writer) {
		w = s.try(w, func(c *workload) { delete(c.writer, name) })
	}
	return w
}

func settingNames(s settings) []string {
	var out []string
	for name := range s {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
