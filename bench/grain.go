package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/designer/pattern"
)

// Grain is a grain that the rollup might have, with what it would keep.
type Grain struct {
	Name   string   `json:"name"`
	By     []string `json:"by"`     // expressions over the source
	States []string `json:"states"` // aggregates over the source, as they are kept
	Own    bool     `json:"own"`    // it is what the pattern keeps
}

// mostGrains is how many stand side by side.
const mostGrains = 4

// Grains gives the design's own grain first and up to three others that a person
// would weigh against it: a coarser and a finer time, one dimension less, and,
// where the pattern keeps one, the row of each entity.
func Grains(r *designer.Rollup, id string) []Grain {
	states := statesOf(r)
	if id == pattern.Sealed.ID || id == pattern.Refreshable.ID {
		states = answersOf(r)
	}
	dims := func(n int) (by, words []string) {
		for _, x := range r.Dims[:n] {
			by, words = append(by, ddl.Paren(x.Expr)), append(words, x.Name)
		}
		return by, words
	}
	var out []Grain
	add := func(iv designer.Interval, n int) {
		by, words := dims(n)
		if r.Grain.Time != nil {
			by = append([]string{r.BucketExpr(r.Moment(), r.TimeType(), iv)}, by...)
			words = append([]string{iv.String()}, words...)
		}
		if len(by) > 0 {
			out = append(out, Grain{Name: strings.Join(words, ", "), By: by, States: states})
		}
	}
	add(r.Bucket, len(r.Dims))
	if len(out) > 0 {
		out[0].Own = id != pattern.Replacing.ID && id != pattern.Direct.ID
	}
	if r.Grain.Time != nil {
		if iv, ok := step(r.Bucket, coarser); ok {
			add(iv, len(r.Dims))
		}
		if iv, ok := step(r.Bucket, finer); ok && !(r.TimeType().DateOnly() && iv.SubDay()) {
			add(iv, len(r.Dims))
		}
	}
	if len(r.Dims) > 0 {
		add(r.Bucket, len(r.Dims)-1)
	}
	if id == pattern.Replacing.ID && len(r.Source.Key) > 0 {
		out = append(out[:min(len(out), mostGrains-1)], entityGrain(r))
	}
	return out
}

// entityGrain is one row for each entity, with the columns that the rollup needs.
func entityGrain(r *designer.Rollup) Grain {
	var rest []string
	for _, c := range r.Needed() {
		switch {
		case slices.Contains(r.KeyColumns(), c):
		case slices.Contains(r.Used(), c):
			rest = append(rest, ddl.Ident(c))
		default: // version and flags: of a live row they need not be known
			rest = append(rest, "defaultValueOfTypeName("+ddl.Literal(r.Source.Column(c).Type)+")")
		}
	}
	g := Grain{Name: "one row for each " + strings.Join(r.Source.Key, ", "), By: r.KeyExprs(), Own: true}
	if len(rest) > 0 {
		g.States = []string{weight("any(" + ddl.Call("tuple", rest...) + ")")}
	}
	return g
}

// weight turns a value into a text of as many bytes as it takes.
func weight(expr string) string { return "repeat('x', toUInt64(byteSize(" + expr + ")))" }

// answersOf gives the finished metrics, for patterns that keep answers.
func answersOf(r *designer.Rollup) []string {
	rows := r.NewFlatRows(ddl.Select{})
	var out []string
	for _, m := range r.Measures {
		out = append(out, weight(rows.Aggregate(m, false)))
	}
	return out
}

var (
	coarser = map[string]string{"second": "minute", "minute": "hour", "hour": "day", "day": "month", "week": "month", "month": "year", "quarter": "year"}
	finer   = map[string]string{"minute": "second", "hour": "minute", "day": "hour", "week": "day", "month": "day", "quarter": "month", "year": "month"}
)

func step(iv designer.Interval, to map[string]string) (designer.Interval, bool) {
	unit, ok := to[iv.Unit]
	return designer.Interval{N: 1, Unit: unit}, ok
}

// statesOf gives what one row of a rollup keeps, as states of the source's own
// types: a plain total weighs what its state does.
func statesOf(r *designer.Rollup) []string {
	var out []string
	for _, c := range r.FlatFold().Components {
		state := c.View
		if c.State == "" {
			fn, args, _ := strings.Cut(c.View, "(")
			state = fn + "State(" + args
		}
		out = append(out, state)
	}
	return out
}

// Weight is what a grain comes to over the rows of a bench.
type Weight struct {
	Grain      Grain   `json:"grain"`
	Rows       uint64  `json:"rows"` // of the source: entities, each once
	Groups     uint64  `json:"groups"`
	KeyBytes   float64 `json:"key_bytes"`   // of one row, not compressed
	StateBytes float64 `json:"state_bytes"` // of one row's states, serialised
}

// Weigh builds what several grains would keep over generated rows, and gives
// what it weighs. How many groups there are follows from the size; what a state of
// so many rows weighs follows from the source's types.
func Weigh(ctx context.Context, e Engine, r *designer.Rollup, id string, size Size, limits Limits) ([]Weight, error) {
	if err := size.Check(r.Source.Feed); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limits.Total)
	defer cancel()
	db, drop, err := e.Scratch(ctx)
	if err != nil {
		return nil, err
	}
	defer drop()
	lab, err := move(r, db)
	if err != nil {
		return nil, err
	}
	b := &bench{engine: e, conn: e.Conn(), lab: lab, db: db, size: size, limits: limits, result: &Result{}}
	if err := b.exec(ctx, createSource(lab.Source)); err != nil {
		return nil, err
	}
	if err := b.generate(ctx); err != nil {
		return nil, fmt.Errorf("generate rows: %w", err)
	}
	for i := range batches {
		if err := b.exec(ctx, b.insert(i)); err != nil {
			return nil, err
		}
	}
	var out []Weight
	for _, g := range Grains(lab, id) {
		w := Weight{Grain: g}
		if err := b.weighGrain(ctx, &w); err != nil {
			return nil, fmt.Errorf("weigh %s: %w", g.Name, err)
		}
		out = append(out, w)
	}
	return out, nil
}

func (b *bench) weighGrain(ctx context.Context, w *Weight) error {
	inner := b.lab.Live()
	inner.Items = nil
	for _, c := range b.lab.Used() {
		inner.Items = append(inner.Items, ddl.Col(c))
	}
	if len(inner.Items) == 0 {
		inner.Items = []ddl.Item{{Expr: "1"}}
	}
	name := func(s string, i int) string { return ddl.Ident(b.lab.Inner(fmt.Sprint(s, i))) }
	by := strings.Join(w.Grain.By, ", ")
	items, sizes := []string{"count() AS " + name("n", 0), "byteSize(any(tuple(" + by + "))) AS " + name("key", 0)}, "0"
	for i, s := range w.Grain.States {
		items = append(items, s+" AS "+name("state", i))
		sizes += " + length(hex(" + name("state", i) + ")) / 2"
	}
	sql := fmt.Sprintf("SELECT toUInt64(sum(%s)), count(), toFloat64(ifNotFinite(avg(%s), 0)), toFloat64(ifNotFinite(avg(%s), 0)) FROM (SELECT %s FROM (%s) GROUP BY %s)",
		name("n", 0), name("key", 0), sizes, strings.Join(items, ", "), inner.SQL(), by)
	ctx, cancel := context.WithTimeout(ctx, b.limits.Query+5*time.Second)
	defer cancel()
	return b.conn.QueryRow(b.bounded(ctx), sql).Scan(&w.Rows, &w.Groups, &w.KeyBytes, &w.StateBytes)
}
