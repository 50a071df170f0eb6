package proof

import (
	"math/big"
	"strconv"
	"time"

	"github.com/rollsmith/rollsmith/designer"
)

// stamp writes the watermark column: at most its value for the rows of history,
// above it for those after.
func (w *workload) stamp(batches [][]row) {
	m := w.model
	if m.mark < 0 {
		return
	}
	old := map[[2]int]bool{}
	for _, r := range flatten(batches, w.history) {
		old[[2]int{r.entity, r.seq}] = true
	}
	before, n := len(old), 0
	first := map[[2]int]literal{} // a repeated row is the same row
	for _, b := range batches {
		for i := range b {
			id := [2]int{b[i].entity, b[i].seq}
			if at, ok := first[id]; ok {
				b[i].values[m.mark] = at
				continue
			}
			n++
			step := int64(n - before)
			if step > 0 {
				step = step*3 - 2
			}
			b[i].values[m.mark] = offset(m.types[m.mark], m.design.Backfill.Value, step)
			first[id] = b[i].values[m.mark]
		}
	}
}

// offset gives a watermark's value some steps further.
func offset(t designer.Type, value string, steps int64) literal {
	bare := t.Bare()
	switch {
	case bare.DateOnly():
		if at, err := time.Parse("2006-01-02", value); err == nil {
			return moment(bare, at.AddDate(0, 0, int(steps)))
		}
	case bare.Temporal():
		for _, layout := range []string{"2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02"} {
			if at, err := time.ParseInLocation(layout, value, zoneOf(bare)); err == nil {
				return moment(bare, at.Add(time.Duration(steps)*time.Second))
			}
		}
		if sec, err := strconv.ParseInt(value, 10, 64); err == nil {
			return moment(bare, time.Unix(sec+steps, 0).UTC())
		}
	case bare.Numeric():
		if r, ok := new(big.Rat).SetString(value); ok {
			r.Add(r, new(big.Rat).SetInt64(steps))
			_, scale := precision(bare)
			text := r.FloatString(scale)
			if bare.Decimal() {
				return quote(text)
			}
			return text
		}
	}
	if steps <= 0 {
		return quote(value)
	}
	return quote(value + strconv.FormatInt(1_000_000+steps, 10))
}
