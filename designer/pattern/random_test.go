package pattern_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/problem"
	"github.com/rollsmith/rollsmith/proof"
)

// factsOf gives what the engine said of every expression that a random document
// may hold, by its text. It is asked once.
var factsOf = sync.OnceValues(func() (map[string]designer.ExprFact, error) {
	d := &designer.Design{Source: designer.Source{Columns: universe}}
	add := func(text string) {
		d.Grain.Dimensions = append(d.Grain.Dimensions, designer.Dimension{Expr: text})
	}
	for _, x := range slices.Concat(conditions, values, dimensions) {
		add(x.text)
	}
	for _, c := range universe {
		if c.Name != "tags" {
			add(ddl.Ident(c.Name))
		}
	}
	for _, k := range []string{"intDiv(id, 2)", "id % 3", "toDate(at_ms, 'UTC')", "toYYYYMM(at_ms)", "toYYYYMM(day)", "tenant % 2", "cityHash64(id)", "cityHash64(country)"} {
		add(k)
	}
	facts, err := engine.Analyse(engineContext, d)
	if err != nil {
		return nil, err
	}
	out := map[string]designer.ExprFact{
		"(tenant % 2, flag)": {Type: "Tuple(UInt32, Bool)", Columns: []string{"flag", "tenant"}},
		"rand()":             {Type: "UInt32"},
	}
	for i, x := range d.Grain.Dimensions {
		out[x.Expr] = facts.Exprs[fmt.Sprintf("grain.dimensions[%d].expr", i)]
	}
	return out, nil
})

// recallable asks the engine, so that a test can stop where it does not answer.
func recallable(t testing.TB) {
	t.Helper()
	if _, err := factsOf(); err != nil {
		t.Fatal(err)
	}
}

// recall gives a document's facts from what is known of its expressions.
func recall(t testing.TB, d *designer.Design) *designer.Facts {
	t.Helper()
	known, err := factsOf()
	if err != nil {
		t.Error(err)
	}
	facts := &designer.Facts{Exprs: map[string]designer.ExprFact{}, Engine: engine.Version()}
	for _, x := range d.Expressions() {
		fact, ok := known[x.Text]
		if !ok {
			t.Errorf("%s: nothing is known of %q", x.Path, x.Text)
		}
		facts.Exprs[x.Path] = fact
	}
	return facts
}

// decide takes a random document through everything short of the engine.
func decide(t testing.TB, seed uint64) (*designer.Design, *designer.Decision, error) {
	t.Helper()
	d, err := designer.Parse(document(seed).JSON())
	if err != nil {
		return nil, nil, err
	}
	r, err := designer.Resolve(d, recall(t, d))
	if err != nil {
		return d, nil, err
	}
	decision, err := pattern.Decide(r)
	return d, decision, err
}

// refusedWell gives a refusal's code; it has to name field, code and remedy.
func refusedWell(t testing.TB, seed uint64, err error) string {
	t.Helper()
	p, ok := problem.As(err)
	if !ok || p.Kind != problem.Invalid || p.Code == "" || p.Field == "" || p.Message == "" || p.Hint == "" {
		t.Errorf("seed %d: not a refusal that a person can use: %#v", seed, err)
		return "none"
	}
	return p.Code
}

// TestTenThousandDocuments: whatever document comes, there is a bundle, the same
// bytes each time, or a refusal with a code and a field. Every statement of some
// of the bundles is one that the engine's parser takes.
func TestTenThousandDocuments(t *testing.T) {
	recallable(t)
	var mu sync.Mutex
	refusals, chosen := map[string]int{}, map[string]int{}
	var statements []string
	inParallel(10_000, func(n int) {
		seed := uint64(n)
		_, decision, err := decide(t, seed)
		if err != nil {
			code := refusedWell(t, seed, err)
			mu.Lock()
			defer mu.Unlock()
			refusals[code]++
			return
		}
		files := designer.Bundle(decision)
		if seed%10 == 0 {
			_, second, err := decide(t, seed)
			if err != nil {
				t.Errorf("seed %d: a second time: %v", seed, err)
				return
			}
			sameFiles(t, seed, files, designer.Bundle(second))
		}
		mu.Lock()
		defer mu.Unlock()
		chosen[decision.Pattern]++
		if seed%40 == 0 {
			statements = append(statements, bundled(files)...)
		}
	})
	parseAll(t, statements)
	t.Logf("chosen %v, refused %v, %d statements parsed", chosen, refusals, len(statements))
	for _, id := range append(pattern.IDs(), "mixed") {
		if chosen[id] < 20 {
			t.Errorf("pattern %s was chosen %d times only: the documents do not reach it", id, chosen[id])
		}
	}
}

// inParallel does n things, a few at a time.
func inParallel(n int, do func(i int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// workers is how many documents are looked at at a time: the engine is busy with
// some while others are made.
const workers = 3

func sameFiles(t *testing.T, seed uint64, a, b []designer.File) {
	t.Helper()
	if len(a) != len(b) {
		t.Errorf("seed %d: %d files, then %d", seed, len(a), len(b))
		return
	}
	for i := range a {
		if a[i].Path != b[i].Path || !bytes.Equal(a[i].Data, b[i].Data) {
			t.Errorf("seed %d: %s is not the same twice", seed, a[i].Path)
		}
	}
}

// bundled gives every SQL statement of a bundle.
func bundled(files []designer.File) []string {
	var out []string
	for _, f := range files {
		if strings.HasSuffix(f.Path, ".sql") {
			out = append(out, proof.Split(string(f.Data))...)
		}
	}
	return out
}

// parseAll asks the engine's formatter, a hundred statements at a time, whether
// each is one statement.
func parseAll(t *testing.T, statements []string) {
	t.Helper()
	for chunk := range slices.Chunk(statements, 100) {
		var literals []string
		for _, s := range chunk {
			literals = append(literals, ddl.Literal(s))
		}
		var failed []uint64
		query := "SELECT arrayFilter((i, q) -> formatQueryOrNull(q) IS NULL, range(length(qs)), qs) FROM (SELECT [" + strings.Join(literals, ",\n") + "] AS qs) SETTINGS max_query_size = 100000000"
		if err := engine.Conn().QueryRow(t.Context(), query).Scan(&failed); err != nil {
			t.Fatal(err)
		}
		for _, i := range failed {
			t.Errorf("the engine does not parse:\n%s", chunk[i])
		}
	}
}

// TestFactsAreTheEngines: what is recalled of a document's expressions is what
// the engine says of them in the document.
func TestFactsAreTheEngines(t *testing.T) {
	for seed := range uint64(60) {
		d, err := designer.Parse(document(seed).JSON())
		if err != nil {
			continue
		}
		want, err := engine.Analyse(t.Context(), d)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for path, fact := range recall(t, d).Exprs {
			if path == "source.partition_by" || path == "deployment.sharding_key" {
				fact.Type = want.Exprs[path].Type
			}
			if diff := cmp.Diff(want.Exprs[path], fact); diff != "" {
				t.Errorf("seed %d: %s (-engine +recalled):\n%s", seed, path, diff)
			}
		}
	}
}

// TestRandomWorkloads carries several hundred random documents out on the engine
// under random workloads with hostile sessions, and compares every answer with a
// truth computed apart from the engine's aggregates.
func TestRandomWorkloads(t *testing.T) {
	recallable(t)
	seed, count := sample()
	var designs []*designer.Design
	var decisions []*designer.Decision
	var seeds []uint64
	patterns := map[string]bool{}
	for ; len(designs) < count; seed++ {
		if d, decision, err := decide(t, seed); err == nil && provable(d, decision) {
			designs, decisions, seeds = append(designs, d), append(decisions, decision), append(seeds, seed)
			patterns[decision.Pattern] = true
		}
	}
	for _, id := range append(pattern.IDs(), "mixed") {
		if !patterns[id] && count >= documentsProved {
			t.Errorf("no document came to pattern %s", id)
		}
	}
	inParallel(count, func(i int) {
		if story := disproof(t, designs[i], decisions[i].Pattern, seeds[i]); story != "" {
			t.Errorf("document %d, pattern %s: %s\n%s", seeds[i], decisions[i].Pattern, story, designs[i].JSON())
		}
	})
}

// documentsProved is how many random documents reach the engine.
const documentsProved = 240

// sample gives the first seed and how many documents to prove.
// ROLLSMITH_SEEDS=FROM+COUNT proves others than the suite does.
func sample() (from uint64, count int) {
	if _, err := fmt.Sscanf(os.Getenv("ROLLSMITH_SEEDS"), "%d+%d", &from, &count); err == nil {
		return from, count
	}
	return 0, documentsProved
}

// provable leaves out what needs a cluster, and answers that the prover cannot
// hold against its own truth: a number of 128 bits that is NULL, lists of bytes,
// ratios of a last that may be any of several, approximate ranks of infinity, and
// a watermark over rows that are delivered twice.
func provable(d *designer.Design, decision *designer.Decision) bool {
	r := decision.Rollup
	for _, m := range r.Measures {
		t, family := r.ResultType(m), m.Type.Family()
		wide := strings.HasSuffix(t.Family(), "128") || strings.HasSuffix(t.Family(), "256")
		bytes := m.Kind == designer.TopK && (family == "UInt8" || family == "Bool")
		several := m.Kind == designer.Ratio && (r.Measure(m.Numerator).Kind == designer.Last || r.Measure(m.Denominator).Kind == designer.Last)
		infinite := m.Kind == designer.Quantile && !m.IsExact() && m.Type.Float()
		if wide && t.Nullable() || bytes || several || infinite {
			return false
		}
	}
	twice := d.Source.Feed == designer.AtLeastOnce || d.Source.Feed == designer.Upsert
	return d.Deployment == designer.Deployment{} && !(twice && d.Backfill.Mode == designer.BackfillWatermark)
}

// disproof gives the story of a workload that breaks the design's pattern, or
// what else went wrong; "" where the pattern holds.
func disproof(t *testing.T, d *designer.Design, id string, seed uint64) string {
	t.Helper()
	result, err := proof.Force(t.Context(), engine, d, id, proof.Options{Seed: seed + 1, Rounds: 2, Rows: 16, Workers: 1, Now: proofDay}, nil)
	switch {
	case err != nil:
		return err.Error()
	case !result.OK:
		return result.Counterexample.Story()
	}
	return ""
}

// proofDay is the moment from which the proofs count what is old: a fixed one,
// so that the same seed does the same on every day.
var proofDay = time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)

// TestFailedOnce carries out the documents that a workload once broke, or whose
// statements the engine once refused.
func TestFailedOnce(t *testing.T) {
	files, err := filepath.Glob("testdata/failed/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for i, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			d, err := designer.Parse(text)
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
			decision, err := pattern.Decide(r)
			if err != nil {
				t.Fatal(err)
			}
			if story := disproof(t, d, decision.Pattern, uint64(i)); story != "" {
				t.Error(story)
			}
		})
	}
}
