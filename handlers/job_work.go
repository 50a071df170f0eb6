package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/proof"
	"github.com/rollsmith/rollsmith/sandbox"
	"github.com/rollsmith/rollsmith/store"
	"github.com/rollsmith/rollsmith/web"
)

// proofMemory bounds a proof's engine; two of them run beside the app.
const proofMemory = 2 << 30

// proofRecord is what is kept of a proof: the result as the command line prints
// it, and what it is the result of.
type proofRecord struct {
	*proof.Result
	Revision string `json:"revision"` // the hash of what was proved
	Rows     int    `json:"rows"`
	Error    string `json:"error,omitempty"` // why nothing was proved
}

// whyNotRecord is what is kept of a search for what breaks a pattern.
type whyNotRecord struct {
	Reason web.ReasonRow `json:"reason"`
	Result *proof.Result `json:"result"`
}

// engineFor starts an engine that belongs to one proof: when it dies of it,
// nothing else does.
func (h *Handlers) engineFor(ctx context.Context, j *job) (*sandbox.Engine, error) {
	o := sandbox.Options{MaxMemoryBytes: proofMemory}
	if h.ProofEngine != nil {
		o = *h.ProofEngine
	}
	engine, err := sandbox.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	j.tell(func() { j.at.engine = engine.Version() })
	return engine, nil
}

// workProof proves a revision. Whatever goes wrong on the way is kept too, as a
// proof that proves nothing; only what somebody stopped leaves no trace.
func (h *Handlers) workProof(ctx context.Context, j *job) (*store.Proof, error) {
	row := j.copy()
	revision, err := h.Store.Revision(ctx, row.DesignID, row.N)
	if err != nil {
		return nil, err
	}
	result, err := h.proveOnOwn(ctx, j, revision)
	if cause := context.Cause(ctx); err != nil && (errors.Is(cause, errCancelled) || h.base.Err() != nil) {
		return nil, err
	}
	record := proofRecord{Result: result, Revision: revision.Hash, Rows: row.Rows}
	kept := &store.Proof{DesignID: row.DesignID, N: row.N, Pattern: revision.Pattern, Seed: row.Seed, Rounds: row.Rounds}
	switch {
	case err != nil:
		kept.State = store.NotProven
		record.Error, _ = inWords(err)
		record.Result = &proof.Result{Pattern: revision.Pattern, Seed: uint64(row.Seed), Checkpoints: []proof.Checkpoint{}}
	case result.OK:
		kept.State = store.Proven
	default:
		kept.State = store.Refuted
	}
	if err == nil {
		kept.Engine, kept.Rounds = result.Engine, result.Rounds
	}
	text, broken := json.Marshal(record)
	kept.Result = text
	return kept, errors.Join(err, broken)
}

// proveOnOwn runs the proof on an engine of its own. An engine that left on the way
// has proved nothing, whatever the result says.
func (h *Handlers) proveOnOwn(ctx context.Context, j *job, revision store.Revision) (*proof.Result, error) {
	doc, err := designer.Parse(revision.Document)
	if err != nil {
		return nil, err
	}
	engine, err := h.engineFor(ctx, j)
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	if err := sameStatements(ctx, engine, h, revision); err != nil {
		return nil, cmpLeft(engine, err)
	}
	result, err := proof.Prove(ctx, engine, doc, options(j), j.hear)
	if err := cmpLeft(engine, err); err != nil {
		return nil, err
	}
	if result.Pattern != revision.Pattern || !result.OK && result.Counterexample == nil {
		return nil, fmt.Errorf("a result of %s for a revision of %s", result.Pattern, revision.Pattern)
	}
	return result, nil
}

// cmpLeft prefers what the engine said when it left to what its absence caused.
func cmpLeft(engine *sandbox.Engine, err error) error {
	if left := engine.Err(); left != nil {
		return left
	}
	return err
}

func options(j *job) proof.Options {
	row := j.copy()
	return proof.Options{Seed: uint64(row.Seed), Rounds: row.Rounds, Rows: row.Rows}
}

// sameStatements makes sure that what would be proved is what the revision
// holds: an older revision may hold what is no longer made of its document.
func sameStatements(ctx context.Context, engine proof.Engine, h *Handlers, revision store.Revision) error {
	doc, err := designer.Parse(revision.Document)
	if err != nil {
		return err
	}
	decision, err := decideOn(ctx, engine, doc)
	if err != nil {
		return err
	}
	var frozen evidence
	if err := json.Unmarshal(revision.Evidence, &frozen); err != nil {
		return fmt.Errorf("evidence of revision %d: %w", revision.N, err)
	}
	now := h.freeze(decision)
	same := slices.EqualFunc(frozen.Up, now.Up, func(a, b web.StepRow) bool { return a.SQL == b.SQL })
	for _, script := range []string{"query.sql", "backfill.sql", "correct.sql", "audit.sql", "down.sql"} {
		same = same && frozen.script(script) == now.script(script)
	}
	if !same {
		return &problem.Error{Kind: problem.Conflict, Code: "other-statements", Message: "not proven: this Rollsmith would write other statements than the revision holds",
			Hint: "change it and save: the new revision holds today's statements, and can be proved"}
	}
	return nil
}

// decideOn judges a document by a proof's own engine.
func decideOn(ctx context.Context, engine proof.Engine, doc *designer.Design) (*designer.Decision, error) {
	facts, err := engine.Analyse(ctx, doc)
	if err != nil {
		return nil, err
	}
	rollup, err := designer.Resolve(doc, facts)
	if err != nil {
		return nil, err
	}
	return pattern.Decide(rollup)
}

// workWhyNot looks for a history that breaks a pattern on the user's own schema.
func (h *Handlers) workWhyNot(ctx context.Context, j *job) error {
	row := j.copy()
	doc, err := designer.Parse(row.Document)
	if err != nil {
		return err
	}
	engine, err := h.engineFor(ctx, j)
	if err != nil {
		return err
	}
	defer engine.Close()
	record := whyNotRecord{}
	best := clone(doc)
	best.Pattern = "auto"
	decision, err := decideOn(ctx, engine, best)
	if err != nil {
		return cmpLeft(engine, err)
	}
	record.Reason = reasonAgainst(decision, row.Pattern)
	doc.Pattern = "auto"
	// How history gets in belongs to the pattern that was chosen; here the
	// pattern itself is on trial.
	doc.Backfill = designer.Backfill{Mode: designer.BackfillNone}
	record.Result, err = proof.Force(ctx, engine, doc, row.Pattern, options(j), j.hear)
	if err := cmpLeft(engine, err); err != nil {
		return err
	}
	text, err := json.Marshal(record)
	j.tell(func() { j.row.Result = text })
	return err
}

// reasonAgainst is what was said against a pattern; the one that is chosen has
// nothing against it.
func reasonAgainst(d *designer.Decision, id string) web.ReasonRow {
	for _, r := range rejectedRows(d.Rejected) {
		if r.Pattern == id {
			return r
		}
	}
	return web.ReasonRow{Pattern: id, Right: true, Text: "It is the one that is recommended."}
}
