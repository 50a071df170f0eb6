package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/sandbox"
)

// proxied opens a server through a proxy that answers as pass lets it; pass gets
// what the client has sent so far.
func proxied(t *testing.T, protocol, behind string, pass func(sent *atomic.Value, to io.Writer, from io.Reader)) *Cluster {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer in.Close()
				out, err := net.Dial("tcp", behind)
				if err != nil {
					return
				}
				defer out.Close()
				var sent atomic.Value
				sent.Store([]byte(nil))
				go func() {
					defer out.Close()
					buffer := make([]byte, 64<<10)
					for {
						n, err := in.Read(buffer)
						if err != nil {
							return
						}
						sent.Store(append(bytes.Clone(sent.Load().([]byte)), buffer[:n]...))
						if _, err := out.Write(buffer[:n]); err != nil {
							return
						}
					}
				}()
				pass(&sent, in, out)
			}()
		}
	}()
	c, err := Open(context.Background(), Config{Name: "far", Protocol: protocol, Addresses: []string{listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// stallOn stops answering a connection once its client has sent the text.
func stallOn(text string) func(*atomic.Value, io.Writer, io.Reader) {
	return func(sent *atomic.Value, to io.Writer, from io.Reader) {
		buffer := make([]byte, 64<<10)
		for {
			n, err := from.Read(buffer)
			if err != nil {
				return
			}
			if bytes.Contains(sent.Load().([]byte), []byte(text)) {
				continue // swallowed
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
	}
}

func silent(_ *atomic.Value, _ io.Writer, from io.Reader) { io.Copy(io.Discard, from) }

// trickle lets a byte through at a time.
func trickle(_ *atomic.Value, to io.Writer, from io.Reader) {
	one := make([]byte, 1)
	for {
		if _, err := from.Read(one); err != nil {
			return
		}
		if _, err := to.Write(one); err != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// everyCall runs every call a page makes and tells how each ended.
func everyCall(c *Cluster, db string) map[string]error {
	ctx := context.Background()
	ends := map[string]error{}
	_, ends["Databases"] = c.Databases(ctx)
	_, ends["Tables"] = c.Tables(ctx, Search{})
	_, ends["Columns"] = c.Columns(ctx, db, "t")
	_, ends["Views"] = c.Views(ctx, Search{})
	_, ends["TableProfile"] = c.TableProfile(ctx, db, "t")
	_, ends["Introspect"] = c.Introspect(ctx, db, "t")
	_, ends["ExplainPlan"] = c.ExplainPlan(ctx, "SELECT 1")
	_, ends["Server"] = c.Server(ctx)
	_, ends["Lineage"] = c.Lineage(ctx, db, "t")
	return ends
}

func TestAClusterThatIsDownIsSaidByEveryCall(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nowhere := listener.Addr().String()
	listener.Close()
	for _, protocol := range []string{Native, HTTP} {
		c, err := Open(context.Background(), Config{Protocol: protocol, Addresses: []string{nowhere}})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for call, err := range everyCall(c, "shop") {
			if p, ok := problem.As(err); !ok || p.Kind != problem.Down || p.Code != "port" || p.Hint == "" {
				t.Errorf("%s over %s: %v", call, protocol, err)
			}
		}
		if topology, missing := c.Topology(context.Background()); len(missing) != 3 || len(topology.Clusters) > 0 {
			t.Errorf("topology %+v, missing %v", topology, missing)
		}
	}
}

func TestSilenceAndTrickleEndWithTheLimit(t *testing.T) {
	for name, pass := range map[string]func(*atomic.Value, io.Writer, io.Reader){"silence": silent, "trickle": trickle} {
		for _, protocol := range []string{Native, HTTP} {
			t.Run(name+" over "+protocol, func(t *testing.T) {
				t.Parallel()
				_, err := proxied(t, protocol, addressOf(ownEngine(t), protocol), pass).Tables(context.Background(), Search{})
				if p, ok := problem.As(err); !ok || p.Code != "timeout" {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}

func TestAPageTellsWhatItKnowsWhenOneQuestionHangs(t *testing.T) {
	db := scratch(t)
	do(t, db, "CREATE TABLE DB.t (id UInt64) ENGINE = MergeTree ORDER BY id", "INSERT INTO DB.t VALUES (1)", "SYSTEM FLUSH LOGS")
	for _, protocol := range []string{Native, HTTP} {
		p, err := proxied(t, protocol, addressOf(engine, protocol), stallOn("system.parts")).TableProfile(context.Background(), db, "t")
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Columns) != 1 || p.SortingKey[0] != "id" || len(p.Partitions) != 0 {
			t.Errorf("profile = %+v", p)
		}
		if missing := strings.Join(p.Missing, "\n"); len(p.Missing) != 1 || !strings.Contains(missing, "system.parts") || !strings.Contains(missing, "did not answer") {
			t.Errorf("missing over %s: %s", protocol, missing)
		}
	}
}

func TestAConnectionCutInMidAnswer(t *testing.T) {
	for _, protocol := range []string{Native, HTTP} {
		c := proxied(t, protocol, addressOf(ownEngine(t), protocol), func(_ *atomic.Value, to io.Writer, from io.Reader) { io.CopyN(to, from, 20_000) })
		_, _, err := Values[string](context.Background(), c, Ask{For: "cut", SQL: "SELECT repeat(toString(number), 100) FROM numbers(5000)"})
		if p, ok := problem.As(err); !ok || p.Kind != problem.Down || p.Code != "network" {
			t.Errorf("over %s: %v", protocol, err)
		}
	}
}

func TestAQueryKilledByItsServer(t *testing.T) {
	for _, protocol := range []string{Native, HTTP} {
		done := make(chan error, 1)
		c := as(t, "default", protocol)
		go func() {
			_, err := c.Each(context.Background(), Ask{For: "killed", SQL: "SELECT count() FROM numbers(10000000000000) WHERE cityHash64(number) = 1", Limit: Limit{Time: time.Minute, ResultRows: 10, Memory: 1e9}}, func(Scanner) error { return nil })
			done <- err
		}()
		killed := func() (n uint64) {
			rows, err := engine.Conn().Query(context.Background(), "KILL QUERY WHERE startsWith(query_id, 'rollsmith-killed-') SYNC")
			if errors.Is(err, io.EOF) { // there was nothing to kill
				return 0
			} else if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
				n++
			}
			return n
		}
		waitFor(t, "a query to kill", func() bool { return killed() > 0 })
		if p, ok := problem.As(<-done); !ok || p.Code != "cancelled" || p.Kind != problem.Limit {
			t.Errorf("over %s: %+v", protocol, p)
		}
	}
}

func TestAClusterThatComesBackAnswersAgain(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	e, err := sandbox.Start(ctx, sandbox.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	port := e.TCPPort()
	c, err := Open(ctx, Config{Protocol: Native, Addresses: []string{fmt.Sprintf("127.0.0.1:%d", port)}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Databases(ctx); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	c.Forget()
	if _, err := c.Databases(ctx); err == nil {
		t.Error("a stopped server answers")
	}
	if e, err = sandbox.Start(ctx, sandbox.Options{Dir: dir, TCPPort: port}); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	waitFor(t, "the cluster to come back", func() bool { _, err := c.Databases(ctx); return err == nil })
}

func TestHugeAnswersAreRefused(t *testing.T) {
	for _, protocol := range []string{Native, HTTP} {
		_, _, err := Values[string](context.Background(), as(t, "default", protocol), Ask{For: "huge", SQL: "SELECT repeat(toString(number % 10), 100000) FROM numbers(1000)", Limit: Limit{Time: 10 * time.Second, ResultRows: 10_000, ReadRows: 1e6, ReadBytes: 1e9, Memory: 2e9}})
		if p, ok := problem.As(err); !ok || p.Kind != problem.Limit || p.Code != "result" {
			t.Errorf("over %s: %v", protocol, err)
		}
	}
}
