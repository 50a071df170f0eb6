package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// crashFolder tells this test binary, started again, to save until it is killed.
const crashFolder = "ROLLSMITH_STORE_CRASH_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashFolder); dir != "" {
		saveForEver(dir)
	}
	os.Exit(m.Run())
}

// saveForEver appends revisions and acknowledges each on standard output.
func saveForEver(dir string) {
	ctx := context.Background()
	s, err := Open(ctx, dir)
	if err != nil {
		panic(err)
	}
	first := revision("0")
	if err := s.Create(ctx, "n", "", first); err != nil {
		panic(err)
	}
	for n := 1; ; n++ {
		fmt.Println(first.DesignID, n)
		if err := s.Append(ctx, first.DesignID, "n", n, revision(fmt.Sprint(n))); err != nil {
			panic(err)
		}
	}
}

// A real process is killed in the middle of its saves; whatever it had
// acknowledged is there, and so is the chain.
func TestKilledInMidSaveKeepsWhatWasAcknowledged(t *testing.T) {
	dir := t.TempDir()
	acknowledged := map[string]int{}
	for round := range 6 {
		id, n := killAfter(t, dir, 20+37*round)
		acknowledged[id] = n
		s := open(t, dir)
		for id, n := range acknowledged {
			if d, err := s.Design(context.Background(), id); err != nil || d.Newest < n {
				t.Errorf("design %s: acknowledged %d, found %d (%v)", id, n, d.Newest, err)
			}
			if err := s.CheckChain(context.Background(), id); err != nil {
				t.Error(err)
			}
		}
		var whole string
		if err := s.read.QueryRow("PRAGMA integrity_check").Scan(&whole); err != nil || whole != "ok" {
			t.Errorf("integrity: %s %v", whole, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// killAfter starts a saver, kills it once it has acknowledged some saves, and
// gives its design and the last revision it acknowledged.
func killAfter(t *testing.T, dir string, saves int) (id string, last int) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashFolder+"="+dir)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, err := fmt.Sscan(lines.Text(), &id, &last); err != nil {
			break // a line cut short by the kill
		}
		if last == saves {
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	if last < saves {
		t.Fatalf("the saver left early, at %d of %d: %s", last, saves, said.String())
	}
	return id, last
}
