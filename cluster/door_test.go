package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rollsmith/rollsmith/problem"
)

func TestEveryAccountGetsThroughTheDoor(t *testing.T) {
	for _, user := range []string{"default", "locked", "open", "held", "granted"} {
		for _, protocol := range []string{Native, HTTP} {
			t.Run(user+" over "+protocol, func(t *testing.T) {
				c := as(t, user, protocol)
				got, cost, err := Values[uint64](context.Background(), c, Ask{For: "door test", SQL: "SELECT number FROM numbers({n:UInt64})", Params: map[string]any{"n": 3}})
				if err != nil || len(got) != 3 {
					t.Fatalf("got %v, %v", got, err)
				}
				if !strings.HasPrefix(cost.QueryID, "rollsmith-door-test-") {
					t.Errorf("query id = %q", cost.QueryID)
				}
			})
		}
	}
}

func TestNoAccountCanWriteThroughTheDoor(t *testing.T) {
	db := scratch(t)
	do(t, db, "CREATE TABLE DB.t (x UInt8) ENGINE = MergeTree ORDER BY x")
	for _, protocol := range []string{Native, HTTP} {
		for _, sql := range []string{"INSERT INTO DB.t VALUES (1)", "DROP TABLE DB.t", "ALTER TABLE DB.t ADD COLUMN y UInt8", "CREATE TABLE DB.u (x UInt8) ENGINE = Memory", "TRUNCATE TABLE DB.t"} {
			_, err := as(t, "default", protocol).Each(context.Background(), Ask{For: "write", SQL: strings.ReplaceAll(sql, "DB.", db+".")}, func(Scanner) error { return nil })
			if p, ok := problem.As(err); !ok || p.Kind != problem.Denied {
				t.Errorf("%s over %s: %v, want it denied", sql, protocol, err)
			}
		}
	}
}

// The driver may be called in door.go alone, so that its bounds hold for
// everything; main_test.go seeds as the owner.
func TestOnlyTheDoorCallsTheDriver(t *testing.T) {
	call := regexp.MustCompile(`\.(Query|QueryRow|Exec|Select|PrepareBatch|AsyncInsert|QueryFormat|InsertFormat)\(`)
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	found := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if !call.MatchString(line) {
				continue
			}
			if found++; name != "door.go" && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s:%d calls the driver: %s", name, i+1, strings.TrimSpace(line))
			}
		}
	}
	if found == 0 {
		t.Error("the search found not even door.go")
	}
}

func TestLimitsHold(t *testing.T) {
	for _, user := range []string{"default", "locked"} {
		for _, protocol := range []string{Native, HTTP} {
			c := as(t, user, protocol)
			t.Run("rows "+user+" "+protocol, func(t *testing.T) {
				_, _, err := Values[uint64](context.Background(), c, Ask{For: "rows", SQL: "SELECT number FROM numbers(50)", Limit: Limit{Time: 5 * time.Second, ResultRows: 10, ReadRows: 1e6, ReadBytes: 1e9, Memory: 1e9}})
				if p, ok := problem.As(err); !ok || p.Kind != problem.Limit || p.Code != "result" {
					t.Errorf("got %v, want the result limit", err)
				}
			})
			t.Run("time "+user+" "+protocol, func(t *testing.T) {
				_, err := c.Each(context.Background(), Ask{For: "slow", SQL: "SELECT sleepEachRow(1) FROM numbers(20) SETTINGS max_block_size = 1", Limit: Limit{Time: time.Second, ReadRows: 1e6, ReadBytes: 1e9, ResultRows: 100, Memory: 1e9}}, func(Scanner) error { return nil })
				if p, ok := problem.As(err); !ok || p.Kind != problem.Limit && p.Kind != problem.Denied {
					t.Errorf("got %v, want the time limit", err)
				}
			})
		}
	}
}

func TestCancelEndsTheQueryOnTheServer(t *testing.T) {
	for _, user := range []string{"default", "locked"} {
		for _, protocol := range []string{Native, HTTP} {
			t.Run(user+" over "+protocol, func(t *testing.T) {
				c := as(t, user, protocol)
				ctx, cancel := context.WithCancel(context.Background())
				purpose := fmt.Sprintf("leave %s %s", user, protocol)
				done := make(chan error, 1)
				go func() {
					_, err := c.Each(ctx, Ask{For: purpose, SQL: "SELECT count() FROM numbers(10000000000000) WHERE cityHash64(number) = 1", Limit: Limit{Time: time.Minute, ResultRows: 10, Memory: 1e9}}, func(Scanner) error { return nil })
					done <- err
				}()
				prefix := newQueryID(purpose)
				prefix = prefix[:strings.LastIndex(prefix, "-")+1]
				running := func() (n uint64) {
					if err := engine.Conn().QueryRow(context.Background(), "SELECT count() FROM system.processes WHERE startsWith(query_id, '"+prefix+"')").Scan(&n); err != nil {
						t.Fatal(err)
					}
					return n
				}
				waitFor(t, "the query to start", func() bool { return running() == 1 })
				cancel()
				if p, ok := problem.As(<-done); !ok || p.Code != "cancelled" {
					t.Errorf("got %v", p)
				}
				waitFor(t, "the query to end", func() bool { return running() == 0 })
			})
		}
	}
}

// waitFor polls until something holds; a test that waits for ever is stopped by
// the test binary's own limit.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for i := 0; !holds(); i++ {
		if i > 600 {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestTheLogNamesThePage(t *testing.T) {
	c := as(t, "default", Native)
	_, cost, err := Values[uint8](context.Background(), c, Ask{For: "table page", SQL: "SELECT 1"})
	if err != nil {
		t.Fatal(err)
	}
	do(t, "", "SYSTEM FLUSH LOGS")
	var note, readonly string
	err = engine.Conn().QueryRow(context.Background(), "SELECT log_comment, Settings['readonly'] FROM system.query_log WHERE query_id = ? LIMIT 1", cost.QueryID).Scan(&note, &readonly)
	if err != nil || note != `{"for":"table page","tool":"rollsmith"}` || readonly != "2" {
		t.Errorf("log_comment = %s, readonly = %s, %v", note, readonly, err)
	}
}
