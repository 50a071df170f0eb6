package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/store"
	"github.com/rollsmith/rollsmith/web"
)

// What a proof takes where nobody says otherwise, and what it may take.
const (
	proofSeed      = 1
	mostRounds     = 500
	mostRows       = 200
	defaultRounds  = 30
	defaultRows    = 24 // as the command line
	whyNotAttempts = 60 // rounds: a no is broken within these, as a rule
)

// askedProof reads the three numbers of a proof; a field that is not there has
// its default.
func askedProof(f form, rounds int) (store.Job, web.Errors) {
	var errs web.Errors
	number := func(name string, value, most int) int {
		text := f.text(name)
		if text == "" {
			return value
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			errs = append(errs, web.FieldError{ID: "proof-" + name, Text: fmt.Sprintf("Give a whole number from 1 to %d for %s.", most, name)})
			return value
		}
		return n
	}
	row := store.Job{Seed: int64(number("seed", proofSeed, 1<<31-1)), Rounds: number("rounds", rounds, mostRounds), Rows: number("rows", defaultRows, mostRows)}
	return row, errs
}

// wrongNumbers says what is wrong with a proof's numbers.
func wrongNumbers(errs web.Errors) error {
	return &problem.Error{Kind: problem.Invalid, Code: "number", Message: errs[0].Text, Hint: "Go back and change it."}
}

// begin starts a job and leads to its page.
func (h *Handlers) begin(w http.ResponseWriter, r *http.Request, row store.Job) error {
	id, err := h.startJob(r.Context(), row)
	if p, ok := problem.As(err); ok && p.Kind == problem.Limit {
		w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, "/jobs/"+id)
}

// beginProof starts the proof of a revision.
func (h *Handlers) beginProof(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(r)
	if err != nil {
		return err
	}
	d, n, err := h.addressed(r)
	if err != nil {
		return err
	}
	revision, err := h.Store.Revision(r.Context(), d.ID, n)
	if err != nil {
		return err
	}
	row, errs := askedProof(f, defaultRounds)
	if len(errs) > 0 {
		return wrongNumbers(errs)
	}
	row.Kind, row.DesignID, row.N, row.Document = store.Prove, d.ID, n, revision.Document
	return h.begin(w, r, row)
}

// beginWhyNot starts the search for what breaks a pattern on a revision.
func (h *Handlers) beginWhyNot(w http.ResponseWriter, r *http.Request) error {
	d, n, err := h.addressed(r)
	if err != nil {
		return err
	}
	revision, err := h.Store.Revision(r.Context(), d.ID, n)
	if err != nil {
		return err
	}
	return h.tryPattern(w, r, store.Job{DesignID: d.ID, N: n, Document: revision.Document})
}

// beginDraftWhyNot does the same with a design that is still being made.
func (h *Handlers) beginDraftWhyNot(w http.ResponseWriter, r *http.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	best := clone(d.doc)
	best.Pattern = "auto"
	if _, err := h.decide(r.Context(), best); err != nil {
		return err // it is not complete
	}
	return h.tryPattern(w, r, store.Job{Draft: d.ID, Document: best.JSON()})
}

func (h *Handlers) tryPattern(w http.ResponseWriter, r *http.Request, about store.Job) error {
	id := param(r, "pattern")
	if pattern.Find(id) == nil {
		return &problem.Error{Kind: problem.NotFound, Code: "no-pattern", Message: "There is no pattern of this name.", Hint: "The handbook lists them."}
	}
	f, err := readForm(r)
	if err != nil {
		return err
	}
	row, errs := askedProof(f, whyNotAttempts)
	if len(errs) > 0 {
		return wrongNumbers(errs)
	}
	row.Kind, row.Pattern = store.WhyNot, id
	row.DesignID, row.N, row.Draft, row.Document = about.DesignID, about.N, about.Draft, about.Document
	return h.begin(w, r, row)
}

// againJob starts the same work anew, perhaps with other numbers.
func (h *Handlers) againJob(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(r)
	if err != nil {
		return err
	}
	was, err := h.Store.Job(r.Context(), param(r, "job"))
	if err != nil {
		return err
	}
	row, errs := askedProof(f, was.Rounds)
	if len(errs) > 0 {
		return wrongNumbers(errs)
	}
	row.Kind, row.DesignID, row.N, row.Draft, row.Document, row.Pattern = was.Kind, was.DesignID, was.N, was.Draft, was.Document, was.Pattern
	return h.begin(w, r, row)
}

// cancelJob stops a job; one that is over stays as it is.
func (h *Handlers) cancelJob(w http.ResponseWriter, r *http.Request) error {
	id := param(r, "job")
	if _, err := h.Store.Job(r.Context(), id); err != nil {
		return err
	}
	if j := h.jobs.running(id); j != nil {
		j.cancel(errCancelled)
		j.over(r.Context(), cancelPatience)
	}
	return seeOther(w, r, "/jobs/"+id)
}

// cancelPatience is how long the page waits for what was cancelled to end.
const cancelPatience = 5 * time.Second

// over waits until the job has ended.
func (j *job) over(ctx context.Context, patience time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		row, _, _, changed := j.look()
		if row.Over() {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// showJob is the page of a job, while it runs and ever after.
func (h *Handlers) showJob(w http.ResponseWriter, r *http.Request) error {
	v, _, err := h.jobView(r.Context(), param(r, "job"))
	if err != nil {
		return err
	}
	h.render(w, r, http.StatusOK, web.JobPage(v))
	return nil
}

// jobView gives what the page of a job shows, and the number of that.
func (h *Handlers) jobView(ctx context.Context, id string) (web.Job, int64, error) {
	var row store.Job
	var at progress
	var seq int64
	if j := h.jobs.running(id); j != nil {
		row, at, seq, _ = j.look()
	}
	if row.ID == "" || row.Over() { // what is kept is more than what was told
		var err error
		if row, err = h.Store.Job(ctx, id); err != nil {
			return web.Job{}, 0, err
		}
		seq = max(seq, row.Ended.UnixMilli())
	}
	v := web.Job{ID: row.ID, Kind: row.Kind, State: row.State, Pattern: row.Pattern, Seed: row.Seed, Rounds: row.Rounds, Rows: row.Rows,
		Message: row.Message, Hint: row.Hint, Created: row.Created, Progress: h.progressOf(row, at)}
	doc, err := designer.Decode(row.Document)
	if err != nil {
		return v, seq, err
	}
	v.Name, v.About = doc.Name, web.Link{Text: "the wizard", URL: "/designs/" + row.Draft + "/choice"}
	if row.DesignID != "" {
		v.About = web.Link{Text: fmt.Sprintf("%s, revision %d", doc.Name, row.N), URL: revisionAt(row.DesignID, row.N)}
	}
	if row.State != store.Done {
		return v, seq, nil
	}
	if row.Kind == store.Prove {
		kept, err := h.Store.Proof(ctx, row.ProofID)
		if err != nil {
			return v, seq, err
		}
		v.Report, err = report(doc, kept)
		return v, seq, err
	}
	v.WhyNot, err = whyNotReport(doc, row)
	return v, seq, err
}

func (h *Handlers) progressOf(row store.Job, at progress) web.JobProgress {
	p := web.JobProgress{Phase: at.phase, Engine: at.engine, Round: at.round, Rounds: row.Rounds, Checkpoints: at.checkpoints, PerSecond: at.perSecond,
		Wrong: at.wrong, NaiveRound: at.naiveRound, NaiveWrong: at.naiveWrong, Took: time.Since(row.Created)}
	if row.State == store.Queued {
		p.Ahead = h.jobs.before(row)
	}
	return p
}

// before counts the jobs that were asked for earlier.
func (s *jobs) before(row store.Job) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for id, other := range s.live {
		if id != row.ID && other.copy().Created.Before(row.Created) {
			n++
		}
	}
	return n
}

func revisionAt(id string, n int) string { return "/d/" + id + "/r/" + strconv.Itoa(n) }

// showReports is the page of what a revision's proofs showed.
func (h *Handlers) showReports(w http.ResponseWriter, r *http.Request) error {
	d, n, err := h.addressed(r)
	if err != nil {
		return err
	}
	revision, err := h.Store.Revision(r.Context(), d.ID, n)
	if err != nil {
		return err
	}
	doc, err := designer.Decode(revision.Document)
	if err != nil {
		return err
	}
	kept, err := h.Store.Proofs(r.Context(), d.ID, n)
	if err != nil {
		return err
	}
	v := web.Reports{ID: d.ID, Name: doc.Name, N: n, Hash: revision.Hash, Seed: proofSeed, Rounds: defaultRounds, Rows: defaultRows}
	if best := standing(kept); best != nil {
		if v.Best, err = report(doc, *best); err != nil {
			return err
		}
		v.Seed = best.Seed + 1
	}
	for _, p := range kept {
		v.Older = append(v.Older, web.ProofRow{State: p.State, Pattern: p.Pattern, Engine: p.Engine, Seed: p.Seed, Rounds: p.Rounds, Created: p.Created})
	}
	h.render(w, r, http.StatusOK, web.ReportsPage(v))
	return nil
}

// standing is the proof that counts: one wrong answer outweighs every proof,
// and a run that proved nothing takes nothing back.
func standing(kept []store.Proof) *store.Proof {
	for _, state := range []string{store.Refuted, store.Proven, store.NotProven} {
		for i := range kept {
			if kept[i].State == state {
				return &kept[i]
			}
		}
	}
	return nil
}

// readRecord reads what is kept of a proof.
func readRecord(p store.Proof) (proofRecord, error) {
	var record proofRecord
	if err := json.Unmarshal(p.Result, &record); err != nil {
		return record, fmt.Errorf("result of proof %d: %w", p.ID, err)
	}
	return record, nil
}
