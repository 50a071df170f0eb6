package proof

import (
	"cmp"
	"slices"
)

// standing gives the rows that count once the given events have arrived, each
// from what the generator knows of them and not from what an engine says. settled
// is false while a cancel row and its row have not both arrived.
func (m *model) standing(events []row) (alive []row, settled bool) {
	type id struct{ entity, seq int }
	switch {
	case len(m.key) == 0:
		return events, true
	case m.sign >= 0 && m.cancels():
		// A cancel takes back the state row made just before it.
		net := map[id]int{}
		rows := map[id]row{}
		states := map[int]int{}
		for _, r := range events {
			if r.kind == cancelRow {
				net[id{r.entity, r.seq - 1}]--
			} else {
				net[id{r.entity, r.seq}]++
				rows[id{r.entity, r.seq}] = r
			}
		}
		settled = true
		for k, n := range net {
			if n < 0 {
				settled = false
			}
			if n > 0 {
				alive = append(alive, rows[k])
				states[k.entity] += n
			}
		}
		for _, n := range states {
			settled = settled && n == 1 // a new row has come before its cancel row
		}
	default:
		latest := map[int]row{}
		for _, r := range events {
			if was, ok := latest[r.entity]; !ok || r.seq >= was.seq {
				if !(ok && r.seq == was.seq) {
					latest[r.entity] = r
				}
			}
		}
		for _, r := range latest {
			if r.kind != cancelRow && r.kind != deleteRow {
				alive = append(alive, r)
			}
		}
		settled = true
	}
	slices.SortFunc(alive, func(x, y row) int { return cmp.Or(cmp.Compare(x.entity, y.entity), cmp.Compare(x.seq, y.seq)) })
	return alive, settled
}
