// Package store keeps designs, their revisions, drafts, proofs, comments and
// approvals in one SQLite file. What it acknowledges is on disk.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver, without cgo

	"github.com/rollsmith/rollsmith/problem"
)

//go:embed migration/*.sql
var migrations embed.FS

// Store is an open data folder; one process at a time may hold it.
type Store struct {
	write *sql.DB // one connection: SQLite has one writer
	read  *sql.DB
	lock  *os.File
	now   func() time.Time
}

// readers is how many pages may read at once.
const readers = 8

// Open opens or makes the store in a folder, which is locked until Close. It is
// for local disks: SQLite's locks do not hold on network file systems.
func Open(ctx context.Context, dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, folderProblem(dir, err)
	}
	lock, err := lockFolder(filepath.Join(dir, "rollsmith.lock"))
	if err != nil {
		return nil, folderProblem(dir, err)
	}
	s := &Store{lock: lock, now: time.Now}
	if err := s.open(ctx, filepath.Join(dir, "rollsmith.db")); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, file string) error {
	made, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return folderProblem(filepath.Dir(file), err)
	}
	made.Close()
	if s.write, err = sql.Open("sqlite", address(file, "_txlock=immediate", "journal_mode(WAL)", "synchronous(FULL)")); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	if err := s.migrate(ctx, file); err != nil {
		return fmt.Errorf("migrate %s: %w", file, err)
	}
	if s.read, err = sql.Open("sqlite", address(file, "mode=ro", "query_only(1)")); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)
	return s.read.PingContext(ctx)
}

// address writes a connection string; busy_timeout comes first, so that the
// pragmas after it wait for a lock too.
func address(file, option string, pragmas ...string) string {
	parts := []string{option}
	for _, p := range append([]string{"busy_timeout(5000)", "foreign_keys(1)", "trusted_schema(0)"}, pragmas...) {
		parts = append(parts, "_pragma="+url.QueryEscape(p))
	}
	return "file:" + (&url.URL{Path: file}).EscapedPath() + "?" + strings.Join(parts, "&")
}

// migrate brings the schema forward, one file at a time, and never back. The
// file as it was is kept beside it.
func (s *Store) migrate(ctx context.Context, file string) error {
	names, err := fs.Glob(migrations, "migration/*.sql")
	if err != nil {
		return err
	}
	var at int
	if err := s.write.QueryRowContext(ctx, "PRAGMA user_version").Scan(&at); err != nil {
		return err
	}
	if at > len(names) {
		return &problem.Error{Kind: problem.Down, Code: "store-newer",
			Message: fmt.Sprintf("The data in %s was written by a newer Rollsmith (schema %d, this one knows %d).", filepath.Dir(file), at, len(names)),
			Hint:    "Run that version, or restore the copy it made before it changed the file."}
	}
	if at > 0 && at < len(names) {
		copied := fmt.Sprintf("%s.before-%03d", file, at+1)
		if _, err := s.write.ExecContext(ctx, "VACUUM INTO ?", copied); err != nil {
			return fmt.Errorf("keep a copy: %w", err)
		}
		if err := os.Chmod(copied, 0o600); err != nil {
			return err
		}
	}
	for ; at < len(names); at++ {
		text, err := migrations.ReadFile(names[at])
		if err != nil {
			return err
		}
		err = s.tx(ctx, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, string(text)); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", at+1))
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", names[at], err)
		}
	}
	return nil
}

// Close writes the log back into the file and lets the folder go.
func (s *Store) Close() error {
	var errs []error
	if s.read != nil {
		errs = append(errs, s.read.Close())
	}
	if s.write != nil {
		_, err := s.write.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
		errs = append(errs, err, s.write.Close())
	}
	return errors.Join(append(errs, s.lock.Close())...)
}

// Ready reports whether the store takes a write.
func (s *Store) Ready(ctx context.Context) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM drafts WHERE id = ''")
		return err
	})
}

// tx runs f in one transaction of the writer.
func (s *Store) tx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// NewID makes an address that cannot be guessed: 80 random bits in 16 letters
// and digits without capitals.
func NewID() string {
	var bits [10]byte
	if _, err := rand.Read(bits[:]); err != nil {
		panic(err) // crypto/rand documents that it never fails
	}
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(bits[:]))
}

func notFound(code, what string) error {
	return &problem.Error{Kind: problem.NotFound, Code: code, Message: "There is no " + what + " under this address.", Hint: "Check the link, or start from the list of designs."}
}

func folderProblem(dir string, err error) error {
	if p, ok := problem.As(err); ok {
		return p
	}
	return &problem.Error{Kind: problem.Down, Code: "store-folder", Field: "data", Value: dir, Message: "The data folder cannot be used: " + err.Error() + ".", Hint: "Give a folder on a local disk that this user may write to, with --data.", Err: err}
}

func millis(t time.Time) int64 { return t.UnixMilli() }

func timeOf(millis int64) time.Time {
	if millis == 0 {
		return time.Time{}
	}
	return time.UnixMilli(millis).UTC()
}
