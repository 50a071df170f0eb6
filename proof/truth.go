package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// cell is what an answer must hold in one place. Most are one value; where the
// contract leaves room (ties, approximations), it says which values fit.
type cell struct {
	text string
	fits func(value) bool
}

func exactly(v value) cell {
	return cell{v.text, func(got value) bool { return same(v, got, false) }}
}

func roundly(v value) cell {
	return cell{v.text, func(got value) bool { return same(v, got, true) }}
}

// truth is the answer a history must give: per grain, a cell per metric.
type truth struct {
	grains map[string]*truthRow
	order  []string
}

type truthRow struct {
	grain []value
	cells []cell
}

// fold computes the truth in Go, from the rows that stand and what the
// expressions say of them.
func (e *evaluator) fold(alive []row, seen map[string]lens) (*truth, error) {
	m := e.model
	t := &truth{grains: map[string]*truthRow{}}
	groups := map[string][]lens{}
	for _, r := range alive {
		l := seen[rowID(r.values)]
		if !l.pass || (m.time >= 0 && l.bucket.null) {
			continue
		}
		if m.time >= 0 {
			if want, ok := m.calendarBucket(r.values[m.time]); ok && want != l.bucket.text {
				return nil, fmt.Errorf("the two truths differ on a bucket: the calendar says %s, the engine %s", want, l.bucket.text)
			}
		}
		var grain []value
		if m.time >= 0 {
			grain = append(grain, l.bucket)
		}
		grain = append(grain, l.dims...)
		id := grainID(grain)
		if _, ok := t.grains[id]; !ok {
			t.grains[id] = &truthRow{grain: grain}
			t.order = append(t.order, id)
		}
		groups[id] = append(groups[id], l)
	}
	for id, rows := range groups {
		t.grains[id].cells = e.cells(rows)
	}
	slices.SortFunc(t.order, func(a, b string) int { return compareGrains(t.grains[a].grain, t.grains[b].grain) })
	return t, nil
}

func compareGrains(a, b []value) int {
	for i := range a {
		switch {
		case a[i].null && b[i].null:
		case a[i].null:
			return 1
		case b[i].null:
			return -1
		default:
			if c := compare(a[i], b[i]); c != 0 {
				return c
			}
		}
	}
	return 0
}

func rowID(values []literal) string { return strings.Join(values, "\x00") }

// grainID tells grains apart; moments by the instant, whatever zone shows them.
func grainID(grain []value) string {
	var b strings.Builder
	for _, v := range grain {
		text := v.text
		switch {
		case v.at != nil && len(text) > len("2006-01-02"):
			text = fmt.Sprint("@", v.at.Unix())
		case v.float != nil && *v.float == 0:
			text = "0"
		case v.null:
			text = "\x01"
		}
		b.WriteString(text)
		b.WriteByte(0)
	}
	return b.String()
}

// mismatch is one grain in which an answer is not the truth.
type mismatch struct {
	grain  []value
	metric string // "" where the whole row is missing or should not be there
	want   string
	got    string
}

// String tells a mismatch on one line.
func (m mismatch) String() string {
	where := make([]string, len(m.grain))
	for i, v := range m.grain {
		where[i] = v.text
	}
	text := "(" + strings.Join(where, ", ") + ")"
	if m.metric != "" {
		text += " " + m.metric
	}
	return fmt.Sprintf("%s: %s instead of %s", text, m.got, m.want)
}

// differences compares an answer with the truth.
func (t *truth) differences(d *designer.Design, got *table) []mismatch {
	width := len(d.Grain.Dimensions)
	if d.Grain.Time != nil {
		width++
	}
	var out []mismatch
	found := map[string]bool{}
	for _, line := range got.rows {
		id := grainID(line[:width])
		want, ok := t.grains[id]
		switch {
		case found[id]:
			out = append(out, mismatch{grain: line[:width], want: "one row", got: "a second row"})
			continue
		case !ok:
			out = append(out, mismatch{grain: line[:width], want: "no row", got: "a row"})
			continue
		}
		found[id] = true
		for i, c := range want.cells {
			if !c.fits(line[width+i]) {
				out = append(out, mismatch{line[:width], d.Metrics[i].Name, c.text, line[width+i].text})
			}
		}
	}
	for _, id := range t.order {
		if !found[id] {
			out = append(out, mismatch{grain: t.grains[id].grain, want: "a row", got: "no row"})
		}
	}
	return out
}

// plain gives the truth for a person.
func (t *truth) plain(d *designer.Design) []map[string]string {
	out := []map[string]string{}
	for _, id := range t.order {
		r, line, n := t.grains[id], map[string]string{}, 0
		if d.Grain.Time != nil {
			line[d.Grain.Time.Name] = r.grain[0].text
			n++
		}
		for i, x := range d.Grain.Dimensions {
			line[x.Name] = r.grain[n+i].text
		}
		for i, c := range r.cells {
			line[d.Metrics[i].Name] = c.text
		}
		out = append(out, line)
	}
	return out
}
