package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Proof is what running a revision showed.
type Proof struct {
	ID       int64
	DesignID string
	N        int
	State    string // Proven, Refuted or NotProven
	Pattern  string
	Seed     int64
	Rounds   int
	Engine   string
	Result   []byte // the whole result, as `prove --json` prints it
	Created  time.Time
}

// States of a proof. An engine that died or ran out of time proves nothing.
const (
	Proven    = "proven"
	Refuted   = "refuted"
	NotProven = "not proven"
)

// AddProof keeps a result beside its revision.
func (s *Store) AddProof(ctx context.Context, p *Proof) error {
	p.Created = timeOf(millis(s.now()))
	done, err := s.write.ExecContext(ctx, "INSERT INTO proofs (design_id, n, state, pattern, seed, rounds, engine, result, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		p.DesignID, p.N, p.State, p.Pattern, p.Seed, p.Rounds, p.Engine, string(p.Result), millis(p.Created))
	if err != nil {
		return err
	}
	p.ID, err = done.LastInsertId()
	return err
}

// Proofs lists what a revision's runs showed, newest first.
func (s *Store) Proofs(ctx context.Context, id string, n int) ([]Proof, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT id, state, pattern, seed, rounds, engine, result, created_at FROM proofs WHERE design_id = ? AND n = ? ORDER BY id DESC LIMIT 50", id, n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Proof
	for rows.Next() {
		p := Proof{DesignID: id, N: n}
		var result string
		var created int64
		if err := rows.Scan(&p.ID, &p.State, &p.Pattern, &p.Seed, &p.Rounds, &p.Engine, &result, &created); err != nil {
			return nil, err
		}
		p.Result, p.Created = []byte(result), timeOf(created)
		all = append(all, p)
	}
	return all, rows.Err()
}

// Comment is one remark on a revision, or on a place in it.
type Comment struct {
	ID         int64
	DesignID   string
	N          int
	Anchor     string // an id on the page, such as "up-02-L7"; empty: the whole
	Author     string
	Body       string // Markdown
	Created    time.Time
	Resolved   time.Time
	ResolvedBy string
}

// AddComment keeps a comment and sets its number and time.
func (s *Store) AddComment(ctx context.Context, c *Comment) error {
	c.Created = timeOf(millis(s.now()))
	done, err := s.write.ExecContext(ctx, "INSERT INTO comments (design_id, n, anchor, author, body, created_at) VALUES (?, ?, ?, ?, ?, ?)",
		c.DesignID, c.N, c.Anchor, c.Author, c.Body, millis(c.Created))
	if err != nil {
		return err
	}
	c.ID, err = done.LastInsertId()
	return err
}

// ResolveComment marks a comment of a design as dealt with, or opens it again.
func (s *Store) ResolveComment(ctx context.Context, id string, comment int64, by string, resolved bool) error {
	at := int64(0)
	if resolved {
		at = millis(s.now())
	} else {
		by = ""
	}
	done, err := s.write.ExecContext(ctx, "UPDATE comments SET resolved_at = ?, resolved_by = ? WHERE design_id = ? AND id = ?", at, by, id, comment)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return notFound("no-comment", "comment")
}

// Comments lists a design's comments of all its revisions, oldest first.
func (s *Store) Comments(ctx context.Context, id string) ([]Comment, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT id, n, anchor, author, body, created_at, resolved_at, resolved_by FROM comments WHERE design_id = ? ORDER BY id", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Comment
	for rows.Next() {
		c := Comment{DesignID: id}
		var created, resolved int64
		if err := rows.Scan(&c.ID, &c.N, &c.Anchor, &c.Author, &c.Body, &created, &resolved, &c.ResolvedBy); err != nil {
			return nil, err
		}
		c.Created, c.Resolved = timeOf(created), timeOf(resolved)
		all = append(all, c)
	}
	return all, rows.Err()
}

// Approval is a person's word for one revision, by its hash.
type Approval struct {
	DesignID string
	N        int
	Hash     string
	Author   string
	Note     string
	Created  time.Time
}

// Approve keeps an approval of the revision that has this hash.
func (s *Store) Approve(ctx context.Context, a *Approval) error {
	err := s.read.QueryRowContext(ctx, "SELECT n FROM revisions WHERE design_id = ? AND hash = ?", a.DesignID, a.Hash).Scan(&a.N)
	if errors.Is(err, sql.ErrNoRows) {
		return notFound("no-revision", "revision")
	}
	if err != nil {
		return err
	}
	a.Created = timeOf(millis(s.now()))
	_, err = s.write.ExecContext(ctx, "INSERT INTO approvals (design_id, hash, author, note, created_at) VALUES (?, ?, ?, ?, ?)", a.DesignID, a.Hash, a.Author, a.Note, millis(a.Created))
	return err
}

// Approvals lists a design's approvals, newest first.
func (s *Store) Approvals(ctx context.Context, id string) ([]Approval, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT r.n, a.hash, a.author, a.note, a.created_at FROM approvals a JOIN revisions r ON r.hash = a.hash WHERE a.design_id = ? ORDER BY a.id DESC", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Approval
	for rows.Next() {
		a := Approval{DesignID: id}
		var created int64
		if err := rows.Scan(&a.N, &a.Hash, &a.Author, &a.Note, &created); err != nil {
			return nil, err
		}
		a.Created = timeOf(created)
		all = append(all, a)
	}
	return all, rows.Err()
}

// Counts says how much the store holds, for /metrics.
func (s *Store) Counts(ctx context.Context) (designs, revisions, drafts int, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM designs), (SELECT count(*) FROM revisions), (SELECT count(*) FROM drafts)").Scan(&designs, &revisions, &drafts)
	return designs, revisions, drafts, err
}
