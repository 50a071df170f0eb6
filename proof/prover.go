package proof

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
)

// Options say how hard to try; the zero value is what the command line does.
type Options struct {
	Seed    uint64 // 0: 1
	Rows    int    // greatest number of changes per round, mostly; 0: 24
	Rounds  int    // 0: 60
	Workers int    // rounds at a time; 0: two per processor
	// Now is the moment that TTLs and settling are counted from; zero: today.
	Now time.Time
}

func (o Options) withDefaults() Options {
	fill := func(n *int, value int) {
		if *n <= 0 {
			*n = value
		}
	}
	fill(&o.Rows, 24)
	fill(&o.Rounds, 60)
	fill(&o.Workers, 2*runtime.NumCPU()) // half of a round is waiting for the disk
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Now.IsZero() {
		o.Now = time.Now().UTC().Truncate(24 * time.Hour)
	}
	return o
}

// Progress is told after every round.
type Progress struct {
	Phase       string        `json:"phase"` // rounds, shrink, naive
	Round       int           `json:"round"` // rounds done
	Rounds      int           `json:"rounds"`
	Checkpoints int           `json:"checkpoints"`
	Failed      bool          `json:"failed"`
	Elapsed     time.Duration `json:"elapsed"`
}

// Result is what a proof came to. OK is true only where every checkpoint of
// every round held.
type Result struct {
	OK              bool            `json:"ok"`
	Pattern         string          `json:"pattern"`
	Rounds          int             `json:"rounds"`
	Checkpoints     []Checkpoint    `json:"checkpoints"`
	Counterexample  *Counterexample `json:"counterexample"`
	Naive           *Naive          `json:"naive,omitempty"`
	Seed            uint64          `json:"seed"`
	Engine          string          `json:"engine"`
	Now             time.Time       `json:"now"`
	RoundsPerSecond float64         `json:"rounds_per_second"`
}

// Naive is how the plain folding view fared on the same workloads.
type Naive struct {
	Pattern        string          `json:"pattern"`
	Failed         bool            `json:"failed"`
	Round          int             `json:"round"`
	Checkpoint     string          `json:"checkpoint,omitempty"`
	Error          string          `json:"error,omitempty"` // why nothing is known of it
	Counterexample *Counterexample `json:"counterexample,omitempty"`
}

// prover proves statements against a design's truth on one engine.
type prover struct {
	conn       driver.Conn
	model      *model
	original   *designer.Design // as the user wrote it, for stories
	eval       *evaluator
	statements *Statements
	options    Options
	used       []int
	prefix     string
	layout     *layout
}

// proofs numbers the databases of this process.
var proofs atomic.Uint64

func newProver(conn driver.Conn, original *designer.Design, facts *designer.Facts, s *Statements, o Options) (*prover, error) {
	m, err := newModel(stage(original), facts)
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	m.now = o.Now
	return &prover{conn: conn, model: m, original: original, eval: newEvaluator(conn, m), statements: s, options: o,
		used: usedColumns(m), layout: &layout{}, prefix: fmt.Sprintf("proof_%x_%d", rand.Uint32(), proofs.Add(1))}, nil
}

// round prepares a workload's round on databases of its own.
func (p *prover) round(w *workload, number int) *round {
	n := proofs.Add(1)
	r := &round{conn: p.conn, eval: p.eval.own(), w: w, number: number, layout: p.layout,
		source: fmt.Sprintf("%s_s%d", p.prefix, n), target: fmt.Sprintf("%s_t%d", p.prefix, n)}
	if p.model.design.Target.Database == p.model.design.Source.Database {
		r.target = r.source
	}
	r.s = p.statements.in(r.source, r.target)
	return r
}

// own gives an evaluator for one goroutine.
func (e *evaluator) own() *evaluator {
	out := *e
	return &out
}

// seedOf gives the seed of a round: the same for the same proof, whichever
// worker runs it.
func (p *prover) seedOf(round int) uint64 { return p.options.Seed*1_000_003 + uint64(round) }

// attempt runs one round of the search.
func (p *prover) attempt(ctx context.Context, number int) (*workload, *round, *failure, error) {
	g := &generator{model: p.model, eval: p.eval.own()}
	w, err := g.workload(ctx, p.seedOf(number), p.options.Rows)
	if err != nil {
		return nil, nil, nil, err
	}
	r := p.round(w, number)
	fail, err := r.run(ctx)
	return w, r, fail, err
}

// outcome is what the rounds came to.
type outcome struct {
	rounds      int
	checkpoints []Checkpoint
	failing     *workload
	number      int
	fail        *failure
	elapsed     time.Duration
}

// search runs rounds in parallel until one fails or all have held. Of several
// failing rounds it gives the first, so that the same seed tells the same story.
func (p *prover) search(ctx context.Context, tell func(Progress)) (*outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start := time.Now()
	out := &outcome{number: p.options.Rounds}
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := 0
	byRound := map[int][]Checkpoint{}
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next >= p.options.Rounds || (out.fail != nil && next > out.number) {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range p.options.Workers {
		wg.Go(func() {
			for {
				n, ok := take()
				if !ok || ctx.Err() != nil {
					return
				}
				w, r, fail, err := p.attempt(ctx, n)
				if err != nil {
					cancel(fmt.Errorf("round %d (seed %d): %w", n+1, p.seedOf(n), err))
					return
				}
				mu.Lock()
				out.rounds++
				byRound[n] = r.checkpoints
				if fail != nil && (out.fail == nil || n < out.number) {
					out.fail, out.failing, out.number = fail, w, n
				}
				done := Progress{Phase: "rounds", Round: out.rounds, Rounds: p.options.Rounds, Checkpoints: countAll(byRound), Failed: out.fail != nil, Elapsed: time.Since(start)}
				mu.Unlock()
				if tell != nil {
					tell(done)
				}
			}
		})
	}
	wg.Wait()
	out.elapsed = time.Since(start)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for n := range p.options.Rounds {
		if out.fail != nil && n > out.number {
			break
		}
		for _, c := range byRound[n] {
			c.Round++
			out.checkpoints = append(out.checkpoints, c)
		}
	}
	return out, nil
}

func countAll(by map[int][]Checkpoint) int {
	n := 0
	for _, c := range by {
		n += len(c)
	}
	return n
}

// smallest shrinks a failing workload and tells its story.
func (p *prover) smallest(ctx context.Context, o *outcome, tell func(Progress)) (*Counterexample, error) {
	start := time.Now()
	w := o.failing.clone()
	if o.fail.step < len(w.script) {
		w.script = w.script[:o.fail.step+1]
	}
	complaint := o.fail.complaint != ""
	var broken error
	s := &shrinker{}
	s.fails = func(c *workload) bool {
		if broken != nil || ctx.Err() != nil {
			return false
		}
		if tell != nil {
			tell(Progress{Phase: "shrink", Round: s.runs, Rounds: shrinkRuns, Failed: true, Elapsed: time.Since(start)})
		}
		fail, err := p.round(c, 0).run(ctx)
		if err != nil {
			if _, said := refusal(err); !said && !errors.Is(err, errIllegal) && !errors.Is(err, errTruths) {
				broken = err
			}
			return false
		}
		return fail != nil && (fail.complaint != "") == complaint
	}
	w = s.shrink(w)
	if broken != nil {
		return nil, broken
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return p.tell(ctx, w)
}

// notProven words a failure of the engine or of the proof itself, which is
// neither a yes nor a no.
func notProven(err error) error {
	if _, ok := problem.As(err); ok {
		return err
	}
	hint := "run it again; the seed is in the message"
	code := "not-proven"
	switch {
	case errors.Is(err, context.Canceled):
		hint = "it was cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		hint = "give it more time or fewer rounds"
	case errors.Is(err, errTruths), errors.Is(err, errIllegal):
		code, hint = "proof-contradicts-itself", "this is a fault of rollsmith: please report the design and the seed"
	}
	return &problem.Error{Kind: problem.Down, Code: code, Message: "not proven: " + err.Error(), Hint: hint, Err: err}
}
