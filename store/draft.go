package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/rollsmith/rollsmith/problem"
)

// Draft is a design that is being made: a document that may be incomplete.
type Draft struct {
	ID       string
	Cluster  string
	DesignID string // the design it would be a revision of, or empty
	Base     int    // the revision it started from
	Document []byte
	Notes    []byte // what was measured on the way, as JSON
	Version  int    // grows with every save, so that two windows notice each other
	Created  time.Time
	Updated  time.Time
}

// draftLife is how long an untouched draft is kept.
const draftLife = 90 * 24 * time.Hour

// NewDraft saves a new draft and sets its address; drafts that nobody touched
// for long are dropped on the way.
func (s *Store) NewDraft(ctx context.Context, d *Draft) error {
	d.ID, d.Version = NewID(), 1
	if len(d.Notes) == 0 {
		d.Notes = []byte("{}")
	}
	now := s.now()
	d.Created, d.Updated = timeOf(millis(now)), timeOf(millis(now))
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM drafts WHERE updated_at < ?", millis(now.Add(-draftLife))); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO drafts (id, cluster, design_id, base, document, notes, version, created_at, updated_at) VALUES (?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?)",
			d.ID, d.Cluster, d.DesignID, d.Base, string(d.Document), string(d.Notes), d.Version, millis(d.Created), millis(d.Updated))
		return err
	})
}

// SaveDraft saves the next version of a draft. When another window saved it
// since, it is a problem of kind Conflict.
func (s *Store) SaveDraft(ctx context.Context, d *Draft) error {
	now := s.now()
	done, err := s.write.ExecContext(ctx, "UPDATE drafts SET document = ?, notes = ?, base = ?, version = version + 1, updated_at = ? WHERE id = ? AND version = ?",
		string(d.Document), string(d.Notes), d.Base, millis(now), d.ID, d.Version)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		d.Version++
		d.Updated = timeOf(millis(now))
		return err
	}
	if _, err := s.Draft(ctx, d.ID); err != nil {
		return err
	}
	return &problem.Error{Kind: problem.Conflict, Code: "draft-conflict",
		Message: "This draft was changed in another window since this page was opened.",
		Hint:    "Look at what it holds now, then make your change again."}
}

const selectDrafts = "SELECT id, cluster, coalesce(design_id, ''), base, document, notes, version, created_at, updated_at FROM drafts"

// Draft finds one draft.
func (s *Store) Draft(ctx context.Context, id string) (Draft, error) {
	d, err := scanDraft(s.read.QueryRowContext(ctx, selectDrafts+" WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return d, notFound("no-draft", "draft")
	}
	return d, err
}

// Drafts lists drafts, the one changed last first.
func (s *Store) Drafts(ctx context.Context, limit int) ([]Draft, error) {
	rows, err := s.read.QueryContext(ctx, selectDrafts+" ORDER BY updated_at DESC, id LIMIT ?", limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Draft
	for rows.Next() {
		d, err := scanDraft(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, rows.Err()
}

func scanDraft(row scanner) (d Draft, err error) {
	var document, notes string
	var created, updated int64
	err = row.Scan(&d.ID, &d.Cluster, &d.DesignID, &d.Base, &document, &notes, &d.Version, &created, &updated)
	d.Document, d.Notes, d.Created, d.Updated = []byte(document), []byte(notes), timeOf(created), timeOf(updated)
	return d, err
}

// DropDraft forgets a draft; dropping one that is gone is fine.
func (s *Store) DropDraft(ctx context.Context, id string) error {
	_, err := s.write.ExecContext(ctx, "DELETE FROM drafts WHERE id = ?", id)
	return err
}
