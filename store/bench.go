package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Bench is a measurement or an estimate of what a revision costs.
type Bench struct {
	ID       int64
	DesignID string
	N        int
	Kind     string // Measured or Estimated
	State    string // Running, Done, Failed, Cancelled or Interrupted
	Request  []byte // the size that was asked for, as JSON
	Result   []byte // as JSON
	Message  string // what went wrong, in words
	Created  time.Time
	Ended    time.Time
}

// Kinds of benches.
const (
	Measured  = "bench"
	Estimated = "estimate"
)

// AddBench keeps a bench that begins, or one that is over, and sets its number
// and times.
func (s *Store) AddBench(ctx context.Context, b *Bench) error {
	b.Created = timeOf(millis(s.now()))
	if b.State != Running {
		b.Ended = b.Created
	}
	return s.tx(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, "INSERT INTO benches (design_id, n, kind, state, request, result, message, created_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			b.DesignID, b.N, b.Kind, b.State, string(b.Request), string(b.Result), b.Message, millis(b.Created), millis(b.Ended))
		if err != nil {
			return err
		}
		b.ID, err = done.LastInsertId()
		return err
	})
}

// EndBench keeps how a bench ended.
func (s *Store) EndBench(ctx context.Context, b *Bench) error {
	b.Ended = timeOf(millis(s.now()))
	_, err := s.write.ExecContext(ctx, "UPDATE benches SET state = ?, result = ?, message = ?, ended_at = ? WHERE id = ?",
		b.State, string(b.Result), b.Message, millis(b.Ended), b.ID)
	return err
}

// InterruptBenches marks the benches that a server left behind when it stopped.
func (s *Store) InterruptBenches(ctx context.Context) error {
	_, err := s.write.ExecContext(ctx, "UPDATE benches SET state = ?, ended_at = ? WHERE state = ?", Interrupted, millis(s.now()), Running)
	return err
}

// LastBench finds the newest bench of a kind of one revision; false where there
// is none. With done set, one that came to its end.
func (s *Store) LastBench(ctx context.Context, design string, n int, kind string, done bool) (Bench, bool, error) {
	b := Bench{DesignID: design, N: n, Kind: kind}
	var request, result string
	var created, ended int64
	err := s.read.QueryRowContext(ctx, `SELECT id, state, request, result, message, created_at, ended_at FROM benches
		WHERE design_id = ? AND n = ? AND kind = ? AND (state = 'done' OR NOT ?) ORDER BY id DESC LIMIT 1`, design, n, kind, done).
		Scan(&b.ID, &b.State, &request, &result, &b.Message, &created, &ended)
	if errors.Is(err, sql.ErrNoRows) {
		return b, false, nil
	}
	b.Request, b.Result, b.Created, b.Ended = []byte(request), []byte(result), timeOf(created), timeOf(ended)
	return b, err == nil, err
}
