package handlers

import (
	"fmt"
	"math"
	"time"

	"github.com/rollsmith/rollsmith/bench"
	"github.com/rollsmith/rollsmith/web"
)

// benchResult shapes a result for the page: times as ratios to the cheapest
// right answer and to the direct read, bars on a scale of tens.
func benchResult(r bench.Result) web.BenchResult {
	out := web.BenchResult{Engine: r.Engine, Size: sizeView(r.Size), Rows: uint64(r.Rows), Stored: r.Stored, Parts: r.Parts, Bytes: r.Bytes, Answers: r.Answers,
		Threads: r.Threads, Runs: r.Runs, Insert: r.Insert.CPU, Took: r.Took, Cut: r.Cut}
	cheapest, direct := r.Cheapest(), r.Direct()
	var least, greatest time.Duration
	for _, c := range r.Candidates {
		if c.Read.Median > 0 {
			greatest = max(greatest, c.Read.Median)
			if least == 0 || c.Read.Median < least {
				least = c.Read.Median
			}
		}
	}
	for _, c := range r.Candidates {
		row := web.BenchRow{ID: c.ID, Title: c.Title, Pattern: c.Pattern, Direct: c.Direct, Right: c.Right(), Wrong: c.Wrong, Differ: c.Differ, Failed: c.Failed, Caution: c.Caution, SQL: c.SQL,
			Median: c.Read.Median, Least: c.Read.Least, Greatest: c.Read.Greatest, Rows: c.Read.ReadRows, Bytes: c.Read.ReadBytes, Memory: uint64(max(c.Read.PeakBytes, 0)),
			ToCheapest: times(c.Read.Median, cheapest), ToDirect: times(c.Read.Median, direct), Bar: bar(c.Read.Median, least, greatest)}
		if c.Insert != nil {
			row.Insert, row.InsertRatio, row.InsertMemory = c.Insert.CPU, times(c.Insert.CPU, r.Insert.CPU), uint64(max(c.Insert.PeakBytes, 0))
			row.Refresh = c.Insert.Refresh
		}
		if c.Target != nil {
			row.Target = &web.BenchTarget{Rows: c.Target.Rows, Parts: c.Target.Parts, Bytes: c.Target.Bytes, States: c.Target.States}
			if c.Target.Rows > 0 {
				row.Target.PerRow = float64(c.Target.Bytes) / float64(c.Target.Rows)
			}
			if r.Bytes > 0 {
				row.Target.Share = 100 * float64(c.Target.Bytes) / float64(r.Bytes)
			}
		}
		out.Candidates = append(out.Candidates, row)
	}
	out.Published, out.PublishedOn, out.PublishedBy, out.PublishedGain = published(), bench.PublishedOn, bench.PublishedSource, bench.PublishedGain
	return out
}

// times writes a ratio; empty where one side is not known.
func times(a, b time.Duration) string {
	if a == 0 || b == 0 {
		return ""
	}
	return factor(float64(a) / float64(b))
}

func factor(f float64) string {
	switch {
	case f >= 9.95:
		return fmt.Sprintf("×%.0f", f)
	case f >= 0.1:
		return fmt.Sprintf("×%.1f", f)
	}
	return fmt.Sprintf("×%.2g", f)
}

// bar gives a length in thousandths on a scale on which each ten times is as
// long as the last: the least has a tenth.
func bar(d, least, greatest time.Duration) int {
	if d == 0 || least == 0 {
		return 0
	}
	span := math.Log10(float64(greatest) / float64(least))
	if span == 0 {
		return 1000
	}
	return 100 + int(900*math.Log10(float64(d)/float64(least))/span)
}

// published are the figures of others, as ratios to the cheapest of them.
func published() []web.BenchFigure {
	var out []web.BenchFigure
	for _, f := range bench.Published {
		out = append(out, web.BenchFigure{Title: f.Title, Took: f.Took, Bytes: uint64(f.Bytes), Ratio: times(f.Took, bench.Published[0].Took)})
	}
	return out
}
