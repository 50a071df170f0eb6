package proof

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Child()
	os.Exit(m.Run())
}

var shared struct {
	sync.Mutex
	engine *sandbox.Engine
}

// engine gives the engine that this package's tests share; it dies with them.
// The embedded engine does not always outlive a client that leaves in the middle
// of an answer, so one that is gone is replaced.
func engine(t testing.TB) *sandbox.Engine {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.engine == nil || shared.engine.Err() != nil {
		shared.engine = ownEngine(t)
	}
	return shared.engine
}

// ownEngine gives an engine that no other test uses.
func ownEngine(t testing.TB) *sandbox.Engine {
	t.Helper()
	e, err := sandbox.Start(context.Background(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func load(t testing.TB, name string) *designer.Design {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := designer.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// decided gives the statements that the design's own decision builds.
func decided(t testing.TB, d *designer.Design) (*designer.Facts, *Statements) {
	t.Helper()
	rollup, facts, err := resolve(context.Background(), engine(t), d)
	if err != nil {
		t.Fatal(err)
	}
	decision, err := pattern.Decide(rollup)
	if err != nil {
		t.Fatal(err)
	}
	return facts, fromPlan(decision.Plan)
}

func TestProveHolds(t *testing.T) {
	d := load(t, "shop.json")
	result, err := Prove(context.Background(), engine(t), d, Options{Rounds: 8}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !result.OK {
		t.Fatal(result.Counterexample.Story())
	}
	if result.Pattern != "replacing" || result.Rounds != 8 || len(result.Checkpoints) < 16 {
		t.Errorf("pattern %s, %d rounds, %d checkpoints", result.Pattern, result.Rounds, len(result.Checkpoints))
	}
	if result.Naive == nil || !result.Naive.Failed {
		t.Errorf("the naive view did not fail: %+v", result.Naive)
	}
}

func TestNamedPatternIsRefused(t *testing.T) {
	d := load(t, "daily.json")
	d.Pattern = "summing"
	_, err := Prove(context.Background(), engine(t), d, Options{Rounds: 1}, nil)
	p, ok := problem.As(err)
	if !ok || p.Kind != problem.Invalid || p.Code != "updates-counted" {
		t.Errorf("err = %v", err)
	}
}

// The same seed tells the same story, which is as short as it can be: one row,
// and what the view cannot take back.
func TestCounterexampleIsSmallAndTheSame(t *testing.T) {
	d := load(t, "daily.json")
	var stories []string
	for range 2 {
		c, err := ShowWhyNot(context.Background(), engine(t), d, "summing", Options{Rounds: 10})
		if err != nil {
			t.Fatal(err)
		}
		if c == nil {
			t.Fatal("a summing view over updates was not broken")
		}
		if len(c.Events) > 2 {
			t.Errorf("%d events:\n%s", len(c.Events), c.Story())
		}
		if len(c.Events) > 0 && len(c.Events[0].Wrote) == 0 {
			t.Errorf("the story does not tell what the view wrote:\n%s", c.Story())
		}
		stories = append(stories, c.Story())
	}
	if stories[0] != stories[1] {
		t.Errorf("two stories for one seed:\n%s\n%s", stories[0], stories[1])
	}
}

// An engine that leaves in the middle proves nothing.
func TestEngineThatLeavesProvesNothing(t *testing.T) {
	ctx := context.Background()
	e, err := sandbox.Start(ctx, sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	result, err := Prove(ctx, e, load(t, "daily.json"), Options{Rounds: 50}, func(p Progress) {
		if p.Round == 2 {
			once.Do(func() { e.Close() })
		}
	})
	p, ok := problem.As(err)
	if !ok || p.Kind != problem.Down || result != nil {
		t.Errorf("result %+v, err %v", result, err)
	}
}

func TestCancelProvesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e := ownEngine(t) // a client that leaves in mid-answer can take it down
	defer e.Close()
	result, err := Prove(ctx, e, load(t, "daily.json"), Options{Rounds: 500}, func(p Progress) { cancel() })
	if result != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("result %+v, err %v", result, err)
	}
}

// Rounds leave no database behind.
func TestRoundsClearUp(t *testing.T) {
	e, d := engine(t), load(t, "daily.json")
	facts, s := decided(t, d)
	p, err := newProver(e.Conn(), d, facts, s, Options{Rounds: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.search(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	var left uint64
	if err := e.Conn().QueryRow(context.Background(), "SELECT count() FROM system.databases WHERE startsWith(name, ?)", p.prefix).Scan(&left); err != nil {
		t.Fatal(err)
	}
	if left != 0 {
		t.Errorf("%d databases are left", left)
	}
}

func TestBackfillModesHold(t *testing.T) {
	for _, c := range []struct{ name, mode, column, value, engine string }{
		{"pause", designer.BackfillPause, "", "", ""},
		{"overlap", designer.BackfillOverlap, "", "", ""},
		{"watermark", designer.BackfillWatermark, "_version", "1000000", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := load(t, "daily.json")
			d.Backfill = designer.Backfill{Mode: c.mode, Column: c.column, Value: c.value}
			result, err := Prove(context.Background(), engine(t), d, Options{Rounds: 3}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !result.OK {
				t.Error(result.Counterexample.Story())
			}
		})
	}
}

// Tiers: what the finer ones let go of stays in the coarser.
func TestTiersHold(t *testing.T) {
	d := load(t, "daily.json")
	d.Source.Engine, d.Source.Feed, d.Source.Key, d.Source.Version, d.Source.Deleted = "MergeTree", designer.Append, nil, "", ""
	d.Source.Tombstones = ""
	d.Tiers = []designer.Tier{{Bucket: "5 minute", TTL: "30 day"}, {Bucket: "1 hour", TTL: "90 day"}, {Bucket: "1 day", TTL: "3 year"}}
	result, err := Prove(context.Background(), engine(t), d, Options{Rounds: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !result.OK {
		t.Error(result.Counterexample.Story())
	}
}

// A real restart of the engine, with parts unmerged, changes no answer.
func TestRestartHolds(t *testing.T) {
	ctx, dir, d := context.Background(), t.TempDir(), load(t, "daily.json")
	facts, s := decided(t, d)
	e, err := sandbox.Start(ctx, sandbox.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { e.Close() }()
	p, err := newProver(e.Conn(), d, facts, s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(2) {
		w, err := (&generator{model: p.model, eval: p.eval}).workload(ctx, 11+seed, 16)
		if err != nil {
			t.Fatal(err)
		}
		w.script = []act{{kind: actUp}}
		for b := range w.batches {
			w.script = append(w.script, act{kind: actInsert, batch: b}, act{kind: actReload})
		}
		r := p.round(w, 0)
		restarts := 0
		r.restart = func(r *round) error {
			restarts++
			if err := e.Close(); err != nil {
				return err
			}
			if e, err = sandbox.Start(ctx, sandbox.Options{Dir: dir}); err != nil {
				return err
			}
			r.conn, p.conn, p.eval.conn = e.Conn(), e.Conn(), e.Conn()
			return r.merges(ctx, "STOP")
		}
		fail, err := r.run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if fail != nil || restarts != w.batches {
			t.Errorf("seed %d, %d restarts: %+v", w.seed, restarts, fail)
		}
	}
}

func TestHandwritten(t *testing.T) {
	d := load(t, "daily.json")
	d.Metrics = d.Metrics[:2]
	write := func(t *testing.T, files map[string]string) string {
		t.Helper()
		dir := t.TempDir()
		for name, text := range files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	entity := "CREATE TABLE rollups.slim (id UInt64, at DateTime, country String, status String, amount Decimal(18, 2), v UInt64, gone UInt8) ENGINE = ReplacingMergeTree(v) ORDER BY id;\n" +
		"CREATE MATERIALIZED VIEW rollups.slim_mv TO rollups.slim AS SELECT id, created_at AS at, country, status, amount, _version AS v, _is_deleted AS gone FROM shop.orders"
	query := "SELECT toDate(at, 'UTC') AS day, country, sum(amount) AS revenue, count() AS orders FROM `rollups`.slim FINAL WHERE gone = 0 AND status != 'test' GROUP BY day, country ORDER BY day, country"
	for _, c := range []struct {
		name  string
		files map[string]string
		ok    bool
	}{
		{"one row per entity holds", map[string]string{"up/01_slim.sql": entity, "query.sql": query}, true},
		{"a filter on a mutable column in the view does not", map[string]string{"slim.sql": entity + " WHERE status != 'test'", "query.sql": query}, false},
		{"a query without FINAL does not", map[string]string{"slim.sql": entity, "query.sql": strings.Replace(query, " FINAL", "", 1)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, err := Handwritten(context.Background(), engine(t), d, write(t, c.files), Options{Rounds: 8, Rows: 16}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if result.OK != c.ok {
				t.Errorf("ok = %v: %+v", result.OK, result.Counterexample)
			}
			if c.ok == (result.Counterexample != nil) {
				t.Errorf("counterexample: %v", result.Counterexample)
			}
		})
	}
	_, err := Handwritten(context.Background(), engine(t), d, write(t, map[string]string{"up/01_slim.sql": entity}), Options{Rounds: 1}, nil)
	if p, ok := problem.As(err); !ok || p.Code != "sql-folder" {
		t.Errorf("a folder without query.sql: %v", err)
	}
}

// Two rows may differ in the columns of a key and be one entity all the same.
func TestKeyOfExpressionsHolds(t *testing.T) {
	d := load(t, "daily.json")
	d.Source.Columns[0].Type = "String"
	d.Source.OrderBy, d.Source.Key = []string{"lower(id)"}, []string{"lower(id)"}
	d.Metrics = d.Metrics[:2]
	result, err := Prove(context.Background(), engine(t), d, Options{Rounds: 12, Rows: 16}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !result.OK {
		t.Error(result.Counterexample.Story())
	}
}

// Types that are hard to write, to compare and to add up.
func TestTypesHold(t *testing.T) {
	d := load(t, "types.json")
	result, err := Prove(context.Background(), engine(t), d, Options{Rounds: 6, Rows: 16}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !result.OK {
		t.Error(result.Counterexample.Story())
	}
}
