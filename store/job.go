package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Job is long work that a page has asked for.
type Job struct {
	ID       string
	Kind     string // Prove or WhyNot
	DesignID string // empty for a draft's
	N        int
	Draft    string
	Document []byte
	Pattern  string // of WhyNot: the one that was rejected
	Seed     int64
	Rounds   int
	Rows     int
	State    string
	Message  string // what went wrong, in words
	Hint     string
	Result   []byte // of WhyNot, as JSON
	ProofID  int64  // of Prove: the proof it came to
	Created  time.Time
	Started  time.Time
	Ended    time.Time
}

// Kinds of jobs.
const (
	Prove  = "prove"
	WhyNot = "why-not"
)

// States of a job. A failed one has learned nothing.
const (
	Queued      = "queued"
	Running     = "running"
	Done        = "done"
	Failed      = "failed"
	Cancelled   = "cancelled"
	Interrupted = "interrupted"
)

// Over reports whether nothing more will happen to the job.
func (j Job) Over() bool { return j.State != Queued && j.State != Running }

// AddJob keeps a job that waits, and sets its address and time. Jobs of drafts
// are forgotten when drafts are.
func (s *Store) AddJob(ctx context.Context, j *Job) error {
	j.ID, j.State, j.Created = NewID(), Queued, timeOf(millis(s.now()))
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM jobs WHERE design_id IS NULL AND created_at < ?", millis(s.now().Add(-draftLife))); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO jobs (id, kind, design_id, n, draft, document, pattern, seed, rounds, rows, state, created_at)
			VALUES (?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			j.ID, j.Kind, j.DesignID, j.N, j.Draft, string(j.Document), j.Pattern, j.Seed, j.Rounds, j.Rows, j.State, millis(j.Created))
		return err
	})
}

// StartJob notes that a job runs.
func (s *Store) StartJob(ctx context.Context, j *Job) error {
	j.State, j.Started = Running, timeOf(millis(s.now()))
	_, err := s.write.ExecContext(ctx, "UPDATE jobs SET state = ?, started_at = ? WHERE id = ?", j.State, millis(j.Started), j.ID)
	return err
}

// EndJob keeps how a job ended, and with it the proof it came to, if any: both
// or neither.
func (s *Store) EndJob(ctx context.Context, j *Job, p *Proof) error {
	j.Ended = timeOf(millis(s.now()))
	return s.tx(ctx, func(tx *sql.Tx) error {
		if p != nil {
			if err := insertProof(ctx, tx, p, j.Ended); err != nil {
				return err
			}
			j.ProofID = p.ID
		}
		_, err := tx.ExecContext(ctx, "UPDATE jobs SET state = ?, message = ?, hint = ?, result = ?, proof_id = nullif(?, 0), ended_at = ? WHERE id = ?",
			j.State, j.Message, j.Hint, string(j.Result), j.ProofID, millis(j.Ended), j.ID)
		return err
	})
}

// InterruptJobs marks the jobs that a server left behind when it stopped.
func (s *Store) InterruptJobs(ctx context.Context) error {
	_, err := s.write.ExecContext(ctx, "UPDATE jobs SET state = ?, ended_at = ? WHERE state IN (?, ?)", Interrupted, millis(s.now()), Queued, Running)
	return err
}

// Job finds one job.
func (s *Store) Job(ctx context.Context, id string) (Job, error) {
	j := Job{ID: id}
	var document, result string
	var created, started, ended int64
	err := s.read.QueryRowContext(ctx, `SELECT kind, coalesce(design_id, ''), n, draft, document, pattern, seed, rounds, rows, state, message, hint, result, coalesce(proof_id, 0),
		created_at, started_at, ended_at FROM jobs WHERE id = ?`, id).
		Scan(&j.Kind, &j.DesignID, &j.N, &j.Draft, &document, &j.Pattern, &j.Seed, &j.Rounds, &j.Rows, &j.State, &j.Message, &j.Hint, &result, &j.ProofID,
			&created, &started, &ended)
	if errors.Is(err, sql.ErrNoRows) {
		return j, notFound("no-job", "job")
	}
	j.Document, j.Result = []byte(document), []byte(result)
	j.Created, j.Started, j.Ended = timeOf(created), timeOf(started), timeOf(ended)
	return j, err
}
