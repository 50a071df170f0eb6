package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// insertProof keeps a result beside its revision, in a transaction that keeps
// more than that.
func insertProof(ctx context.Context, tx *sql.Tx, p *Proof, at time.Time) error {
	p.Created = at
	done, err := tx.ExecContext(ctx, "INSERT INTO proofs (design_id, n, state, pattern, seed, rounds, engine, result, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		p.DesignID, p.N, p.State, p.Pattern, p.Seed, p.Rounds, p.Engine, string(p.Result), millis(at))
	if err != nil {
		return err
	}
	p.ID, err = done.LastInsertId()
	return err
}

// Proof finds one proof by its number.
func (s *Store) Proof(ctx context.Context, id int64) (Proof, error) {
	p := Proof{ID: id}
	var result string
	var created int64
	err := s.read.QueryRowContext(ctx, "SELECT design_id, n, state, pattern, seed, rounds, engine, result, created_at FROM proofs WHERE id = ?", id).
		Scan(&p.DesignID, &p.N, &p.State, &p.Pattern, &p.Seed, &p.Rounds, &p.Engine, &result, &created)
	if errors.Is(err, sql.ErrNoRows) {
		return p, notFound("no-proof", "proof")
	}
	p.Result, p.Created = []byte(result), timeOf(created)
	return p, err
}
