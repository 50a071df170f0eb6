package proof

import (
	"slices"

	"github.com/rollsmith/rollsmith/designer"
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

// plainer gives columns one value throughout, then entities plain keys.
func (s *shrinker) plainer(w *workload) *workload {
	m := w.model
	for c := range m.types {
		if c == m.version || c == m.deleted || c == m.sign || c == m.mark || slices.Contains(m.key, c) || !writable(m.types[c]) {
			continue
		}
		w = s.plainColumn(w, c)
	}
	w = s.try(w, func(c *workload) {
		c.renumber()
		for i := range c.entities {
			for k, column := range m.key {
				c.entities[i][k] = keyValue(m.types[column], 1+i, dateTimeStart.AddDate(54, 0, 0))
			}
		}
	})
	w = s.try(w, func(c *workload) { c.base, c.scale = 0, 1 })
	return s.try(w, func(c *workload) {
		for i := range c.ops {
			c.ops[i].shuffle = 0
		}
	})
}

// renumber forgets the entities that nothing happens to.
func (w *workload) renumber() {
	place := map[int]int{}
	var kept [][]literal
	for i, o := range w.ops {
		at, ok := place[o.entity]
		if !ok {
			at = len(kept)
			place[o.entity] = at
			kept = append(kept, w.entities[o.entity])
		}
		w.ops[i].entity = at
	}
	w.entities = kept
}

// plainColumn tries the plainest values of a column for all rows, then row by row.
func (s *shrinker) plainColumn(w *workload, column int) *workload {
	t := w.model.types[column]
	plain := plainest(t)
	used := map[literal]bool{}
	for _, o := range w.ops {
		if o.body != nil {
			used[o.body[column]] = true
		}
	}
	if len(used) == 0 || (len(used) == 1 && used[plain[0]]) {
		return w
	}
	before := w
	for _, v := range plain {
		w = s.try(w, func(c *workload) {
			for i := range c.ops {
				if c.ops[i].body != nil {
					c.ops[i].body[column] = v
				}
			}
		})
		if w != before {
			return w
		}
	}
	for i := range w.ops {
		if w.ops[i].body == nil {
			continue
		}
		for _, v := range plain[:min(2, len(plain))] {
			if w.ops[i].body[column] == v {
				break
			}
			w = s.try(w, func(c *workload) { c.ops[i].body[column] = v })
		}
	}
	return w
}

// plainest gives the values that distract least from a story.
func plainest(t designer.Type) []literal {
	day := dateTimeStart.AddDate(54, 0, 0)
	switch bare := t.Bare(); {
	case bare.Family() == "Bool":
		return []literal{"true", "false"}
	case bare.Decimal():
		return []literal{"'1'", "'2'", "'0'"}
	case bare.Numeric():
		return []literal{"1", "2", "0"}
	case bare.Temporal():
		return []literal{moment(bare, day), moment(bare, day.AddDate(0, 0, 1))}
	case bare.Family() == "String", bare.Family() == "FixedString":
		return []literal{"'a'", "'b'", "''"}
	case bare.Family() == "Enum8", bare.Family() == "Enum16":
		names, _ := enumValues(bare)
		return names[:min(2, len(names))]
	}
	return []literal{zero(t)}
}

// oneByOne sends every event with an insert of its own, so that a story can say
// what each of them caused.
func (w *workload) oneByOne() {
	inserts := slices.IndexFunc(w.script, func(a act) bool { return a.kind == actInsert })
	plain := !slices.ContainsFunc(w.script, func(a act) bool { return a.kind == actRepair || a.kind == actRetry })
	if inserts < 0 || !plain || w.history > 0 || w.clocks != nil {
		return
	}
	arrivals := w.rows()
	events := flatten(arrivals, len(arrivals))
	for n, e := range events {
		if e.kind == cancelRow {
			w.ops[e.op].cancel = n
			if w.ops[e.op].kind == remove {
				w.ops[e.op].batch = n
			}
		} else {
			w.ops[e.op].batch = n
		}
	}
	var script []act
	sent := 0
	for _, a := range w.script {
		if a.kind != actInsert {
			script = append(script, a)
			continue
		}
		for range arrivals[a.batch] {
			script = append(script, act{kind: actInsert, batch: sent})
			sent++
		}
	}
	w.script, w.batches = script, len(events)
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
