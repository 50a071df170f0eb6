package proof

import (
	"slices"

	"github.com/rollsmith/rollsmith/designer"
)

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
