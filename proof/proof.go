// Package proof carries designs out on a real ClickHouse under generated
// workloads, and compares what the rollup answers with the truth at every
// checkpoint. A history that breaks one is shrunk to the fewest events.
package proof

import (
	"context"
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/problem"
)

// Engine is a ClickHouse to prove on: a sandbox, never a user's cluster.
type Engine interface {
	Conn() driver.Conn
	Version() string
	Analyse(context.Context, *designer.Design) (*designer.Facts, error)
}

// Prove decides a design and proves the decision. A design whose named pattern
// is refused is an error of kind Invalid; an engine that fails is one of kind
// Down, and proves nothing. tell, where given, hears of every round, from several
// goroutines.
func Prove(ctx context.Context, engine Engine, d *designer.Design, o Options, tell func(Progress)) (*Result, error) {
	rollup, facts, err := resolve(ctx, engine, d)
	if err != nil {
		return nil, err
	}
	decision, err := pattern.Decide(rollup)
	if err != nil {
		return nil, err
	}
	result, err := ProveStatements(ctx, engine, d, facts, fromPlan(decision.Plan), o, tell)
	if err != nil {
		return nil, err
	}
	if result.OK {
		result.Naive = naive(ctx, engine, d, facts, rollup, decision.Pattern, o, tell)
	}
	if err := ctx.Err(); err != nil {
		return nil, notProven(err)
	}
	return result, nil
}

// Force proves a pattern whether or not the design allows it, to show what goes
// wrong with one that is refused.
func Force(ctx context.Context, engine Engine, d *designer.Design, id string, o Options, tell func(Progress)) (*Result, error) {
	rollup, facts, err := resolve(ctx, engine, d)
	if err != nil {
		return nil, err
	}
	s := forced(rollup, id)
	if s == nil {
		return nil, problem.Field("unknown-pattern", "pattern", id, "not one of the known patterns", "")
	}
	return ProveStatements(ctx, engine, d, facts, s, o, tell)
}

// ShowWhyNot finds a history that breaks a pattern on the design, or gives nil
// where none was found within the rounds.
func ShowWhyNot(ctx context.Context, engine Engine, d *designer.Design, id string, o Options) (*Counterexample, error) {
	result, err := Force(ctx, engine, d, id, o, nil)
	if err != nil {
		return nil, err
	}
	return result.Counterexample, nil
}

// resolve readies a design for databases of the proof's own.
func resolve(ctx context.Context, engine Engine, d *designer.Design) (*designer.Rollup, *designer.Facts, error) {
	facts, err := engine.Analyse(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	rollup, err := designer.Resolve(stage(d), facts)
	return rollup, facts, err
}

// ProveStatements proves statements, wherever they come from, against the
// design's truth. Their databases are those that stage gives.
func ProveStatements(ctx context.Context, engine Engine, d *designer.Design, facts *designer.Facts, s *Statements, o Options, tell func(Progress)) (*Result, error) {
	p, err := newProver(engine.Conn(), d, facts, s, o)
	if err != nil {
		return nil, err
	}
	found, err := p.search(ctx, tell)
	if err != nil {
		return nil, notProven(err)
	}
	result := &Result{OK: found.fail == nil, Pattern: s.Pattern, Rounds: found.rounds, Checkpoints: found.checkpoints,
		Seed: p.options.Seed, Engine: engine.Version(), Now: p.options.Now,
		RoundsPerSecond: float64(found.rounds) / found.elapsed.Seconds()}
	if result.OK {
		return result, nil
	}
	if result.Counterexample, err = p.smallest(ctx, found, tell); err != nil {
		return nil, notProven(err)
	}
	return result, nil
}

// naiveRounds bounds the search for what breaks the naive view: if it is wrong,
// it is wrong at once.
const naiveRounds = 20

// naive proves the plain folding view, beside the pattern that was chosen.
func naive(ctx context.Context, engine Engine, d *designer.Design, facts *designer.Facts, r *designer.Rollup, chosen string, o Options, tell func(Progress)) *Naive {
	id := "summing"
	if slices.ContainsFunc(r.Metrics, finishedOnly) {
		id = "aggregating"
	}
	if id == chosen {
		return nil // it is the decision itself
	}
	o.Rounds = min(naiveRounds, o.withDefaults().Rounds)
	relay := func(p Progress) {
		if tell != nil {
			p.Phase = "naive"
			tell(p)
		}
	}
	result, err := ProveStatements(ctx, engine, d, facts, forced(r, id), o, relay)
	if err != nil {
		return &Naive{Pattern: id, Error: err.Error()} // the proof itself stands
	}
	n := &Naive{Pattern: id, Failed: !result.OK, Counterexample: result.Counterexample, Round: result.Rounds}
	if n.Failed {
		n.Checkpoint = result.Counterexample.Checkpoint
	}
	return n
}
