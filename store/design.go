package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Design is a saved design as the list of designs shows it.
type Design struct {
	ID      string
	Name    string
	Cluster string // the name the cluster has here; empty for a pasted document
	Pattern string // of the newest revision
	Newest  int
	Proof   string // of the newest revision: proven, refuted, not proven, or empty
	Hash    string
	Created time.Time
	Updated time.Time
}

const selectDesigns = `
SELECT d.id, d.name, d.cluster, r.pattern, r.n, r.hash, d.created_at, r.created_at,
       coalesce((SELECT state FROM proofs p WHERE p.design_id = d.id AND p.n = r.n ORDER BY p.id DESC LIMIT 1), '')
FROM designs d JOIN revisions r ON r.design_id = d.id AND r.n = (SELECT max(n) FROM revisions WHERE design_id = d.id)`

// Designs lists the saved designs, the one changed last first.
func (s *Store) Designs(ctx context.Context, limit int) ([]Design, error) {
	rows, err := s.read.QueryContext(ctx, selectDesigns+" ORDER BY r.created_at DESC, d.id LIMIT ?", limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Design
	for rows.Next() {
		d, err := scanDesign(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, rows.Err()
}

// Design finds one design by its address.
func (s *Store) Design(ctx context.Context, id string) (Design, error) {
	d, err := scanDesign(s.read.QueryRowContext(ctx, selectDesigns+" WHERE d.id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return d, notFound("no-design", "design")
	}
	return d, err
}

type scanner interface{ Scan(...any) error }

func scanDesign(row scanner) (d Design, err error) {
	var created, updated int64
	err = row.Scan(&d.ID, &d.Name, &d.Cluster, &d.Pattern, &d.Newest, &d.Hash, &created, &updated, &d.Proof)
	d.Created, d.Updated = timeOf(created), timeOf(updated)
	return d, err
}
