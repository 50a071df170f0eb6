package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rollsmith/rollsmith/problem"
)

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func revision(note string) *Revision {
	return &Revision{Document: []byte(`{"format":1}`), Evidence: []byte("{}"), Bundle: []byte("zip"), Pattern: "replacing", Author: "a", Note: note}
}

func kindOf(err error) problem.Kind {
	if p, ok := problem.As(err); ok {
		return p.Kind
	}
	return ""
}

func TestRevisionsFollowOneAnotherAndChain(t *testing.T) {
	ctx, s := context.Background(), open(t, t.TempDir())
	first := revision("first")
	if err := s.Create(ctx, "daily <em>revenue</em>'", "demo", first); err != nil {
		t.Fatal(err)
	}
	second := revision("second")
	if err := s.Append(ctx, first.DesignID, "renamed", 1, second); err != nil {
		t.Fatal(err)
	}
	if second.N != 2 || second.Previous != first.Hash || second.Hash == first.Hash {
		t.Fatalf("second revision: %+v", second)
	}
	if err := s.CheckChain(ctx, first.DesignID); err != nil {
		t.Error(err)
	}
	got, err := s.Revision(ctx, first.DesignID, 1)
	if err != nil || got.Note != "first" || string(got.Bundle) != "zip" {
		t.Errorf("revision 1: %+v, %v", got, err)
	}
	d, err := s.Design(ctx, first.DesignID)
	if err != nil || d.Newest != 2 || d.Name != "renamed" || d.Cluster != "demo" || d.Hash != second.Hash {
		t.Errorf("design: %+v, %v", d, err)
	}
	history, err := s.History(ctx, first.DesignID)
	if err != nil || len(history) != 2 || history[0].N != 2 {
		t.Errorf("history: %+v, %v", history, err)
	}
	list, err := s.Designs(ctx, 10)
	if err != nil || len(list) != 1 {
		t.Errorf("designs: %+v, %v", list, err)
	}
}

func TestARevisionCannotBeChangedOrRemoved(t *testing.T) {
	ctx, s := context.Background(), open(t, t.TempDir())
	r := revision("")
	if err := s.Create(ctx, "n", "", r); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"UPDATE revisions SET note = 'x'", "DELETE FROM revisions"} {
		if _, err := s.write.Exec(sql); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if _, err := s.write.Exec("DROP TRIGGER revisions_are_never_changed; UPDATE revisions SET note = 'forged'"); err != nil {
		t.Fatal(err)
	}
	if err := s.CheckChain(ctx, r.DesignID); err == nil {
		t.Error("a forged note went unnoticed")
	}
}

func TestOfTwoWhoSaveOnTheSameBaseOneIsTold(t *testing.T) {
	ctx, s := context.Background(), open(t, t.TempDir())
	r := revision("base")
	if err := s.Create(ctx, "n", "", r); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() { errs[i] = s.Append(ctx, r.DesignID, "n", 1, revision(fmt.Sprint(i))) })
	}
	wg.Wait()
	saved := 0
	for _, err := range errs {
		if err == nil {
			saved++
		} else if kindOf(err) != problem.Conflict {
			t.Errorf("want a conflict, got %v", err)
		}
	}
	if saved != 1 {
		t.Errorf("%d of 8 saved as revision 2", saved)
	}
}

func TestDraftsNoticeTwoWindows(t *testing.T) {
	ctx, s := context.Background(), open(t, t.TempDir())
	d := &Draft{Cluster: "demo", Document: []byte("{}")}
	if err := s.NewDraft(ctx, d); err != nil {
		t.Fatal(err)
	}
	stale := *d
	d.Document = []byte(`{"name":"a"}`)
	if err := s.SaveDraft(ctx, d); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveDraft(ctx, &stale); kindOf(err) != problem.Conflict {
		t.Errorf("stale save: %v", err)
	}
	got, err := s.Draft(ctx, d.ID)
	if err != nil || string(got.Document) != `{"name":"a"}` || got.Version != 2 {
		t.Errorf("draft: %+v, %v", got, err)
	}
	if err := s.DropDraft(ctx, d.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveDraft(ctx, d); kindOf(err) != problem.NotFound {
		t.Errorf("save of a dropped draft: %v", err)
	}
}

func TestCommentsProofsAndApprovals(t *testing.T) {
	ctx, s := context.Background(), open(t, t.TempDir())
	r := revision("")
	if err := s.Create(ctx, "n", "", r); err != nil {
		t.Fatal(err)
	}
	c := &Comment{DesignID: r.DesignID, N: 1, Anchor: "up-01-L3", Author: "b", Body: "why `FINAL`?"}
	if err := s.AddComment(ctx, c); err != nil {
		t.Fatal(err)
	}
	if err := s.ResolveComment(ctx, r.DesignID, c.ID, "a", true); err != nil {
		t.Fatal(err)
	}
	comments, err := s.Comments(ctx, r.DesignID)
	if err != nil || len(comments) != 1 || comments[0].ResolvedBy != "a" || comments[0].Resolved.IsZero() {
		t.Errorf("comments: %+v, %v", comments, err)
	}
	if err := s.ResolveComment(ctx, "another", c.ID, "a", true); kindOf(err) != problem.NotFound {
		t.Errorf("comment of another design: %v", err)
	}
	if err := s.AddProof(ctx, &Proof{DesignID: r.DesignID, N: 1, State: Proven, Engine: "26.7", Rounds: 30, Result: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	if err := s.AddProof(ctx, &Proof{DesignID: r.DesignID, N: 9, State: Proven, Result: []byte("{}")}); err == nil {
		t.Error("a proof of a revision that is not there was kept")
	}
	if d, err := s.Design(ctx, r.DesignID); err != nil || d.Proof != Proven {
		t.Errorf("design: %+v, %v", d, err)
	}
	a := &Approval{DesignID: r.DesignID, Hash: r.Hash, Author: "c"}
	if err := s.Approve(ctx, a); err != nil || a.N != 1 {
		t.Fatalf("approval: %+v, %v", a, err)
	}
	if err := s.Approve(ctx, &Approval{DesignID: r.DesignID, Hash: strings.Repeat("0", 64), Author: "c"}); kindOf(err) != problem.NotFound {
		t.Errorf("approval of a hash that is not there: %v", err)
	}
	if all, err := s.Approvals(ctx, r.DesignID); err != nil || len(all) != 1 {
		t.Errorf("approvals: %+v, %v", all, err)
	}
}

func TestTheFolderIsOursAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir)
	if _, err := Open(context.Background(), dir); err == nil || !strings.Contains(err.Error(), "Another Rollsmith") {
		t.Errorf("second server: %v", err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "rollsmith.db"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, want %v (%v)", path, info.Mode().Perm(), want, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	if err := again.Ready(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestTheWriterKeepsItsPromises(t *testing.T) {
	s := open(t, t.TempDir())
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "trusted_schema": "0", "busy_timeout": "5000"} {
		var got string
		if err := s.write.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %q, want %q (%v)", pragma, got, want, err)
		}
	}
	if _, err := s.read.Exec("DELETE FROM designs"); err == nil {
		t.Error("the readers' pool writes")
	}
}

func TestAFileOfANewerVersionIsRefused(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := s.write.Exec("PRAGMA user_version = 999"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := Open(context.Background(), dir); err == nil || !strings.Contains(err.Error(), "newer Rollsmith") {
		t.Errorf("got %v", err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "rollsmith.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var version int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil || version != 999 {
		t.Errorf("user_version %d, %v", version, err)
	}
}

func TestAddressesCannotBeGuessed(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := NewID()
		if len(id) != 16 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") != "" || seen[id] {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}
