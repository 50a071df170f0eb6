package bench_test

import (
	"strings"
	"testing"

	"github.com/rollsmith/rollsmith/bench"
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
