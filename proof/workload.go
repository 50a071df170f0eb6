package proof

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/rollsmith/rollsmith/designer"
)

// opKind is what happens to an entity where the events are made.
type opKind int

const (
	put    opKind = iota // it comes to be, or changes
	remove               // it is deleted
	repeat               // its last row is delivered once more
)

// op is one change of one entity. Rows are derived from ops, so that whatever is
// left of a history when some are taken away is legal too.
type op struct {
	kind    opKind
	entity  int
	body    []literal // values of every column; key and bookkeeping columns are overwritten
	batch   int       // the insert with which its row arrives
	cancel  int       // the insert with which its cancel row arrives
	blank   bool      // a delete row that holds defaults
	shuffle uint64    // its place within the insert
}

// workload is a history of ops over entities, and how they reach the engine.
type workload struct {
	model    *model
	seed     uint64
	entities [][]literal // per entity, the values of the key columns
	ops      []op
	batches  int
	history  int   // inserts before the rollup exists
	script   []act // what is done, in order
	reader   settings
	writer   settings
	base     int64 // the first version
	scale    int64 // distance between versions
	// clocks, where entities settle, are the moments of the inserts; end is when
	// all is settled.
	clocks []int64
	end    int64
	// given, where set, are the events themselves, written by hand; quiet puts
	// off comparing until the last insert has arrived.
	given [][]row
	quiet bool
}

// rowKind says what a row is to its feed.
type rowKind string

const (
	stateRow  rowKind = "state"
	cancelRow rowKind = "cancel"
	deleteRow rowKind = "delete"
)

// row is an event: one row of one insert.
type row struct {
	op, entity, seq int
	kind            rowKind
	batch           int
	values          []literal
	blank           bool
	again           bool // the same row, delivered once more
	shuffle         uint64
}

// rows derives the events from the ops: cancel rows before their changes,
// versions that grow, tombstones with old values or defaults. They are given
// insert by insert.
func (w *workload) rows() [][]row {
	type entity struct {
		seq, batch int
		last       *row // the row that stands, if alive
		latest     *row
	}
	if w.given != nil {
		return w.given
	}
	m := w.model
	state := make([]entity, len(w.entities))
	var all []row
	emit := func(i int, o op, kind rowKind, body []literal, batch int) {
		e := &state[o.entity]
		if m.inOrder() {
			batch = max(batch, e.batch)
		}
		e.batch = batch
		e.seq++
		r := row{op: i, entity: o.entity, seq: e.seq, kind: kind, batch: batch, shuffle: o.shuffle, blank: kind == deleteRow && o.blank}
		r.values = w.fill(r, body)
		all = append(all, r)
		kept := r
		e.latest = &kept
		e.last = nil
		if kind == stateRow {
			e.last = &kept
		}
	}
	for i, o := range w.ops {
		e := &state[o.entity]
		if m.inOrder() {
			o.batch = max(o.batch, e.batch)
		}
		if e.last != nil && !w.inTime(e.last.values, o.batch) || e.latest != nil && o.kind == repeat && !w.inTime(e.latest.values, o.batch) {
			continue // it has settled
		}
		// An update may move an entity to any time; what arrives must be young.
		if o.kind == put && (e.last == nil || m.fixed[m.time]) && !w.inTime(w.fill(row{entity: o.entity, kind: stateRow}, o.body), o.batch) {
			continue
		}
		switch {
		case o.kind == repeat:
			if e.latest != nil && !m.cancels() {
				again := *e.latest
				again.again, again.batch, again.op, again.shuffle = true, o.batch, i, o.shuffle
				again.values = slices.Clone(again.values)
				all = append(all, again)
			}
		case m.cancels():
			if e.last != nil {
				emit(i, o, cancelRow, e.last.values, min(o.cancel, o.batch))
			}
			if o.kind == put {
				emit(i, o, stateRow, o.body, o.batch)
			}
		case o.kind == put:
			if e.latest == nil || m.changes() {
				emit(i, o, stateRow, o.body, o.batch)
			}
		case e.last != nil && m.deleted >= 0:
			emit(i, o, deleteRow, e.last.values, o.batch)
		}
	}
	return w.arrange(all)
}

// arrange sorts events into inserts. Within one insert the order is shuffled,
// except where the feed is in order.
func (w *workload) arrange(all []row) [][]row {
	out := make([][]row, w.batches)
	for _, r := range all {
		out[r.batch] = append(out[r.batch], r)
	}
	ordered := w.model.design.Source.Feed == designer.Collapsing || w.model.mark >= 0
	for b := range out {
		if !ordered {
			slices.SortStableFunc(out[b], func(x, y row) int { return cmp.Compare(x.shuffle+uint64(x.seq)*7919, y.shuffle+uint64(y.seq)*7919) })
		}
	}
	w.stamp(out)
	return out
}

// fill completes a row's values: the entity's key, version, flag and sign.
func (w *workload) fill(r row, body []literal) []literal {
	m := w.model
	out := slices.Clone(body)
	if r.blank {
		for i := range out {
			out[i] = zero(m.types[i])
		}
	}
	for i, c := range m.key {
		out[c] = w.entities[r.entity][i]
	}
	gone := r.kind == cancelRow || r.kind == deleteRow
	if m.deleted >= 0 {
		out[m.deleted] = flagValue(m.types[m.deleted], gone)
	}
	if m.sign >= 0 {
		out[m.sign] = map[bool]literal{true: "-1", false: "1"}[gone]
	}
	// Where a sign tells, the cancel row carries the version it cancels: body has it.
	if m.version >= 0 && m.changes() && !(m.sign >= 0 && gone) {
		out[m.version] = number(m.types[m.version], w.base+int64(r.seq)*w.scale)
	}
	return out
}

func flagValue(t designer.Type, on bool) literal {
	if t.Family() == "Bool" {
		return strconv.FormatBool(on)
	}
	if on {
		return "1"
	}
	return "0"
}

// number gives the literal of a counter for a numeric or temporal type.
func number(t designer.Type, n int64) literal {
	switch {
	case t.DateOnly():
		return moment(t.Bare(), versionStart.AddDate(0, 0, int(n)))
	case t.Temporal():
		return moment(t.Bare(), versionStart.Add(time.Duration(n)*time.Second))
	case t.Decimal():
		return quote(strconv.FormatInt(n, 10))
	case t.Integer():
		low, high := intRange(t.Bare())
		v := big.NewInt(n)
		if v.Cmp(high) > 0 {
			v.Mod(v, high)
		}
		if v.Cmp(low) < 0 {
			v.Set(low)
		}
		return v.String()
	case t.Numeric():
		return strconv.FormatInt(n, 10)
	}
	return quote(strconv.FormatInt(1_000_000_000+n, 10))
}

var versionStart = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// flatten gives all events of the first n inserts.
func flatten(batches [][]row, n int) []row {
	var out []row
	for _, b := range batches[:min(n, len(batches))] {
		out = append(out, b...)
	}
	return out
}
