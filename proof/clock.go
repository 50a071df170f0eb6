package proof

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/designer"
)

// Where a design says when its entities settle, a round has a clock of its own:
// statements read it instead of now(), so that weeks pass between two inserts
// and the same seed still tells the same story.

const clockTable = "proof_clock"

var nowCall = regexp.MustCompile(`\bnow\(\)`)

// clocked gives a script with the round's clock in place of now().
func clocked(script string) string {
	return nowCall.ReplaceAllString(script, "assumeNotNull((SELECT max(at) FROM "+sourceSlot+"."+clockTable+"))")
}

// readSettles learns how long after its time an entity may still change.
func (m *model) readSettles() {
	if m.time < 0 || m.design.Stability.Settles == "" {
		return
	}
	if iv, err := designer.ParseInterval(m.design.Stability.Settles); err == nil {
		m.settles = iv.Seconds()
	}
}

// keep gives how far back times may lie so that the last tier still holds them,
// and the ages at which finer tiers let go; zero where nothing expires.
func (m *model) keep() (last time.Duration, ages []time.Duration) {
	for i, t := range m.design.Tiers {
		iv, err := designer.ParseInterval(t.TTL)
		if err != nil {
			continue
		}
		age := time.Duration(iv.Seconds()) * time.Second
		if i == len(m.design.Tiers)-1 {
			last = age
		} else {
			ages = append(ages, age)
		}
	}
	return last, ages
}

// times picks the moments that a round's events gather around.
func (m *model) times(rng *rand.Rand) []time.Time {
	last, ages := m.keep()
	if last == 0 {
		return edges(rng, m.zone, m.bucket)
	}
	var out []time.Time
	for range 2 + rng.IntN(4) {
		back := time.Duration(rng.Int64N(int64(last) * 3 / 4))
		if len(ages) > 0 && rng.IntN(2) == 0 {
			back = pick(rng, ages)*9/10 + time.Duration(rng.Int64N(int64(48*time.Hour)))
		}
		if rng.IntN(3) == 0 {
			back = time.Duration(rng.Int64N(int64(2 * time.Hour)))
		}
		out = append(out, m.now.Add(-min(back, last*3/4)).Truncate(time.Second))
	}
	return out
}

// setClocks gives every insert its moment: the clock moves on by nothing, by a
// bucket, by the time to settle, and by just less and more.
func (w *workload) setClocks(p *palette) {
	m := w.model
	if m.settles == 0 {
		return
	}
	steps := []int64{0, 1, m.bucket.Seconds(), m.settles - 1, m.settles, m.settles + 1,
		2*m.settles + m.bucket.Seconds(), 2*m.settles + m.bucket.Seconds()}
	at := p.times[0].Unix()
	for range w.batches {
		w.clocks = append(w.clocks, at)
		at += pick(p.rng, steps)
	}
	w.end = at + 2*m.settles + 2*m.bucket.Seconds()
	if m.bucket.Seconds() > 86400 {
		w.end += 3 * m.bucket.Seconds()
	}
	p.times = p.times[:0]
	for _, c := range w.clocks {
		for _, back := range []int64{0, 1, -1, m.settles, m.settles - 1, m.settles / 2, m.bucket.Seconds()} {
			if p.rng.IntN(3) == 0 {
				p.times = append(p.times, time.Unix(c-back, 0).UTC())
			}
		}
	}
	p.times = append(p.times, time.Unix(w.clocks[0], 0).UTC())
}

// date gives a body a time that suits the clock: what arrives is young, and an
// update may move it anywhere, also to where others have settled.
func (w *workload) date(p *palette, body []literal, batch int, arrives bool) {
	m := w.model
	if !w.datable() || body[m.time] == null || (!arrives && p.rng.IntN(3) == 0) {
		return
	}
	back := pick(p.rng, []int64{0, 0, 1, -1, m.settles, m.settles - 1, m.settles / 2, m.bucket.Seconds() / 2})
	at := w.clocks[batch] - min(back, m.settles)
	if !arrives && p.rng.IntN(2) == 0 {
		at = w.clocks[0] - min(back, m.settles)
	}
	if m.types[m.time].DateOnly() && arrives {
		at += 86399 // the day begins before the moment
	}
	body[m.time] = moment(m.types[m.time].Bare(), time.Unix(at, 0).In(zoneOf(m.types[m.time])))
}

// datable reports whether times may be chosen apart from the other values: they
// are no part of the key and of no expression that is stable.
func (w *workload) datable() bool {
	m := w.model
	for _, path := range m.steady {
		if slices.Contains(m.columnsOf(path), m.time) {
			return false
		}
	}
	return w.clocks != nil && !slices.Contains(m.key, m.time)
}

// inTime reports whether a row with these values may still arrive with an insert.
func (w *workload) inTime(values []literal, batch int) bool {
	if w.clocks == nil || values == nil {
		return true
	}
	return w.inTimeAt(values, w.clocks[batch])
}

func (w *workload) inTimeAt(values []literal, clock int64) bool {
	at, ok := unix(w.model.types[w.model.time], values[w.model.time])
	return !ok || at >= clock-w.model.settles
}

// unix reads a moment's literal back; false for NULL.
func unix(t designer.Type, l literal) (int64, bool) {
	text := strings.Trim(l, "'")
	if t.DateOnly() {
		day, err := time.Parse("2006-01-02", text)
		return day.Unix(), err == nil
	}
	text, _, _ = strings.Cut(text, ".")
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// clockSQL sets the round's clock.
func clockSQL(database string, at int64) string {
	return fmt.Sprintf("INSERT INTO %s.%s VALUES (%d)", ident(database), clockTable, at)
}
