package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
)

// shape is one of nine ways in which changes reach a ReplacingMergeTree(version)
// in the field, as a history of two to four rows, and which rollups answer
// rightly over it.
type shape struct {
	name   string
	events []shapeEvent
	right  string // of: naive, ledger, response (keyed by day and response), entity
}

type shapeEvent struct {
	id, day, response, value int
	version                  int
	deleted                  bool
	blank                    bool
}

var shapes = []shape{
	{"A: an update arrives as cancel row and new row", []shapeEvent{
		{id: 1, day: 1, response: 1, value: 5, version: 1}, {id: 1, day: 1, response: 1, value: 5, version: 2, deleted: true}, {id: 1, day: 1, response: 1, value: 7, version: 3},
	}, "ledger response entity"},
	{"B: an update arrives as a new version only", []shapeEvent{
		{id: 1, day: 1, response: 1, value: 5, version: 1}, {id: 1, day: 1, response: 1, value: 7, version: 3},
	}, "response entity"},
	{"C: a delete row carries only the key", []shapeEvent{
		{id: 1, day: 1, response: 1, value: 5, version: 1}, {id: 1, version: 2, deleted: true, blank: true},
	}, "entity"},
	{"D: two rows share a response and one is deleted", []shapeEvent{
		{id: 1, day: 1, response: 1, value: 5, version: 1}, {id: 2, day: 1, response: 1, value: 6, version: 1}, {id: 2, day: 1, response: 1, value: 6, version: 2, deleted: true},
	}, "ledger entity"},
	{"E: the time moves, with a cancel row", []shapeEvent{
		{id: 1, day: 1, response: 1, value: 5, version: 1}, {id: 1, day: 1, response: 1, value: 5, version: 2, deleted: true}, {id: 1, day: 2, response: 1, value: 5, version: 3},
	}, "ledger response entity"},
	{"E2: the time moves, without a cancel row", []shapeEvent{
		{id: 1, day: 1, response: 1, value: 5, version: 1}, {id: 1, day: 2, response: 1, value: 5, version: 3},
	}, "entity"},
	{"F: the last row is delivered twice", []shapeEvent{
		{id: 1, day: 1, response: 1, value: 7, version: 1}, {id: 1, day: 1, response: 1, value: 7, version: 1},
	}, "response entity"},
	{"G: an older version arrives after the newer", []shapeEvent{
		{id: 1, day: 1, response: 1, value: 7, version: 3}, {id: 1, day: 1, response: 1, value: 5, version: 1},
	}, "response entity"},
	{"H: an older version arrives late, with its cancel row", []shapeEvent{
		{id: 1, day: 1, response: 1, value: 7, version: 3}, {id: 1, day: 1, response: 1, value: 5, version: 1}, {id: 1, day: 1, response: 1, value: 5, version: 2, deleted: true},
	}, "ledger response entity"},
}

// workloadOf makes the history of a shape, one insert per event; the answer is
// compared after the last.
func (s shape) workload(m *model) *workload {
	w := &workload{model: m, seed: 2, given: make([][]row, len(s.events))}
	for i, e := range s.events {
		kind := stateRow
		deleted := "0"
		if e.deleted {
			kind, deleted = deleteRow, "1"
		}
		at := literal("0")
		if e.day > 0 {
			at = moment("DateTime", dateTimeStart.AddDate(54, 0, e.day))
		}
		w.given[i] = []row{{entity: e.id, seq: e.version, kind: kind, batch: i, blank: true, values: []literal{
			fmt.Sprint(e.id), at, fmt.Sprint(e.response), fmt.Sprint(e.value), fmt.Sprint(e.version), deleted}}}
	}
	w.batches = len(s.events)
	w.script = []act{{kind: actUp}}
	for i := range s.events {
		w.script = append(w.script, act{kind: actInsert, batch: i})
	}
	w.script = append(w.script, act{kind: actFinal})
	return w
}

// byResponse is the narrow target keyed by day and response that people write:
// right only where a response belongs to one entity that never moves.
var byResponse = Statements{
	Pattern: "response",
	Up: []string{
		"CREATE DATABASE IF NOT EXISTS proof_target_slot",
		"CREATE TABLE proof_target_slot.r (day Date, response UInt64, version UInt64, deleted UInt8) ENGINE = ReplacingMergeTree(version) ORDER BY (day, response)",
		"CREATE MATERIALIZED VIEW proof_target_slot.v TO proof_target_slot.r AS SELECT toDate(at, 'UTC') AS day, response, version, deleted FROM proof_source_slot.events",
	},
	Query: "SELECT day, uniqExact(response) AS responses FROM proof_target_slot.r FINAL WHERE deleted = 0 GROUP BY day ORDER BY day",
}

func containsWord(text, word string) bool { return slices.Contains(strings.Fields(text), word) }

func shapeDesign(feed designer.Feed, metrics ...designer.Metric) *designer.Design {
	d := &designer.Design{Format: 1, Name: "shapes", Source: designer.Source{Database: "field", Table: "events",
		Engine: "ReplacingMergeTree(version)", OrderBy: []string{"id"}, Feed: feed, Key: []string{"id"}, Version: "version", Deleted: "deleted",
		Columns: []designer.Column{{Name: "id", Type: "UInt64"}, {Name: "at", Type: "DateTime"}, {Name: "response", Type: "UInt64"},
			{Name: "value", Type: "Int64"}, {Name: "version", Type: "UInt64"}, {Name: "deleted", Type: "UInt8"}}},
		Grain:   designer.Grain{Time: &designer.Time{Name: "day", Column: "at", Bucket: "1 day", Timezone: "UTC"}},
		Metrics: metrics,
		Target:  designer.Target{Database: "rollups", Prefix: "shapes"}}
	d.Normalise()
	return d
}

func TestFieldShapes(t *testing.T) {
	e, ctx := engine(t), context.Background()
	totals := []designer.Metric{{Name: "total", Kind: designer.Sum, Expr: "value"}, {Name: "events", Kind: designer.Count}}
	distinct := designer.Metric{Name: "responses", Kind: designer.CountDistinct, Expr: "response"}
	for _, c := range []struct {
		name, pattern string
		feed          designer.Feed
		metrics       []designer.Metric
	}{
		{"naive", "aggregating", designer.Upsert, totals},
		{"ledger", "ledger", designer.Ledger, totals},
		{"response", "", designer.Upsert, []designer.Metric{distinct}},
		{"entity", "replacing", designer.Upsert, append(totals, distinct)},
	} {
		d := shapeDesign(c.feed, c.metrics...)
		rollup, facts, err := resolve(ctx, e, d)
		if err != nil {
			t.Fatal(err)
		}
		s := byResponse
		if c.pattern != "" {
			s = *fromPlan(pattern.Force(rollup, c.pattern))
		} else {
			s.Truth = pattern.Force(rollup, "direct").Truth
		}
		p, err := newProver(e.Conn(), d, facts, &s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, shape := range shapes {
			w := shape.workload(p.model)
			w.quiet = true
			fail, err := p.round(w, 0).run(ctx)
			if err != nil {
				t.Fatalf("%s over %s: %v", c.name, shape.name, err)
			}
			want := containsWord(shape.right, c.name)
			if got := fail == nil; got != want {
				t.Errorf("%s over %q: right = %v, want %v (%+v)", c.name, shape.name, got, want, fail)
			}
		}
	}
}
