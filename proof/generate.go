package proof

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/designer"
)

// generator makes workloads for one design.
type generator struct {
	model *model
	eval  *evaluator
}

// palette is what one round paints with: few values per column, so that they
// meet, and fresh ones each round.
type palette struct {
	rng    *rand.Rand
	times  []time.Time
	values [][]literal
}

// workload makes the workload of a seed. The same seed gives the same events.
func (g *generator) workload(ctx context.Context, seed uint64, rows int) (*workload, error) {
	rng := rand.New(rand.NewPCG(seed, 0x726f6c6c736d697468>>8))
	m := g.model
	w := &workload{model: m, seed: seed, batches: 1 + rng.IntN(4), base: pick(rng, []int64{0, 0, 1, 1000}), scale: 1 + rng.Int64N(2)}
	target := 2 + rng.IntN(max(rows-1, 1))
	if rng.IntN(20) == 0 {
		target *= 4 // now and then a crowd
	}
	if m.settles > 0 {
		w.batches = 2 + rng.IntN(3) // something has to happen after a seal
	}
	if m.design.Backfill.Mode != designer.BackfillNone {
		w.batches = 3 + rng.IntN(2)
		w.history = 1 + rng.IntN(w.batches-1)
	}
	p := g.palette(rng, w)
	var err error
	switch {
	case !m.changes():
		err = g.events(ctx, w, p, target)
	default:
		err = g.versions(ctx, w, p, target)
	}
	if err != nil {
		return nil, err
	}
	w.direct(rng)
	w.reader, w.writer = choose(rng, readerChoices), choose(rng, writerChoices)
	return w, nil
}

// palette picks the values of a round.
func (g *generator) palette(rng *rand.Rand, w *workload) *palette {
	m := g.model
	p := &palette{rng: rng, times: m.times(rng)}
	huge := rng.IntN(3) == 0 // one group that holds almost everything
	if huge {
		p.times = p.times[:1]
	}
	w.setClocks(p)
	for i, t := range m.types {
		if !writable(t) {
			p.values = append(p.values, []literal{"DEFAULT"})
			continue
		}
		pool := some(rng, domain(t, m.bounded[i], p.times), 1+rng.IntN(4))
		if t.Float() && !slices.Contains(pool, "1e15") && rng.IntN(2) == 0 {
			pool = append(pool, "1e15", "0.1")
		}
		if mined := m.mined[i]; len(mined) > 0 {
			pool = append(pool, some(rng, mined, 1+rng.IntN(3))...)
		}
		if m.conditions[i] && t.Nullable() {
			pool = append(pool, null)
		}
		if m.ordering[i] {
			pool = slices.DeleteFunc(pool, func(l literal) bool { return l == null })
		}
		if len(pool) == 0 {
			pool = []literal{zero(t)}
		}
		if huge && m.grain[i] && rng.IntN(3) > 0 {
			pool = pool[:1]
		}
		p.values = append(p.values, pool)
	}
	return p
}

// body picks a value for every column.
func (p *palette) body() []literal {
	out := make([]literal, len(p.values))
	for i, pool := range p.values {
		out[i] = pick(p.rng, pool)
	}
	return out
}

// change gives a body that differs in all columns, or in a few, but not in those
// that are fixed.
func (p *palette) change(from []literal, fixed map[int]bool) []literal {
	out := slices.Clone(from)
	all := p.rng.IntN(2) == 0
	for i, pool := range p.values {
		if !fixed[i] && (all || p.rng.IntN(4) == 0) {
			out[i] = pick(p.rng, pool)
		}
	}
	return out
}

// entities makes the keys of n entities. Where the key is not made of columns
// alone, the engine says which of them are the same, and one of each is kept.
func (g *generator) entities(ctx context.Context, w *workload, p *palette, n int) error {
	g.names(w, p, n)
	if len(g.model.keyExprs) == 0 {
		return nil
	}
	rows := make([][]literal, len(w.entities))
	for e := range w.entities {
		rows[e] = w.fill(row{entity: e, kind: stateRow}, p.body())
	}
	ids, err := g.eval.texts(ctx, g.model.keyExprs, rows)
	if err != nil {
		return err
	}
	plain := slices.DeleteFunc(slices.Clone(g.model.design.Source.Key), func(k string) bool { return slices.Contains(g.model.keyExprs, k) })
	seen := map[string]bool{}
	var kept [][]literal
	for e, id := range ids {
		for _, k := range plain {
			id += "\x00" + rows[e][g.model.column(k)]
		}
		if !seen[id] {
			seen[id] = true
			kept = append(kept, w.entities[e])
		}
	}
	w.entities = kept
	return nil
}

// names makes keys of n entities, no two the same.
func (g *generator) names(w *workload, p *palette, n int) {
	m := g.model
	if len(m.key) == 0 {
		for range n {
			w.entities = append(w.entities, nil)
		}
		return
	}
	seen := map[string]bool{}
	base := p.times[0]
	wide := len(m.key) > 1
	for try := 0; len(w.entities) < n && try < 20*n+50; try++ {
		key := make([]literal, len(m.key))
		for i, c := range m.key {
			at := try
			if wide { // share parts of the key
				at = p.rng.IntN(n + 1)
			}
			key[i] = keyValue(m.types[c], at, base)
			if m.types[c].Temporal() && p.rng.IntN(2) == 0 {
				key[i] = moment(m.types[c], pick(p.rng, p.times).In(zoneOf(m.types[c])))
			}
		}
		if id := strings.Join(key, "\x00"); !seen[id] {
			seen[id] = true
			w.entities = append(w.entities, key)
		}
	}
	p.rng.Shuffle(len(w.entities), func(i, j int) { w.entities[i], w.entities[j] = w.entities[j], w.entities[i] })
}

// events fills a workload of a feed whose events never change.
func (g *generator) events(ctx context.Context, w *workload, p *palette, target int) error {
	repeats := g.model.design.Source.Feed == designer.AtLeastOnce
	n := target
	if repeats {
		n = max(1, target*2/3)
	}
	if err := g.entities(ctx, w, p, n); err != nil {
		return err
	}
	for i := range w.entities {
		o := op{kind: put, entity: i, body: p.body(), batch: p.rng.IntN(w.batches), shuffle: p.rng.Uint64()}
		w.date(p, o.body, o.batch, true)
		w.ops = append(w.ops, o)
	}
	if !repeats || len(w.entities) == 0 {
		return nil
	}
	first := slices.Clone(w.ops)
	if p.rng.IntN(3) == 0 { // a whole block again
		again := p.rng.IntN(w.batches)
		for _, o := range first {
			if o.batch == again {
				w.ops = append(w.ops, op{kind: repeat, entity: o.entity, batch: again + p.rng.IntN(w.batches-again), shuffle: o.shuffle})
			}
		}
	}
	if p.rng.IntN(3) == 0 { // one row, again and again
		o := pick(p.rng, first)
		for range 4 + p.rng.IntN(2*target) {
			w.ops = append(w.ops, op{kind: repeat, entity: o.entity, batch: o.batch + p.rng.IntN(w.batches-o.batch), shuffle: p.rng.Uint64()})
		}
	}
	for len(w.ops) < target || p.rng.IntN(3) > 0 {
		o := pick(p.rng, first)
		w.ops = append(w.ops, op{kind: repeat, entity: o.entity, batch: o.batch + p.rng.IntN(w.batches-o.batch), shuffle: p.rng.Uint64()})
	}
	return nil
}

// versions fills a workload of a feed whose entities change.
func (g *generator) versions(ctx context.Context, w *workload, p *palette, target int) error {
	m, rng := g.model, p.rng
	if err := g.entities(ctx, w, p, 1+rng.IntN(max(2, target/2))); err != nil {
		return err
	}
	bodies, err := g.bodies(ctx, w, p)
	if err != nil {
		return err
	}
	disorder := rng.IntN(2) == 0
	alive := make([]bool, len(w.entities))
	last := make([][]literal, len(w.entities))
	births := map[int]literal{} // times, where they never change
	for i := range target {
		e := rng.IntN(len(w.entities))
		o := op{kind: put, entity: e, shuffle: rng.Uint64(), batch: i * w.batches / target}
		if disorder {
			o.batch = rng.IntN(w.batches)
		}
		o.cancel = max(0, o.batch-rng.IntN(2))
		if m.design.Source.Feed == designer.VersionedCollapsing {
			o.cancel = o.batch
			if disorder {
				o.cancel = rng.IntN(w.batches)
			}
		}
		switch dice := rng.IntN(10); {
		case alive[e] && dice < 3 && (m.deleted >= 0 || m.cancels()):
			o.kind = remove
			o.blank = g.blank(rng)
			alive[e] = false
		case last[e] != nil && dice < 4 && m.design.Source.Feed == designer.Upsert:
			o.kind = repeat
		default:
			o.body = slices.Clone(bodies(e, last[e]))
			switch born, ok := births[e]; {
			case m.time >= 0 && m.fixed[m.time] && ok && w.datable():
				o.body[m.time] = born
			case m.time >= 0:
				w.date(p, o.body, o.batch, !alive[e])
				births[e] = o.body[m.time]
			}
			last[e], alive[e] = o.body, true
		}
		w.ops = append(w.ops, o)
	}
	return nil
}

// blank decides whether a delete row holds defaults. Where nobody knows, both
// happen.
func (g *generator) blank(rng *rand.Rand) bool {
	s := g.model.design.Source
	if s.Feed != designer.Upsert {
		return false
	}
	switch s.Tombstones {
	case "old_values":
		return false
	case "defaults":
		return true
	}
	return rng.IntN(4) > 0
}

// bodies gives what draws the next version of an entity. Where an expression's
// value must not change, versions are drawn from candidates that agree on it, as
// the engine evaluates them.
func (g *generator) bodies(ctx context.Context, w *workload, p *palette) (func(e int, last []literal) []literal, error) {
	m := g.model
	if len(m.steady) == 0 {
		return func(_ int, last []literal) []literal {
			if last == nil {
				return p.body()
			}
			return p.change(last, m.fixed)
		}, nil
	}
	const perEntity = 6
	var all [][]literal
	for e := range w.entities {
		first := p.body()
		for i := range perEntity {
			b := first
			if i > 0 {
				b = p.change(first, m.fixed)
			}
			all = append(all, w.fill(row{entity: e, kind: stateRow}, b))
		}
	}
	seen, err := g.eval.look(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("choose versions that agree on what is stable: %w", err)
	}
	agree := make([][][]literal, len(w.entities))
	for e := range w.entities {
		classes := map[string][][]literal{}
		best := ""
		for i := range perEntity {
			n := e*perEntity + i
			k := seen[n].steady
			classes[k] = append(classes[k], all[n])
			if len(classes[k]) > len(classes[best]) {
				best = k
			}
		}
		agree[e] = classes[best]
	}
	return func(e int, _ []literal) []literal { return pick(p.rng, agree[e]) }, nil
}

// legal reports what in the events breaks the promises of the design: a stable
// value that changes. It guards the generator and the shrinker.
func (m *model) legal(events []row, seen map[string]lens) error {
	first := map[int]row{}
	for _, r := range events {
		if r.blank || !m.changes() {
			continue
		}
		was, ok := first[r.entity]
		if !ok {
			first[r.entity] = r
			continue
		}
		for c := range m.fixed {
			if was.values[c] != r.values[c] {
				return fmt.Errorf("%s is stable and changes from %s to %s", m.design.Source.Columns[c].Name, was.values[c], r.values[c])
			}
		}
		if seen[rowID(was.values)].steady != seen[rowID(r.values)].steady {
			return fmt.Errorf("an expression that is stable changes its value")
		}
	}
	return nil
}
