package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/rollsmith/rollsmith/problem"
)

// Revision is one state of a design, for ever the same: the document, what was
// decided of it at that time, and the bundle as it was then.
type Revision struct {
	DesignID string
	N        int
	Document []byte // design.json, normalised
	Evidence []byte // the decision and its statements, as JSON
	Bundle   []byte // bundle.zip
	Pattern  string
	Author   string
	Note     string
	Previous string // hash of the revision before, empty for the first
	Hash     string
	Created  time.Time
}

// contentHash covers everything a reader may rely on, and the past.
func (r Revision) contentHash() string {
	sum := sha256.New()
	for _, part := range [][]byte{
		[]byte(r.Previous), []byte(r.DesignID), fmt.Append(nil, r.N), r.Document, r.Evidence, r.Bundle,
		[]byte(r.Pattern), []byte(r.Author), []byte(r.Note), fmt.Append(nil, millis(r.Created)),
	} {
		fmt.Fprintf(sum, "%d:", len(part))
		sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Create saves a new design with its first revision; it sets the revision's
// address, number, hash and time.
func (s *Store) Create(ctx context.Context, name, cluster string, r *Revision) error {
	r.DesignID, r.N, r.Previous = NewID(), 1, ""
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO designs (id, name, cluster, created_at) VALUES (?, ?, ?, ?)", r.DesignID, name, cluster, millis(s.now())); err != nil {
			return err
		}
		return s.insertRevision(ctx, tx, r)
	})
}

// Append saves the revision that follows base. When another was saved since, it
// is a problem of kind Conflict.
func (s *Store) Append(ctx context.Context, id, name string, base int, r *Revision) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		var newest int
		err := tx.QueryRowContext(ctx, "SELECT n, hash FROM revisions WHERE design_id = ? ORDER BY n DESC LIMIT 1", id).Scan(&newest, &r.Previous)
		if errors.Is(err, sql.ErrNoRows) {
			return notFound("no-design", "design")
		}
		if err != nil {
			return err
		}
		if newest != base {
			return &problem.Error{Kind: problem.Conflict, Code: "revision-conflict", Value: fmt.Sprint(newest),
				Message: fmt.Sprintf("Revision %d was saved while you were working from revision %d.", newest, base),
				Hint:    "Compare the two, then save yours on top or leave it."}
		}
		r.DesignID, r.N = id, newest+1
		if _, err := tx.ExecContext(ctx, "UPDATE designs SET name = ? WHERE id = ?", name, id); err != nil {
			return err
		}
		return s.insertRevision(ctx, tx, r)
	})
}

func (s *Store) insertRevision(ctx context.Context, tx *sql.Tx, r *Revision) error {
	r.Created = timeOf(millis(s.now()))
	r.Hash = r.contentHash()
	_, err := tx.ExecContext(ctx, `INSERT INTO revisions (design_id, n, document, evidence, bundle, pattern, author, note, previous, hash, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.DesignID, r.N, string(r.Document), string(r.Evidence), r.Bundle, r.Pattern, r.Author, r.Note, r.Previous, r.Hash, millis(r.Created))
	return err
}

const selectRevisions = "SELECT design_id, n, document, evidence, bundle, pattern, author, note, previous, hash, created_at FROM revisions WHERE design_id = ?"

// Revision finds one revision.
func (s *Store) Revision(ctx context.Context, id string, n int) (Revision, error) {
	r, err := scanRevision(s.read.QueryRowContext(ctx, selectRevisions+" AND n = ?", id, n))
	if errors.Is(err, sql.ErrNoRows) {
		return r, notFound("no-revision", "revision")
	}
	return r, err
}

func scanRevision(row scanner) (r Revision, err error) {
	var document, evidence string
	var created int64
	err = row.Scan(&r.DesignID, &r.N, &document, &evidence, &r.Bundle, &r.Pattern, &r.Author, &r.Note, &r.Previous, &r.Hash, &created)
	r.Document, r.Evidence, r.Created = []byte(document), []byte(evidence), timeOf(created)
	return r, err
}

// History lists a design's revisions, newest first, without their contents.
func (s *Store) History(ctx context.Context, id string) ([]Revision, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT n, pattern, author, note, previous, hash, created_at FROM revisions WHERE design_id = ? ORDER BY n DESC", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Revision
	for rows.Next() {
		r := Revision{DesignID: id}
		var created int64
		if err := rows.Scan(&r.N, &r.Pattern, &r.Author, &r.Note, &r.Previous, &r.Hash, &created); err != nil {
			return nil, err
		}
		r.Created = timeOf(created)
		all = append(all, r)
	}
	return all, rows.Err()
}

// CheckChain recomputes every hash of a design and says which revision is not
// what it was.
func (s *Store) CheckChain(ctx context.Context, id string) error {
	rows, err := s.read.QueryContext(ctx, selectRevisions+" ORDER BY n", id)
	if err != nil {
		return err
	}
	defer rows.Close()
	previous := ""
	for n := 1; rows.Next(); n++ {
		r, err := scanRevision(rows)
		if err != nil {
			return err
		}
		if r.N != n || r.Previous != previous || r.Hash != r.contentHash() {
			return fmt.Errorf("design %s: revision %d is not what was saved", id, n)
		}
		previous = r.Hash
	}
	return rows.Err()
}
