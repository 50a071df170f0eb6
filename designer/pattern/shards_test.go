package pattern_test

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/sandbox"
)

// TestShards places plans on the local tables of two shards and reads them
// through their Distributed tables: answers are the truth over both. The
// embedded engine has no Keeper, so ON CLUSTER is carried out by hand: each
// statement runs on each shard.
func TestShards(t *testing.T) {
	shards := pair(t)
	for _, c := range []struct {
		name, feed, engine, metrics, want string
		rows                              [][2]string // of each shard, by batch
	}{
		{"states of events", "append", "MergeTree", `{"name": "n", "kind": "count"}, {"name": "users", "kind": "count_distinct", "expr": "user"}, {"name": "mean", "kind": "avg", "expr": "x"}`, "aggregating",
			[][2]string{{"(1, 'a', 1, 7, 1, 0), (3, 'b', 5, 7, 1, 0)", "(2, 'a', 2, 7, 1, 0)"}, {"(5, 'a', 3, 8, 1, 0)", "(4, 'b', 6, 9, 1, 0)"}}},
		{"latest rows of orders", "upsert", "ReplacingMergeTree(v, del)", `{"name": "n", "kind": "count"}, {"name": "users", "kind": "count_distinct", "expr": "user"}, {"name": "s", "kind": "sum", "expr": "x"}`, "replacing",
			[][2]string{{"(1, 'a', 1, 7, 1, 0), (3, 'b', 5, 7, 1, 0)", "(2, 'a', 2, 7, 1, 0)"}, {"(1, 'b', 3, 8, 2, 0)", "(2, '', 0, 0, 2, 1), (4, 'b', 6, 7, 1, 0)"}}},
		{"a ledger of payments", "ledger", "ReplacingMergeTree(v)", `{"name": "n", "kind": "count"}, {"name": "s", "kind": "sum", "expr": "x"}`, "ledger",
			[][2]string{{"(1, 'a', 1, 7, 1, 0), (3, 'b', 5, 7, 1, 0)", "(2, 'a', 2, 7, 1, 0)"}, {"(1, 'a', 1, 7, 2, 1), (1, 'b', 3, 8, 3, 0)", "(2, 'a', 2, 7, 2, 1)"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := "shop_" + c.feed
			document := fmt.Sprintf(`{"format": 1, "name": "by_kind", "grain": {"dimensions": [{"name": "kind", "expr": "kind"}]}, "metrics": [%s],
				"source": {"database": %q, "table": "s", "engine": %q, "order_by": ["id"], "feed": %q%s,
					"columns": [{"name": "id", "type": "UInt64"}, {"name": "kind", "type": "String"}, {"name": "x", "type": "UInt32"}, {"name": "user", "type": "UInt32"}, {"name": "v", "type": "UInt64"}, {"name": "del", "type": "UInt8"}]},
				"deployment": {"on_cluster": "pair", "sharding_key": "id %% 2"}}`,
				c.metrics, db, c.engine, c.feed, map[string]string{"ledger": `, "deleted": "del"`}[c.feed])
			r := resolved(t, document)
			decision, err := pattern.Decide(r)
			if err != nil {
				t.Fatal(err)
			}
			if decision.Pattern != c.want {
				t.Fatalf("pattern %s, want %s", decision.Pattern, c.want)
			}
			everywhere := func(statements ...string) {
				for _, e := range shards {
					for _, s := range statements {
						on(t, e, strings.ReplaceAll(s, " ON CLUSTER `pair`", ""))
					}
				}
			}
			everywhere("CREATE DATABASE "+ddl.Ident(db), sourceDDL(r.Design))
			for _, s := range decision.Plan.Up {
				everywhere(s.SQL)
			}
			for _, batch := range c.rows {
				for i, e := range shards {
					on(t, e, "INSERT INTO "+r.SourceTable()+" VALUES "+batch[i])
				}
				for i, e := range shards {
					got, want := rowsOf(t, e, decision.Plan.Query), rowsOf(t, e, decision.Plan.Truth)
					if got != want || want == "" {
						t.Errorf("asked of shard %d: %s, want %s", i+1, got, want)
					}
					if differ := rowsOf(t, e, decision.Plan.Audit); differ != "" {
						t.Errorf("audit on shard %d: %s", i+1, differ)
					}
				}
			}
			for _, s := range strings.Split(strings.TrimSpace(decision.Plan.Down()), ";\n") {
				everywhere(strings.TrimSuffix(s, ";"))
			}
			for i, e := range shards {
				if left := rowsOf(t, e, "SELECT name FROM system.tables WHERE database = "+ddl.Literal(db)+" AND name != 's'"); left != "" {
					t.Errorf("left on shard %d: %s", i+1, left)
				}
			}
		})
	}
}

// pair starts two engines that know each other as the shards of cluster pair.
func pair(t *testing.T) []*sandbox.Engine {
	t.Helper()
	var ports [2]int
	config := "<remote_servers><pair>"
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports[i] = l.Addr().(*net.TCPAddr).Port
		l.Close()
		config += fmt.Sprintf("<shard><replica><host>127.0.0.1</host><port>%d</port></replica></shard>", ports[i])
	}
	config += "</pair></remote_servers>"
	var out []*sandbox.Engine
	for _, port := range ports {
		e, err := sandbox.Start(t.Context(), sandbox.Options{TCPPort: port, Config: config})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		out = append(out, e)
	}
	return out
}

// resolved reads a document and has the engine judge its expressions.
func resolved(t *testing.T, document string) *designer.Rollup {
	t.Helper()
	d, err := designer.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	facts, err := engine.Analyse(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	r, err := designer.Resolve(d, facts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func on(t *testing.T, e *sandbox.Engine, sql string) {
	t.Helper()
	if err := e.Conn().Exec(t.Context(), sql); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

// rowsOf gives a query's rows as one text.
func rowsOf(t *testing.T, e *sandbox.Engine, sql string) string {
	t.Helper()
	rows, err := e.Conn().Query(t.Context(), "SELECT toString(tuple(*)) FROM (\n"+strings.TrimSuffix(strings.TrimSpace(sql), ";")+"\n)")
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "; ")
}
