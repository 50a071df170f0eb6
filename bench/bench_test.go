package bench_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rollsmith/rollsmith/bench"
	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
)

// small keeps a test in seconds; what is tested is that all is measured and
// right, not how fast it is.
func small(r bench.Size) bench.Size {
	r.Entities, r.Groups = 2000, 40
	return r
}

// TestCandidatesAnswerTheTruth runs a bench of every feed: each candidate either
// answers the truth or is shown as wrong with the reason.
func TestCandidatesAnswerTheTruth(t *testing.T) {
	for _, name := range []string{"append", "at_least_once", "collapsing", "ledger", "mixed", "no_grain", "upsert"} {
		t.Run(name, func(t *testing.T) {
			r := resolved(t, "../designer/pattern/testdata/run/"+name+".json")
			size := small(bench.DefaultSize(r.Source.Feed))
			limits := bench.DefaultLimits
			limits.Runs = 1
			result, err := bench.Run(t.Context(), engine, r, size, limits, nil)
			if err != nil {
				t.Fatal(err)
			}
			if result.Answers == 0 || result.Rows < size.Entities {
				t.Errorf("%d rows, %d answers", result.Rows, result.Answers)
			}
			direct := 0
			for _, c := range result.Candidates {
				t.Logf("%-12s right=%v read %d rows in %s, %d bytes of memory; %+v %+v", c.ID, c.Right(), c.Read.ReadRows, c.Read.Median, c.Read.PeakBytes, c.Target, c.Insert)
				if c.Failed != "" {
					t.Errorf("%s failed: %s", c.ID, c.Failed)
				}
				if c.Differ > 0 && c.ID != "final_parts" {
					t.Errorf("%s differs in %d rows of %d", c.ID, c.Differ, result.Answers)
				}
				if c.Read.ReadRows == 0 || c.Read.PeakBytes == 0 || c.Read.Median == 0 {
					t.Errorf("%s: not measured: %+v", c.ID, c.Read)
				}
				if strings.Contains(c.SQL, "scratch_") {
					t.Errorf("%s names the scratch database: %s", c.ID, c.SQL)
				}
				if c.Direct {
					direct++
				}
			}
			if direct != 1 || result.Direct() == 0 || result.Cheapest() == 0 {
				t.Errorf("%d candidates are the direct read", direct)
			}
		})
	}
}

// TestWeighsStates builds the states of several grains of every feed.
func TestWeighsStates(t *testing.T) {
	for name, id := range map[string]string{"append": "aggregating", "at_least_once": "sealed", "collapsing": "replacing", "ledger": "ledger", "upsert": "replacing"} {
		t.Run(name, func(t *testing.T) {
			r := resolved(t, "../designer/pattern/testdata/run/"+name+".json")
			weights, err := bench.Weigh(t.Context(), engine, r, id, small(bench.DefaultSize(r.Source.Feed)), bench.DefaultLimits)
			if err != nil {
				t.Fatal(err)
			}
			if len(weights) < 2 || len(weights) > 4 {
				t.Errorf("%d grains side by side", len(weights))
			}
			own := 0
			for _, w := range weights {
				if w.Grain.Own {
					own++
				}
				if w.Groups == 0 || w.Rows < w.Groups || w.KeyBytes == 0 || w.StateBytes == 0 {
					t.Errorf("%s is not measured: %+v", w.Grain.Name, w)
				}
			}
			if own != 1 {
				t.Errorf("%d grains are the design's own", own)
			}
		})
	}
}

func TestSizeIsBounded(t *testing.T) {
	for _, c := range []struct {
		name  string
		feed  designer.Feed
		size  bench.Size
		field string
	}{
		{"what a bench begins with", designer.Ledger, bench.DefaultSize(designer.Ledger), ""},
		{"the largest", designer.Append, bench.Size{Entities: bench.MostRows, Versions: 1, Groups: 1}, ""},
		{"too many entities", designer.Append, bench.Size{Entities: bench.MostRows + 1, Versions: 1, Groups: 1}, "entities"},
		{"too many rows of them", designer.Ledger, bench.Size{Entities: 2_000_000, Versions: 3, Groups: 1}, "entities"},
		{"no versions", designer.Upsert, bench.Size{Entities: 1000, Groups: 1}, "versions"},
		{"more groups than entities", designer.Upsert, bench.Size{Entities: 1000, Versions: 1, Groups: 1001}, "groups"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.size.Check(c.feed)
			p, _ := problem.As(err)
			if c.field == "" && err != nil || c.field != "" && (p == nil || p.Field != c.field) {
				t.Errorf("got %v, want a problem of %q", err, c.field)
			}
		})
	}
}

// TestEndsWhenCancelled gives the context's error and leaves no database behind.
func TestEndsWhenCancelled(t *testing.T) {
	r := resolved(t, "../designer/pattern/testdata/run/upsert.json")
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	_, err := bench.Run(ctx, engine, r, small(bench.DefaultSize(r.Source.Feed)), bench.DefaultLimits, func(step, of int, words string) {
		if steps++; steps == 4 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	var left uint64
	if err := engine.Conn().QueryRow(t.Context(), "SELECT count() FROM system.databases WHERE name LIKE 'scratch%'").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d databases are left, %v", left, err)
	}
}
