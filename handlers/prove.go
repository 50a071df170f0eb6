package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/proof"
	"github.com/rollsmith/rollsmith/store"
	"github.com/rollsmith/rollsmith/web"
)

const (
	mostProofs  = 2               // at once; each keeps the sandbox busy
	proofLimit  = 5 * time.Minute // of one
	whyNotLimit = 60 * time.Second
	proofRounds = 60
)

// proving is a proof that runs.
type proving struct {
	cancel context.CancelFunc
	done   chan struct{}
	began  time.Time

	mu       sync.Mutex
	progress proof.Progress
	changed  chan struct{} // closed and replaced when progress is told
}

func (p *proving) tell(now proof.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress = now
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *proving) look() (proof.Progress, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.progress, p.changed
}

// provings are the proofs that run, by the address of their revision.
type provings struct {
	mu      sync.Mutex
	running map[string]*proving
}

func (p *provings) get(key string) *proving {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running[key]
}

// start runs work unless it runs already or too many do.
func (p *provings) start(base context.Context, key string, work func(context.Context, *proving)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running[key] != nil {
		return nil
	}
	if len(p.running) >= mostProofs {
		return &problem.Error{Kind: problem.Limit, Code: "proofs-busy", Message: "Two proofs are running already.", Hint: "Try again when one of them is done."}
	}
	if p.running == nil {
		p.running = map[string]*proving{}
	}
	ctx, cancel := context.WithTimeout(base, proofLimit)
	one := &proving{cancel: cancel, done: make(chan struct{}), changed: make(chan struct{}), began: time.Now()}
	p.running[key] = one
	go func() {
		defer cancel()
		work(ctx, one)
		p.mu.Lock()
		delete(p.running, key)
		p.mu.Unlock()
		close(one.done)
	}()
	return nil
}

// proveRevision starts a proof and shows it.
func (h *Handlers) proveRevision(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(r)
	if err != nil {
		return err
	}
	d, n, err := h.addressed(r)
	if err != nil {
		return err
	}
	at := revisionURL(d.ID, n)
	if f.text("do") == "cancel" {
		if one := h.proofs.get(at); one != nil {
			one.cancel()
			<-one.done
		}
		return seeOther(w, r, at+"/proof")
	}
	revision, err := h.Store.Revision(r.Context(), d.ID, n)
	if err != nil {
		return err
	}
	doc, err := designer.Parse(revision.Document)
	if err != nil {
		return err
	}
	seed := uint64(f.number("seed", 1<<31))
	if seed == 0 {
		seed = 1
	}
	err = h.proofs.start(h.base, at, func(ctx context.Context, one *proving) { h.prove(ctx, one, revision, doc, seed) })
	if err != nil {
		return err
	}
	return seeOther(w, r, at+"/proof")
}

// prove runs one proof and keeps what it showed. Whatever goes wrong proves
// nothing, and is kept as that.
func (h *Handlers) prove(ctx context.Context, one *proving, revision store.Revision, doc *designer.Design, seed uint64) {
	kept := &store.Proof{DesignID: revision.DesignID, N: revision.N, Pattern: revision.Pattern, Seed: int64(seed), State: store.NotProven}
	result, err := h.runProof(ctx, one, revision, doc, seed)
	var text []byte
	if err == nil {
		kept.Rounds, kept.Engine, kept.Pattern = result.Rounds, result.Engine, result.Pattern
		if kept.State = store.Refuted; result.OK {
			kept.State = store.Proven
		}
		text, err = json.Marshal(result)
	}
	if err != nil {
		kept.State = store.NotProven
		text, _ = json.Marshal(map[string]string{"error": whyNotProven(ctx, err)})
	}
	kept.Result = text
	if err := h.Store.AddProof(context.WithoutCancel(ctx), kept); err != nil {
		h.Log.Error("keep a proof", "err", err.Error())
	}
}

func (h *Handlers) runProof(ctx context.Context, one *proving, revision store.Revision, doc *designer.Design, seed uint64) (*proof.Result, error) {
	engine, err := h.Sandbox.Engine()
	if err != nil {
		return nil, err
	}
	if doc.Pattern == "auto" && revision.Pattern != "mixed" {
		doc.Pattern = revision.Pattern // what was reviewed, whatever the rules say by now
	}
	return proof.Prove(ctx, engine, doc, proof.Options{Seed: seed, Rounds: proofRounds}, one.tell)
}

func whyNotProven(ctx context.Context, err error) string {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "It took too long."
	case ctx.Err() != nil:
		return "It was stopped."
	}
	if p, ok := problem.As(err); ok {
		return web.Sentence(p.Message)
	}
	return "The sandbox failed; the log says how."
}

// showProof shows a proof that runs, or the results that are kept.
func (h *Handlers) showProof(w http.ResponseWriter, r *http.Request) error {
	d, n, err := h.addressed(r)
	if err != nil {
		return err
	}
	kept, err := h.Store.Proofs(r.Context(), d.ID, n)
	if err != nil {
		return err
	}
	at := revisionURL(d.ID, n)
	v := web.Proof{Name: d.Name, N: n, URL: at}
	if one := h.proofs.get(at); one != nil {
		running := progressView(one)
		v.Running = &running
	}
	for _, p := range kept {
		row, err := proofResult(p)
		if err != nil {
			return err
		}
		v.Results = append(v.Results, row)
	}
	h.render(w, r, http.StatusOK, web.ProofPage(v))
	return nil
}

func progressView(one *proving) web.ProofProgress {
	p, _ := one.look()
	return web.ProofProgress{Phase: map[string]string{"": "starting", "rounds": "rounds", "shrink": "shrinking the counterexample", "naive": "the naive view beside it"}[p.Phase],
		Round: p.Round, Rounds: max(p.Rounds, 1), Checkpoints: p.Checkpoints, Failed: p.Failed, Took: web.Took(time.Since(one.began))}
}

func proofResult(p store.Proof) (web.ProofResult, error) {
	row := web.ProofResult{ProofRow: web.ProofRow{State: p.State, Pattern: p.Pattern, Engine: p.Engine, Seed: p.Seed, Rounds: p.Rounds, Created: p.Created}}
	var kept struct {
		proof.Result
		Error string `json:"error"`
	}
	if err := json.Unmarshal(p.Result, &kept); err != nil {
		return row, fmt.Errorf("result of proof %d: %w", p.ID, err)
	}
	row.Error, row.Checkpoints, row.Speed = kept.Error, len(kept.Checkpoints), kept.RoundsPerSecond
	row.Story = storyView(kept.Counterexample)
	if kept.Naive != nil {
		row.Naive, row.NaiveFailed, row.NaiveStory = kept.Naive.Pattern, kept.Naive.Failed, storyView(kept.Naive.Counterexample)
	}
	return row, nil
}

// storyView tells a counterexample event by event.
func storyView(c *proof.Counterexample) *web.Story {
	if c == nil {
		return nil
	}
	s := &web.Story{Pattern: c.Pattern, Checkpoint: c.Checkpoint, Seed: c.Seed, Steps: c.Steps, Mismatches: c.Mismatches, Complaint: c.Complaint, SQL: strings.Join(c.SQL, "\n")}
	for _, e := range c.Events {
		row := web.StoryEvent{Insert: e.Insert, Kind: e.Kind, Columns: pairs(e.Columns)}
		for _, wrote := range e.Wrote {
			row.Wrote = append(row.Wrote, wrote.Table+": "+pairs(wrote.Row))
		}
		s.Events = append(s.Events, row)
	}
	s.Read, s.Truth = rowsView(c.Read), rowsView(c.Truth)
	return s
}

func pairs(row map[string]string) string {
	var parts []string
	for _, name := range sortedKeys(row) {
		parts = append(parts, name+" = "+row[name])
	}
	return strings.Join(parts, ", ")
}

func rowsView(rows []map[string]string) web.Grid {
	var g web.Grid
	for _, row := range rows {
		names := sortedKeys(row)
		if g.Head == nil {
			g.Head = names
		}
		var cells []string
		for _, name := range g.Head {
			cells = append(cells, row[name])
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
}

// streamProof sends a proof's progress until it is done.
func (h *Handlers) streamProof(w http.ResponseWriter, r *http.Request) error {
	d, n, err := h.addressed(r)
	if err != nil {
		return err
	}
	control := http.NewResponseController(w)
	if err := control.SetWriteDeadline(time.Now().Add(proofLimit + time.Minute)); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	one := h.proofs.get(revisionURL(d.ID, n))
	heartbeat := time.NewTicker(15 * time.Second)
	defer heartbeat.Stop()
	for id := 1; one != nil; id++ {
		_, changed := one.look()
		var b strings.Builder
		if err := web.ProofProgressRegion(progressView(one)).Render(r.Context(), &b); err != nil {
			return err
		}
		fmt.Fprintf(w, "id: %d\ndata: %s\n\n", id, strings.ReplaceAll(b.String(), "\n", " "))
		if err := control.Flush(); err != nil {
			return nil // the reader has left
		}
		select {
		case <-one.done:
			one = nil
		case <-changed:
		case <-heartbeat.C:
			fmt.Fprint(w, ": still here\n\n")
		case <-r.Context().Done():
			return nil
		case <-h.base.Done():
			one = nil
		}
	}
	fmt.Fprint(w, "event: done\ndata: done\n\n")
	control.Flush()
	return nil
}

// showWhyNot plays what goes wrong with a pattern that was rejected, on the
// design's own schema.
func (h *Handlers) showWhyNot(w http.ResponseWriter, r *http.Request) error {
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
	id := param(r, "pattern")
	v := web.WhyNot{Name: d.Name, N: n, URL: revisionURL(d.ID, n), Pattern: id, Title: patternTitle(id)}
	var frozen evidence
	if err := json.Unmarshal(revision.Evidence, &frozen); err != nil {
		return fmt.Errorf("evidence of revision %d: %w", n, err)
	}
	for _, rejected := range frozen.Rejected {
		if rejected.Pattern == id {
			v.Reason = rejected
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), whyNotLimit)
	defer cancel()
	select {
	case h.whyNots <- struct{}{}:
		defer func() { <-h.whyNots }()
	case <-ctx.Done():
		return &problem.Error{Kind: problem.Limit, Code: "proofs-busy", Message: "The sandbox is busy with others.", Hint: "Try again in a moment."}
	}
	engine, err := h.Sandbox.Engine()
	if err != nil {
		return err
	}
	story, err := proof.ShowWhyNot(ctx, engine, doc, id, proof.Options{Rounds: proofRounds})
	if err != nil {
		v.Trouble = web.TroubleOf(err)
	}
	v.Story = storyView(story)
	h.render(w, r, http.StatusOK, web.WhyNotPage(v))
	return nil
}
