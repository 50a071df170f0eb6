package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/rollsmith/rollsmith/bench"
	"github.com/rollsmith/rollsmith/cluster"
	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/store"
	"github.com/rollsmith/rollsmith/web"
)

// costLimit bounds an estimate; a page waits for it.
const costLimit = 60 * time.Second

// costSheets is the estimate as it is kept: of the source as it was then, or,
// where no cluster is connected, of generated rows.
type costSheets struct {
	Where  string      `json:"where"`
	Real   bool        `json:"real"` // rows and groups are those of the source
	Rows   uint64      `json:"rows"`
	Grains []costSheet `json:"grains"`
	Direct string      `json:"direct"` // the query that needs no rollup
	Size   *bench.Size `json:"size,omitempty"`
}

// costSheet is one grain of it; the first is that of the design's answer.
type costSheet struct {
	Name       string  `json:"name"`
	Groups     uint64  `json:"groups"`
	Low        uint64  `json:"low"`
	High       uint64  `json:"high"`
	KeyBytes   float64 `json:"key_bytes"`
	StateBytes float64 `json:"state_bytes"`
	Written    float64 `json:"written"`
	Says       string  `json:"says"`
	Basis      string  `json:"basis"`
	Own        bool    `json:"own"` // it is what the pattern keeps
}

// estimateCost makes the sheets of a revision and keeps them with it: the first
// stays what the design was chosen by, and newer ones come after it.
func (h *Handlers) estimateCost(w http.ResponseWriter, r *http.Request) error {
	d, n, err := h.addressed(r)
	if err != nil {
		return err
	}
	revision, err := h.Store.Revision(r.Context(), d.ID, n)
	if err != nil {
		return err
	}
	doc, err := designer.Parse(revision.Document)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), costLimit)
	defer cancel()
	sheets, err := h.costSheets(ctx, d.Cluster, doc, revision.Pattern)
	if err != nil {
		return err
	}
	text, err := json.Marshal(sheets)
	if err != nil {
		return err
	}
	if err := h.Store.AddBench(r.Context(), &store.Bench{DesignID: d.ID, N: n, Kind: store.Estimated, State: store.Done, Request: []byte("{}"), Result: text}); err != nil {
		return err
	}
	return seeOther(w, r, fmt.Sprintf("/d/%s/r/%d/bench#grains", d.ID, n))
}

// costSheets asks the cluster where there is one, and else the sandbox.
func (h *Handlers) costSheets(ctx context.Context, name string, doc *designer.Design, id string) (*costSheets, error) {
	rollup, err := h.resolve(ctx, doc)
	if err != nil {
		return nil, err
	}
	out := &costSheets{Direct: pattern.Direct.Plan(rollup).Truth}
	if c, err := h.Clusters.Get(name); err == nil {
		return out, out.ask(ctx, c, rollup, id)
	}
	engine, err := h.Sandbox.Engine()
	if err != nil {
		return nil, err
	}
	size := bench.DefaultSize(doc.Source.Feed)
	size.Entities /= 4 // a page waits
	weights, err := bench.Weigh(ctx, engine, rollup, id, size, bench.DefaultLimits)
	if err != nil {
		return nil, err
	}
	out.Size = &size
	for _, w := range weights {
		out.Rows = w.Rows
		out.Grains = append(out.Grains, costSheet{Name: w.Grain.Name, Own: w.Grain.Own, Groups: w.Groups, Low: w.Groups, High: w.Groups, KeyBytes: w.KeyBytes, StateBytes: w.StateBytes})
	}
	out.Where = fmt.Sprintf("In the sandbox (ClickHouse %s), on %s of this shape: bytes are of the source's own types, rows and groups of the size that was generated.", engine.Version(), web.Plural(out.Rows, "generated row"))
	return out, nil
}

// ask has a cluster measure the grains on the source itself.
func (s *costSheets) ask(ctx context.Context, c *cluster.Cluster, r *designer.Rollup, id string) error {
	grains := bench.Grains(r, id)
	var candidates []cluster.Candidate
	for _, g := range grains {
		one := cluster.Candidate{Name: g.Name, By: g.By}
		for i, state := range g.States {
			one.States = append(one.States, cluster.Named{Name: fmt.Sprintf("state %d", i+1), Expr: state})
		}
		candidates = append(candidates, one)
	}
	sheets, err := c.Cost(ctx, r.Source, candidates...)
	if err != nil {
		return err
	}
	s.Real = true
	for i, x := range sheets {
		s.Rows = x.SourceRows
		one := costSheet{Name: x.Candidate.Name, Own: grains[i].Own, Groups: x.Groups, Low: x.Low, High: x.High, KeyBytes: x.KeyBytes, StateBytes: x.StateBytes, Written: x.Written, Says: x.Verdict}
		if one.Basis = x.Basis.Sample; one.Basis != "" {
			one.Basis += ", confidence " + string(x.Basis.Confidence)
		}
		for _, m := range x.Missing {
			one.Says += " " + m
		}
		s.Grains = append(s.Grains, one)
	}
	s.Where = "On " + c.Name() + ", by bounded reads of the source."
	return nil
}

// costView gives the newest estimate of a revision.
func (h *Handlers) costView(ctx context.Context, design string, n int) (web.Cost, error) {
	kept, found, err := h.Store.LastBench(ctx, design, n, store.Estimated, true)
	if err != nil || !found {
		return web.Cost{}, err
	}
	var s costSheets
	if err := json.Unmarshal(kept.Result, &s); err != nil {
		return web.Cost{}, fmt.Errorf("estimate %d: %w", kept.ID, err)
	}
	v := web.Cost{Kept: true, Rows: s.Rows, Where: s.Where, Created: kept.Created}
	for _, g := range s.Grains {
		row := web.CostRow{Name: g.Name, Own: g.Own, Groups: g.Groups, Low: g.Low, High: g.High, KeyBytes: g.KeyBytes, States: g.StateBytes,
			Bytes: uint64((g.KeyBytes + g.StateBytes) * float64(g.Groups)), Written: g.Written, Says: g.Says, Basis: g.Basis}
		if g.Groups > 0 {
			row.Reduction = float64(s.Rows) / float64(g.Groups)
		}
		v.Grains = append(v.Grains, row)
	}
	if s.Real && len(s.Grains) > 0 {
		if against := designer.NotWorth(designer.Size{Rows: s.Rows, Groups: s.Grains[0].Groups}); against != nil {
			v.NotWorth, v.Direct = &web.ReasonRow{Code: against.Code, Text: against.Text}, s.Direct
		}
	}
	return v, nil
}

const sourceRowsSQL = "SELECT toInt64(ifNull(total_rows, -1)) FROM system.tables WHERE database = {database:String} AND name = {table:String}"

// worthNote says on a draft's choice page what is known against any rollup.
func worthNote(rows int64) *web.ReasonRow {
	if rows < 0 {
		return nil
	}
	if against := designer.NotWorth(designer.Size{Rows: uint64(rows)}); against != nil {
		return &web.ReasonRow{Code: against.Code, Text: against.Text}
	}
	return nil
}

// sourceRows asks the cluster for the source's number of rows, and is -1 where
// nobody knows: the cluster is away, or the source is a view.
func (h *Handlers) sourceRows(ctx context.Context, name string, doc *designer.Design) int64 {
	c, err := h.Clusters.Get(name)
	if err != nil {
		return -1
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	rows, _, err := cluster.Values[int64](ctx, c, cluster.Ask{For: "size of a source", SQL: sourceRowsSQL,
		Params: map[string]any{"database": doc.Source.Database, "table": doc.Source.Table}})
	if err != nil || len(rows) == 0 {
		return -1
	}
	return rows[0]
}

// offBy holds the estimate of what the design's pattern keeps against what a
// bench of it measured: bytes of a row, before compression.
func offBy(c web.Cost, r bench.Result, id string) []web.Fact {
	at := slices.IndexFunc(c.Grains, func(g web.CostRow) bool { return g.Own })
	if at < 0 {
		return nil
	}
	own := c.Grains[at]
	for _, x := range r.Candidates {
		estimated := own.KeyBytes + own.States
		if x.ID != id || x.Target == nil || x.Target.Rows == 0 || estimated == 0 {
			continue
		}
		measured := float64(x.Target.Raw) / float64(x.Target.Rows)
		return []web.Fact{
			{Term: "Bytes of a row", Text: fmt.Sprintf("%.0f estimated, %.0f measured in %s before compression: %s", estimated, measured, id, factor(measured/estimated))},
			{Term: "Source rows for each row kept", Text: fmt.Sprintf("%.1f once merged, as estimated; %.1f in the bench, where four inserts of ten are not. States that keep values grow with them, so hold the bytes beside this", own.Reduction, float64(r.Stored)/float64(x.Target.Rows))},
		}
	}
	return nil
}
