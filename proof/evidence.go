package proof

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
)

// Cell is one answer of the decision and what speaks for it: a yes with the
// rounds it survived, a no with the round that broke it.
type Cell struct {
	Feed    designer.Feed
	Metric  string
	Stable  bool
	Pattern string
	Fits    bool
	Code    string // why not
	Rounds  int    // a yes: survived; a no: rounds until it was broken
	// Broken says at which checkpoint, or what the engine refused.
	Broken  string
	Refused bool // the engine takes the statements not at all
}

// Holds reports whether the evidence agrees with the decision.
func (c Cell) Holds() bool { return c.Fits == (c.Broken == "") }

func (c Cell) String() string {
	word := "mutable"
	if c.Stable {
		word = "stable"
	}
	return fmt.Sprintf("%s, %s, %s, %s: fits %v %s, rounds %d, broken %q", c.Feed, c.Metric, word, c.Pattern, c.Fits, c.Code, c.Rounds, c.Broken)
}

// Block is a group of cells that are proved together: one feed, one stability,
// one pattern.
type Block struct {
	Feed    designer.Feed
	Stable  bool
	Pattern string
}

// Blocks lists the groups of all cells.
func Blocks() []Block {
	var out []Block
	for _, feed := range designer.Feeds {
		for _, stable := range []bool{true, false} {
			if !stable && (feed == designer.Append || feed == designer.AtLeastOnce) {
				continue // events that never change are stable
			}
			for _, p := range pattern.Catalog {
				out = append(out, Block{feed, stable, p.ID})
			}
		}
	}
	return out
}

// Evidence gathers what speaks for the cells of a block: every yes has to
// survive the rounds, every no has to be broken within as many as search.
func Evidence(ctx context.Context, engine Engine, b Block, o Options, search int) ([]Cell, error) {
	facts, err := engine.Analyse(ctx, cellDesign(b.Feed, b.Stable, cellMetrics))
	if err != nil {
		return nil, err
	}
	fit, unfit, code, err := b.judge(facts)
	if err != nil {
		return nil, err
	}
	var out []Cell
	take := func(metrics []cellMetric, fits bool, rounds int) error {
		cells, err := b.gather(ctx, engine, facts, metrics, fits, rounds, o)
		for i := range cells {
			cells[i].Code = code[cells[i].Metric]
		}
		out = append(out, cells...)
		return err
	}
	if err := take(fit, true, o.withDefaults().Rounds); err != nil {
		return nil, err
	}
	if err := take(unfit, false, search); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(x, y Cell) int { return metricIndex(x.Metric) - metricIndex(y.Metric) })
	return out, nil
}

// judge asks the decision about each metric alone: those that fit, those that do
// not, and why not.
func (b Block) judge(facts *designer.Facts) (fit, unfit []cellMetric, code map[string]string, err error) {
	code = map[string]string{}
	for _, metric := range cellMetrics {
		rollup, _, err := cellRollup(b, facts, []cellMetric{metric})
		if err != nil {
			return nil, nil, nil, err
		}
		v := pattern.Find(b.Pattern).Judge(rollup)
		if v.Fits() {
			fit = append(fit, metric)
			continue
		}
		unfit = append(unfit, metric)
		code[metric.name] = v.Against[0].Code
	}
	return fit, unfit, code, nil
}

func metricIndex(name string) int {
	return slices.IndexFunc(cellMetrics, func(m cellMetric) bool { return m.name == name })
}

// gather runs rounds over a design with all the metrics and notes for each when
// it is first wrong. Where the engine refuses the joint statements, each metric
// is tried alone.
func (b Block) gather(ctx context.Context, engine Engine, facts *designer.Facts, metrics []cellMetric, fits bool, rounds int, o Options) ([]Cell, error) {
	if len(metrics) == 0 {
		return nil, nil
	}
	cells := make([]Cell, len(metrics))
	for i, m := range metrics {
		cells[i] = Cell{Feed: b.Feed, Metric: m.name, Stable: b.Stable, Pattern: b.Pattern, Fits: fits}
	}
	found, ran, err := b.hunt(ctx, engine, facts, metrics, fits, rounds, o)
	var said *refusedError
	if errors.As(err, &said) {
		if len(metrics) == 1 {
			cells[0].Broken, cells[0].Refused, cells[0].Rounds = said.Error(), true, 1
			return cells, nil
		}
		var out []Cell
		for _, m := range metrics {
			one, err := b.gather(ctx, engine, facts, []cellMetric{m}, fits, rounds, o)
			if err != nil {
				return nil, err
			}
			out = append(out, one...)
		}
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", b.Feed, b.Pattern, err)
	}
	for i := range cells {
		cells[i].Rounds = ran
		if f, ok := found[cells[i].Metric]; ok {
			cells[i].Broken, cells[i].Rounds = f.checkpoint, f.round+1
		}
	}
	return cells, nil
}

// refusedError is an engine that does not take a block's statements.
type refusedError struct{ said string }

func (e *refusedError) Error() string { return e.said }

type firstWrong struct {
	round      int
	checkpoint string
}

// hunt runs rounds that go on after a wrong answer, until every metric was
// wrong once, or the rounds are over. A yes runs them all.
func (b Block) hunt(ctx context.Context, engine Engine, facts *designer.Facts, metrics []cellMetric, fits bool, rounds int, o Options) (map[string]firstWrong, int, error) {
	rollup, joint, err := cellRollup(b, facts, metrics)
	if err != nil {
		return nil, 0, err
	}
	o.Rounds = rounds
	p, err := newProver(engine.Conn(), rollup.Design, joint, forced(rollup, b.Pattern), o)
	if err != nil {
		return nil, 0, err
	}
	found := map[string]firstWrong{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error
	next, ran := 0, 0
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if failed != nil || next >= rounds || (!fits && len(found) == len(metrics)) {
			return 0, false
		}
		next++
		return next - 1, true
	}
	note := func(n int, r *round, fail *failure, err error) {
		mu.Lock()
		defer mu.Unlock()
		ran++
		for name, checkpoint := range r.wrong {
			metric := metricOf(metrics, name)
			if was, ok := found[metric]; !ok || n < was.round {
				found[metric] = firstWrong{n, checkpoint}
			}
		}
		switch {
		case err != nil:
			failed = err
		case fail != nil && failed == nil:
			failed = &refusedError{fail.name + ": " + firstLine(fail.complaint)}
		}
	}
	for range p.options.Workers {
		wg.Go(func() {
			for {
				n, ok := take()
				if !ok || ctx.Err() != nil {
					return
				}
				g := &generator{model: p.model, eval: p.eval.own()}
				w, err := g.workload(ctx, p.seedOf(n), p.options.Rows)
				if err != nil {
					note(n, &round{}, nil, err)
					return
				}
				r := p.round(w, n)
				r.wrong = map[string]string{}
				fail, err := r.run(ctx)
				note(n, r, fail, err)
			}
		})
	}
	wg.Wait()
	return found, ran, cmpErr(failed, ctx.Err())
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > 160 {
		s = string(r[:160]) + "…"
	}
	return s
}

// metricOf gives the cell that a column of an answer belongs to.
func metricOf(metrics []cellMetric, column string) string {
	for _, m := range metrics {
		for _, x := range m.metrics {
			if x.Name == column {
				return m.name
			}
		}
	}
	return column
}

// cellRollup gives the design of some metrics, with the facts of all of them.
func cellRollup(b Block, facts *designer.Facts, metrics []cellMetric) (*designer.Rollup, *designer.Facts, error) {
	all := cellDesign(b.Feed, b.Stable, cellMetrics)
	d := cellDesign(b.Feed, b.Stable, metrics)
	own := &designer.Facts{Engine: facts.Engine, Exprs: maps.Clone(facts.Exprs)}
	for i, m := range d.Metrics {
		j := slices.IndexFunc(all.Metrics, func(x designer.Metric) bool { return x.Name == m.Name })
		for _, part := range []string{"expr", "where", "order_by"} {
			own.Exprs[fmt.Sprintf("metrics[%d].%s", i, part)] = facts.Exprs[fmt.Sprintf("metrics[%d].%s", j, part)]
		}
	}
	for i := len(d.Metrics); i < len(all.Metrics); i++ {
		for _, part := range []string{"expr", "where", "order_by"} {
			delete(own.Exprs, fmt.Sprintf("metrics[%d].%s", i, part))
		}
	}
	rollup, err := designer.Resolve(stage(d), own)
	return rollup, own, err
}
