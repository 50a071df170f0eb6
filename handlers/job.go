package handlers

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/proof"
	"github.com/rollsmith/rollsmith/store"
)

// Bounds of the work that pages start. A proof keeps two processors busy and
// has an engine of its own.
const (
	jobsAtOnce  = 2
	jobsWaiting = 10
	jobPatience = 10 * time.Minute // of one, from its start
	retryAfter  = 15 * time.Second // when all places are taken
)

// jobs are the work that runs or waits. What is over stands in the store alone.
type jobs struct {
	mu   sync.Mutex
	live map[string]*job
	turn chan struct{} // one token for each that runs
}

func newJobs() *jobs {
	return &jobs{live: map[string]*job{}, turn: make(chan struct{}, jobsAtOnce)}
}

// job is one piece of work with what it has told so far.
type job struct {
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	row     store.Job
	at      progress
	seq     int64         // grows with everything told
	changed chan struct{} // closed and made anew whenever something is told
}

// progress is how far a job is.
type progress struct {
	phase       string // "", engine, rounds, shrink, naive
	engine      string // its version, once it runs
	round       int    // done
	rounds      int
	checkpoints int
	perSecond   float64
	naiveRound  int
	naiveWrong  bool
	wrong       bool
}

// Why a job was stopped.
var (
	errCancelled   = errors.New("somebody cancelled it")
	errInterrupted = errors.New("the server stopped")
)

// startJob keeps the row, then begins the work or lets it wait for its turn.
func (h *Handlers) startJob(ctx context.Context, row store.Job) (string, error) {
	j := &job{row: row, changed: make(chan struct{})}
	h.jobs.mu.Lock()
	defer h.jobs.mu.Unlock()
	if len(h.jobs.live) >= jobsAtOnce+jobsWaiting {
		return "", &problem.Error{Kind: problem.Limit, Code: "jobs-full",
			Message: fmt.Sprintf("%d proofs are running and %d are waiting: there is no place for another.", jobsAtOnce, jobsWaiting),
			Hint:    fmt.Sprintf("Try again in %d seconds.", int(retryAfter.Seconds()))}
	}
	if err := h.Store.AddJob(ctx, &j.row); err != nil {
		return "", err
	}
	j.seq = j.row.Created.UnixMilli()
	var work context.Context
	work, j.cancel = context.WithCancelCause(h.base)
	h.jobs.live[j.row.ID] = j
	go h.runJob(work, j)
	return j.row.ID, nil
}

// runJob waits for a turn, works, and keeps how it ended.
func (h *Handlers) runJob(ctx context.Context, j *job) {
	defer j.cancel(nil)
	var kept *store.Proof
	var err error
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case h.jobs.turn <- struct{}{}:
		defer func() { <-h.jobs.turn }()
		kept, err = h.work(ctx, j)
	}
	if err != nil {
		h.Log.Warn("job", "job", j.copy().ID, "err", err.Error())
	}
	stored := j.copy()
	end(&stored, why(ctx, h.base, err))
	if err := h.Store.EndJob(context.WithoutCancel(ctx), &stored, kept); err != nil {
		h.Log.Error("keep how a job ended", "job", stored.ID, "err", err.Error())
	}
	h.jobs.mu.Lock()
	delete(h.jobs.live, stored.ID)
	h.jobs.mu.Unlock()
	j.tell(func() { j.row = stored })
}

// why gives the reason for which work ended, or nil where it is done.
func why(ctx, base context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case base.Err() != nil:
		return errInterrupted
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	}
	return err
}

// work does what the job is for. What breaks in it must not take the server
// along.
func (h *Handlers) work(ctx context.Context, j *job) (kept *store.Proof, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			kept, err = nil, fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	row := j.copy()
	if err := h.Store.StartJob(ctx, &row); err != nil {
		return nil, err
	}
	j.tell(func() { j.row, j.at.phase = row, "engine" })
	ctx, cancel := context.WithTimeout(ctx, jobPatience)
	defer cancel()
	if row.Kind == store.Prove {
		return h.workProof(ctx, j)
	}
	return nil, h.workWhyNot(ctx, j)
}

// end sets the state in which a job is over, and the words for it.
func end(row *store.Job, err error) {
	switch {
	case err == nil:
		row.State = store.Done
	case errors.Is(err, errCancelled):
		row.State = store.Cancelled
	case errors.Is(err, errInterrupted):
		row.State = store.Interrupted
	default:
		row.State = store.Failed
		row.Message, row.Hint = inWords(err)
	}
}

// inWords tells what kept a proof from coming to an end.
func inWords(err error) (message, hint string) {
	if errors.Is(err, context.DeadlineExceeded) {
		return "It did not come to an end in time.", "Try fewer rounds, or smaller ones."
	}
	if p, ok := problem.As(err); ok {
		return p.Message, p.Hint
	}
	return "The sandbox failed.", "The log says how."
}

// tell changes what the job shows and wakes those who look at it.
func (j *job) tell(change func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change()
	j.seq++
	close(j.changed)
	j.changed = make(chan struct{})
}

// hear takes what a proof tells of itself. Its rounds run side by side, so an
// older word may come after a newer one.
func (j *job) hear(p proof.Progress) {
	j.tell(func() {
		switch at := &j.at; p.Phase {
		case "rounds":
			at.phase = p.Phase
			at.round, at.rounds, at.checkpoints = max(at.round, p.Round), p.Rounds, max(at.checkpoints, p.Checkpoints)
			at.perSecond = float64(p.Round) / max(p.Elapsed.Seconds(), 0.001)
			at.wrong = at.wrong || p.Failed
		case "shrink":
			at.phase = p.Phase
		case "naive":
			at.phase, at.naiveRound, at.naiveWrong = p.Phase, max(at.naiveRound, 1), at.naiveWrong || p.Failed
			if !p.Failed {
				at.naiveRound = max(at.naiveRound, p.Round)
			}
		}
	})
}

func (j *job) copy() store.Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.row
}

// look gives what a job shows, the number of that, and what closes when there
// is more.
func (j *job) look() (store.Job, progress, int64, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.row, j.at, j.seq, j.changed
}

// running finds a job that runs or waits, or nil.
func (s *jobs) running(id string) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live[id]
}

// recoverJobs marks what an earlier server left unfinished; nobody works on it.
func (h *Handlers) recoverJobs() {
	if err := h.Store.InterruptJobs(h.base); err != nil {
		h.Log.Error("mark interrupted jobs", "err", err.Error())
	}
}
