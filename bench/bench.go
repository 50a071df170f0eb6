// Package bench measures what each way of answering a design's question costs,
// on generated rows of the source's shape, on an engine of our own. Every answer
// is audited against the truth; one that differs is shown as wrong, however fast.
package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/designer/pattern"
)

// Engine is a ClickHouse that is ours to write to: the sandbox.
type Engine interface {
	Conn() driver.Conn
	Version() string
	// Scratch makes an empty database and gives what drops it.
	Scratch(ctx context.Context) (name string, drop func(), err error)
}

// Progress tells how far a bench is: step of steps, and what it does now.
type Progress func(step, steps int, words string)

// Result is what was measured. Candidates are in the order of the table: reads
// of the source, then patterns, cheapest first by the catalog.
type Result struct {
	Engine     string        `json:"engine"`
	Size       Size          `json:"size"`
	Rows       int           `json:"rows"`    // of the source, as inserted
	Stored     uint64        `json:"stored"`  // of the source, as its merges have left it
	Parts      uint64        `json:"parts"`   // of the source
	Bytes      uint64        `json:"bytes"`   // of the source on disk
	Raw        uint64        `json:"raw"`     // the same before compression
	Answers    uint64        `json:"answers"` // rows of the truth
	Threads    int           `json:"threads"`
	Runs       int           `json:"runs"`
	Insert     Insert        `json:"insert"` // without any view
	Candidates []Candidate   `json:"candidates"`
	Took       time.Duration `json:"took"`
	// Cut says why the bench ended before all candidates were measured.
	Cut string `json:"cut,omitempty"`
}

// Candidate is one way of answering, and what it cost.
type Candidate struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Pattern bool   `json:"pattern"` // it reads a target that a view keeps
	Direct  bool   `json:"direct"`  // it is the read that the truth itself uses
	SQL     string `json:"sql"`
	// Caution says when the same statement would be wrong elsewhere.
	Caution string `json:"caution,omitempty"`
	// Wrong says why its answer is not, or need not be, the truth.
	Wrong  string  `json:"wrong,omitempty"`
	Differ uint64  `json:"differ"`           // answer rows that differ from the truth
	Failed string  `json:"failed,omitempty"` // it gave no answer: memory, time
	Read   Cost    `json:"read"`
	Insert *Insert `json:"insert,omitempty"`
	Target *Target `json:"target,omitempty"`
}

// Right reports whether it answered, and answered the truth.
func (c Candidate) Right() bool { return c.Failed == "" && c.Wrong == "" && c.Differ == 0 }

// Cheapest gives the least median of the right candidates, and Direct that of
// the read of the source; zero where there is none.
func (r Result) Cheapest() time.Duration {
	var least time.Duration
	for _, c := range r.Candidates {
		if c.Right() && (least == 0 || c.Read.Median < least) {
			least = c.Read.Median
		}
	}
	return least
}

// Direct gives the median of the read that the truth itself uses.
func (r Result) Direct() time.Duration {
	for _, c := range r.Candidates {
		if c.Direct && c.Failed == "" {
			return c.Read.Median
		}
	}
	return 0
}

// bench is one run.
type bench struct {
	engine Engine
	conn   driver.Conn
	lab    *designer.Rollup // the design, moved to the scratch database
	db     string
	size   Size
	limits Limits
	say    func(words string)
	result *Result
}

// Run generates rows of the source's shape and measures every candidate on
// them. It gives what it has, with Cut set, when the total time is over; an
// error means that nothing was measured.
func Run(ctx context.Context, e Engine, r *designer.Rollup, size Size, limits Limits, progress Progress) (*Result, error) {
	if err := size.Check(r.Source.Feed); err != nil {
		return nil, err
	}
	began := time.Now()
	all, cancel := context.WithTimeout(ctx, limits.Total)
	defer cancel()
	db, drop, err := e.Scratch(all)
	if err != nil {
		return nil, err
	}
	defer drop()
	lab, err := move(r, db)
	if err != nil {
		return nil, err
	}
	patterns := fitting(lab)
	steps, step := 3+len(readings(lab))+len(patterns), 0
	b := &bench{engine: e, conn: e.Conn(), lab: lab, db: db, size: size, limits: limits,
		result: &Result{Engine: e.Version(), Size: size, Threads: Threads, Runs: limits.Runs}}
	b.say = func(words string) {
		step++
		if progress != nil {
			progress(min(step, steps), steps, words)
		}
	}
	err = b.run(all, patterns)
	b.result.Took = time.Since(began)
	b.hide(r)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case all.Err() != nil && len(b.result.Candidates) > 0:
		b.result.Cut = fmt.Sprintf("The bench was given %s in all, and the rest was not measured.", limits.Total)
	default:
		return nil, err
	}
	return b.result, nil
}

func (b *bench) run(ctx context.Context, patterns []*designer.Pattern) error {
	b.say("generate rows")
	if err := b.generate(ctx); err != nil {
		return fmt.Errorf("generate rows: %w", err)
	}
	b.say("load the source")
	insert, err := b.load(ctx, nil)
	if err != nil {
		return fmt.Errorf("load the source: %w", err)
	}
	b.result.Insert = insert
	if err := b.weighSource(ctx); err != nil {
		return err
	}
	for _, one := range readings(b.lab) {
		b.say("read by " + one.title)
		c, err := b.try(ctx, one)
		if err != nil {
			return err
		}
		b.result.Candidates = append(b.result.Candidates, c)
	}
	for _, p := range patterns {
		b.say("build and read " + p.ID)
		c, err := b.tryPattern(ctx, p)
		if err != nil {
			return err
		}
		b.result.Candidates = append(b.result.Candidates, c)
	}
	b.say("done")
	return nil
}

// move gives the design over a scratch database: no cluster, no history, no
// rows that expire while they are measured.
func move(r *designer.Rollup, db string) (*designer.Rollup, error) {
	d := *r.Design
	d.Source.Database, d.Target.Database = db, db
	d.Deployment, d.Backfill = designer.Deployment{}, designer.Backfill{Mode: designer.BackfillNone}
	d.Tiers = append([]designer.Tier{}, r.Tiers...)
	for i := range d.Tiers {
		d.Tiers[i].TTL = ""
	}
	d.Target.Prefix = "answer"
	for strings.HasPrefix(d.Source.Table, d.Target.Prefix) {
		d.Target.Prefix += "_"
	}
	return designer.Resolve(&d, r.Facts)
}

// fitting gives the patterns that are right for the design and keep something;
// direct is among the readings.
func fitting(r *designer.Rollup) []*designer.Pattern {
	var out []*designer.Pattern
	for _, p := range pattern.Catalog {
		if p != pattern.Direct && p.Judge(r).Fits() {
			out = append(out, p)
		}
	}
	free := *r.Design
	free.Pattern = "auto"
	auto := *r
	auto.Design = &free
	if d, err := pattern.Decide(&auto); err == nil && d.Pattern == pattern.Mixed.ID {
		out = append(out, pattern.Mixed)
	}
	return out
}

// try measures one way of reading the source.
func (b *bench) try(ctx context.Context, one reading) (Candidate, error) {
	c := Candidate{ID: one.id, Title: one.title, Direct: one.direct, Caution: one.caution, Wrong: one.wrong, SQL: one.query.Statement()}
	view := ddl.CreateView{Database: b.db, Name: b.lab.Target.Prefix, Select: one.query}
	if err := b.exec(ctx, view.SQL()); err != nil {
		return c, err
	}
	defer b.clear(ctx, "DROP VIEW IF EXISTS "+ddl.Table(b.db, b.lab.Target.Prefix))
	return c, b.measure(ctx, &c)
}

// tryPattern builds a pattern, feeds it through its view, and measures its read.
func (b *bench) tryPattern(ctx context.Context, p *designer.Pattern) (Candidate, error) {
	plan := p.Plan(b.lab)
	query := plan.Read
	query.OrderBy, query.Settings = ddl.Idents(b.lab.GrainNames()), b.lab.TopSettings(plan.PerPartition)
	c := Candidate{ID: p.ID, Title: p.Title, Pattern: true, SQL: query.Statement()}
	defer func() {
		for i := len(plan.Up) - 1; i >= 0; i-- {
			if undo := plan.Up[i].Undo; undo != "" {
				b.clear(ctx, undo)
			}
		}
	}()
	insert, err := b.load(ctx, plan)
	if err != nil {
		return c, b.note(ctx, &c, fmt.Errorf("build it: %w", err))
	}
	c.Insert = &insert
	if c.Target, err = b.weigh(ctx, plan); err != nil {
		return c, err
	}
	return c, b.measure(ctx, &c)
}

// measure runs a candidate's statement and holds its answer against the truth.
// What the engine refuses is the candidate's failure, not the bench's.
func (b *bench) measure(ctx context.Context, c *Candidate) error {
	cost, err := b.cost(ctx, c.SQL)
	if err != nil {
		return b.note(ctx, c, err)
	}
	c.Read = cost
	audit := pattern.Direct.Plan(b.lab).Audit
	if c.Differ, err = b.count(ctx, audit); err != nil {
		return b.note(ctx, c, fmt.Errorf("compare it with the truth: %w", err))
	}
	if c.Differ > 0 && c.Wrong == "" {
		c.Wrong = "Its answer is not the truth here."
	}
	return nil
}

// note keeps what went wrong with one candidate, unless the bench itself ended.
func (b *bench) note(ctx context.Context, c *Candidate, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.Failed = said(err)
	if c.Failed == "" {
		return err
	}
	return nil
}
