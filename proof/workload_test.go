package proof

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/designer"
)

// modelOf gives the model of a design whose expressions are plain columns.
func modelOf(t testing.TB, feed designer.Feed) *model {
	t.Helper()
	d := cellDesign(feed, true, cellMetrics[:2])
	facts := &designer.Facts{Exprs: map[string]designer.ExprFact{
		"filter":                   {Type: "UInt8", Columns: []string{"status"}},
		"grain.dimensions[0].expr": {Type: "LowCardinality(String)", Columns: []string{"country"}},
		"metrics[1].expr":          {Type: "Decimal(18, 2)", Columns: []string{"amount"}},
	}}
	m, err := newModel(d, facts)
	if err != nil {
		t.Fatal(err)
	}
	m.steady = nil // evaluated by an engine only
	return m
}

func make1(t testing.TB, m *model, seed uint64) *workload {
	t.Helper()
	w, err := (&generator{model: m}).workload(t.Context(), seed, 24)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func describe(batches [][]row) []string {
	var out []string
	for i, b := range batches {
		for _, r := range b {
			out = append(out, fmt.Sprint(i, r.kind, r.entity, r.seq, r.again, r.values))
		}
	}
	return out
}

func TestSameSeedSameEvents(t *testing.T) {
	for _, feed := range designer.Feeds {
		m := modelOf(t, feed)
		a, b := make1(t, m, 42), make1(t, m, 42)
		if d := cmp.Diff(describe(a.rows()), describe(b.rows())); d != "" {
			t.Errorf("%s (-first +second):\n%s", feed, d)
		}
		if slices.Equal(describe(a.rows()), describe(make1(t, m, 43).rows())) {
			t.Errorf("%s: two seeds make the same events", feed)
		}
	}
}

// Every cancel row repeats the row it takes back, once, and comes after it; a
// version lies between the two.
func TestLedgerKeepsItsPromise(t *testing.T) {
	m := modelOf(t, designer.Ledger)
	for seed := range uint64(200) {
		state := map[int]*row{}
		for _, b := range make1(t, m, seed).rows() {
			slices.SortStableFunc(b, func(x, y row) int { return x.seq - y.seq })
			for _, r := range b {
				was := state[r.entity]
				switch {
				case r.kind == stateRow && was != nil:
					t.Fatalf("seed %d: entity %d changes without a cancel row", seed, r.entity)
				case r.kind == cancelRow && was == nil:
					t.Fatalf("seed %d: entity %d is cancelled and does not stand", seed, r.entity)
				case r.kind == cancelRow:
					for c := range r.values {
						if c != m.version && c != m.deleted && r.values[c] != was.values[c] {
							t.Fatalf("seed %d: a cancel row says %s instead of %s", seed, r.values[c], was.values[c])
						}
					}
					if r.seq <= was.seq || r.values[m.deleted] != "1" {
						t.Fatalf("seed %d: cancel row %v", seed, r.values)
					}
					state[r.entity] = nil
				default:
					kept := r
					state[r.entity] = &kept
				}
			}
		}
	}
}

// Whatever changes are left out, what remains is a history that the feed allows:
// so the shrinker cannot invent a counterexample.
func TestPartsOfAHistoryAreLegal(t *testing.T) {
	for _, feed := range []designer.Feed{designer.Upsert, designer.Ledger, designer.Collapsing, designer.VersionedCollapsing} {
		m := modelOf(t, feed)
		for seed := range uint64(100) {
			w := make1(t, m, seed).clone()
			for i := len(w.ops) - 1; i >= 0; i -= 2 {
				w.ops = slices.Delete(w.ops, i, i+1)
			}
			events := flatten(w.rows(), w.batches)
			if err := m.legal(events, map[string]lens{}); err != nil {
				t.Fatalf("%s, seed %d: %v", feed, seed, err)
			}
			versions := map[string]string{}
			for _, r := range events {
				id := fmt.Sprint(r.entity, " ", r.values[max(m.version, 0)])
				if said, ok := versions[id]; ok && m.version >= 0 && m.sign < 0 && said != rowID(r.values) {
					t.Fatalf("%s, seed %d: two rows of one version", feed, seed)
				}
				versions[id] = rowID(r.values)
			}
		}
	}
}

// Once every row has arrived, at most one row of an entity stands.
func TestOneRowStands(t *testing.T) {
	for _, feed := range designer.Feeds[1:] {
		m := modelOf(t, feed)
		for seed := range uint64(100) {
			w := make1(t, m, seed)
			alive, settled := m.standing(flatten(w.rows(), w.batches))
			if !settled {
				t.Fatalf("%s, seed %d: a cancel row stands without its row", feed, seed)
			}
			seen := map[int]bool{}
			for _, r := range alive {
				if seen[r.entity] {
					t.Fatalf("%s, seed %d: entity %d stands twice", feed, seed, r.entity)
				}
				seen[r.entity] = true
			}
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         []string
	}{
		{"two", "SELECT 1; SELECT 2;", []string{"SELECT 1", "SELECT 2"}},
		{"semicolon in quotes", "SELECT ';', `a;b`, 'it\\';s'; SELECT 2", []string{"SELECT ';', `a;b`, 'it\\';s'", "SELECT 2"}},
		{"comments are no statements", "-- one; two\n/* three; */\n", nil},
		{"comment before a statement stays", "-- why\nSELECT 1;", []string{"-- why\nSELECT 1"}},
		{"empty", " ;;\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, Split(c.script)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestLiteralsSurviveQuoting(t *testing.T) {
	for _, s := range hostileStrings {
		q := quote(s)
		if !strings.HasPrefix(q, "'") || !strings.HasSuffix(q, "'") || closing(q, 0) != len(q)-1 {
			t.Errorf("%q is quoted as %s", s, q)
		}
	}
}

// The rows of history lie at or below the watermark, those after it above, but
// for a repeat, which is the same row as before.
func TestWatermarkParts(t *testing.T) {
	d := cellDesign(designer.Upsert, true, cellMetrics[:1])
	d.Backfill = designer.Backfill{Mode: designer.BackfillWatermark, Column: "version", Value: "1000000"}
	m, err := newModel(d, &designer.Facts{Exprs: map[string]designer.ExprFact{}})
	if err != nil {
		t.Fatal(err)
	}
	m.steady = nil
	repeats := 0
	for seed := range uint64(200) {
		w := make1(t, m, seed)
		seen := map[string]bool{}
		for i, b := range w.rows() {
			for _, r := range b {
				mark, err := strconv.Atoi(r.values[m.mark])
				if err != nil {
					t.Fatal(err)
				}
				id := fmt.Sprint(r.entity, " ", r.seq)
				if seen[id] {
					repeats++
				} else if (mark <= 1000000) != (i < w.history) {
					t.Fatalf("seed %d: insert %d of %d in history has %d", seed, i+1, w.history, mark)
				}
				seen[id] = true
			}
		}
	}
	if repeats == 0 {
		t.Error("no row was repeated, so the test shows little")
	}
}
