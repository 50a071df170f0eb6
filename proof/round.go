package proof

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Checkpoint is one comparison of what the rollup answers with the truth.
type Checkpoint struct {
	Round      int    `json:"round"`
	Name       string `json:"name"`
	Rows       int    `json:"rows"`
	Mismatches int    `json:"mismatches"`
}

// failure is a checkpoint that did not hold.
type failure struct {
	step       int // of the script
	name       string
	mismatches []mismatch
	complaint  string // what the engine said, or what else is wrong
	read       []map[string]string
	truth      []map[string]string
	events     int // how many inserts had arrived
}

// errTruths is an evaluator and a truth.sql that contradict each other: nothing
// is proved then.
var errTruths = errors.New("the two truths differ")

// round is one workload carried out on databases of its own.
type round struct {
	conn           driver.Conn
	eval           *evaluator
	w              *workload
	s              *Statements
	number         int
	source, target string
	batches        [][]row
	seen           map[string]lens
	arrived        []row
	inserts        int
	live           bool
	tables, views  []string // of the target, quoted; views that inserts feed
	scheduled      []string // views that a schedule refreshes
	folded         *truth
	foldedAt       int
	foldedSettled  bool
	checkpoints    []Checkpoint
	clock          int64
	wrong          map[string]string           // where set, wrong answers are noted per metric, and the round goes on
	restart        func(*round) error          // where set, does what actReload does
	onWrite        func(step int, a act) error // for the story: after each insert
	layout         *layout
	partsSeen      map[string]bool
}

// infraCodes are the engine's error codes that say nothing about the design:
// time, memory, disk, threads and network that ran out.
var infraCodes = map[int32]bool{
	159: true, 160: true, 173: true, 202: true, 209: true, 210: true, 236: true, 241: true,
	243: true, 394: true, 439: true, 74: true, 75: true, 1000: true, 1002: true,
}

// patience bounds the clearing up after a round.
const patience = 30 * time.Second

// roundPatience bounds a round, which takes a fraction of a second: one that
// takes this long is stuck, and proves nothing.
const roundPatience = 2 * time.Minute

// refusal tells what the engine said of a statement; ok is false where the
// engine itself failed, which proves nothing.
func refusal(err error) (string, bool) {
	var said *clickhouse.Exception
	if errors.As(err, &said) && !infraCodes[said.Code] {
		return said.Message, true
	}
	return "", false
}

// run carries the workload out. It gives the first checkpoint that does not
// hold, or nil. An error means that nothing was learned.
func (r *round) run(ctx context.Context) (*failure, error) {
	ctx, cancel := context.WithTimeout(ctx, roundPatience)
	defer cancel()
	defer r.clear()
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	for i, a := range r.w.script {
		fail, err := r.step(ctx, i, a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name(), err)
		}
		if fail != nil {
			fail.step, fail.name, fail.events = i, a.name(), r.inserts
			return fail, nil
		}
	}
	return r.finish(ctx)
}

// prepare makes the events, learns what the expressions say of them, and makes
// the source.
func (r *round) prepare(ctx context.Context) error {
	r.batches = r.w.rows()
	events := flatten(r.batches, len(r.batches))
	r.seen = map[string]lens{}
	var ask [][]literal
	for _, e := range events {
		id := rowID(e.values)
		if _, ok := r.seen[id]; !ok {
			r.seen[id] = lens{}
			ask = append(ask, e.values)
		}
	}
	answers, err := r.eval.look(ctx, ask)
	if err != nil {
		return err
	}
	for i, values := range ask {
		r.seen[rowID(values)] = answers[i]
	}
	if err := r.w.model.legal(events, r.seen); err != nil {
		return fmt.Errorf("%w: %w", errIllegal, err)
	}
	for _, db := range unique(r.source, r.target) {
		if db == r.target && db != r.source && r.s.makesDatabase() {
			continue
		}
		if err := r.conn.Exec(ctx, "CREATE DATABASE "+ident(db)); err != nil {
			return err
		}
	}
	if err := r.conn.Exec(quietly(ctx), sourceTable(r.w.model.design, r.source)); err != nil {
		return fmt.Errorf("make the source: %w", err)
	}
	if r.s.clock {
		if err := r.exec(ctx, "CREATE TABLE "+ident(r.source)+"."+clockTable+" (at DateTime('UTC')) ENGINE = Memory"); err != nil {
			return err
		}
		if err := r.setClock(ctx, r.startClock()); err != nil {
			return err
		}
	}
	return r.exec(ctx, "SYSTEM STOP MERGES "+r.sourceName())
}

// errIllegal is a workload that the design does not allow.
var errIllegal = errors.New("the workload is not one the design allows")

func unique(a, b string) []string {
	if a == b {
		return []string{a}
	}
	return []string{a, b}
}

func (r *round) sourceName() string {
	return ident(r.source) + "." + ident(r.w.model.design.Source.Table)
}

func (r *round) exec(ctx context.Context, sql string) error {
	return r.conn.Exec(quietly(ctx), sql)
}

// step does one act and, once the rollup lives, compares.
func (r *round) step(ctx context.Context, i int, a act) (*failure, error) {
	if err := r.do(ctx, a); err != nil {
		if said, ok := refusal(err); ok {
			return &failure{complaint: said}, nil
		}
		return nil, err
	}
	if a.kind == actUp && !r.expects(actBackfill) || a.kind == actBackfill {
		r.live = true
	}
	if r.onWrite != nil {
		if err := r.onWrite(i, a); err != nil {
			return nil, err
		}
	}
	if !r.live || a.kind == actRepair {
		if a.kind == actRepair {
			return r.repair(ctx, a)
		}
		return nil, nil
	}
	if r.w.quiet && r.inserts < r.w.batches {
		return nil, nil
	}
	if a.kind == actAudit {
		return r.audit(ctx)
	}
	return r.check(ctx, a)
}

// expects reports whether the script still holds such an act.
func (r *round) expects(kind actKind) bool {
	for _, a := range r.w.script {
		if a.kind == kind {
			return true
		}
	}
	return false
}

// clear drops the round's databases, also when the caller's context has ended.
func (r *round) clear() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, db := range unique(r.target, r.source) {
		_ = r.exec(ctx, "DROP DATABASE IF EXISTS "+ident(db)+" SYNC")
	}
}
