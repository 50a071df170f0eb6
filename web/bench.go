package web

import (
	"fmt"
	"strconv"
	"time"
)

// Bench is the page of what a revision's design costs.
type Bench struct {
	ID, Name, Pattern, Feed string
	N                       int
	Size                    BenchSize
	MostRows, Threads       int
	Query, Total            time.Duration
	Memory                  uint64
	Errors                  Errors
	Running                 *BenchProgress
	State, Message          string // of the last one, where it is over
	Created                 time.Time
	Result                  *BenchResult
	Cost                    Cost
	Off                     []Fact // how far the estimate was off
}

// URL is the page's own address.
func (b Bench) URL() string { return "/d/" + b.ID + "/r/" + strconv.Itoa(b.N) + "/bench" }

// BenchSize is what is generated.
type BenchSize struct {
	Entities, Versions, Groups int
	Seed                       uint64
}

// BenchProgress is how far one is.
type BenchProgress struct {
	Step, Steps int
	Words       string
	Took        time.Duration
}

// BenchResult is what was measured.
type BenchResult struct {
	Engine                       string
	Size                         BenchSize
	Rows, Stored, Parts, Answers uint64
	Bytes                        uint64
	Threads, Runs                int
	Insert                       time.Duration // processor time per million rows, without a view
	Took                         time.Duration
	Cut                          string
	Created                      time.Time
	Candidates                   []BenchRow
	Published                    []BenchFigure
	PublishedOn, PublishedBy     string
	PublishedGain                int // of FINAL, partition by partition
}

// BenchRow is one way of answering.
type BenchRow struct {
	ID, Title              string
	Pattern, Direct, Right bool
	Wrong, Failed, Caution string
	Differ                 uint64
	SQL                    string
	Median, Least          time.Duration
	Greatest               time.Duration
	Rows, Bytes, Memory    uint64
	ToCheapest, ToDirect   string
	Bar                    int // thousandths
	Insert                 time.Duration
	InsertRatio            string
	InsertMemory           uint64
	Refresh                time.Duration // of the scheduled views, each time
	Target                 *BenchTarget
}

// BenchTarget is what a pattern keeps.
type BenchTarget struct {
	Rows, Parts, Bytes uint64
	PerRow, States     float64 // bytes
	Share              float64 // per cent of the source's bytes
}

// BenchFigure is a published one.
type BenchFigure struct {
	Title string
	Took  time.Duration
	Bytes uint64
	Ratio string
}

// Line says what it was measured on.
func (r BenchResult) Line() string {
	return fmt.Sprintf("Measured here, on %s of %s, seed %d, %s, ClickHouse %s", Plural(r.Rows, "generated row"), Plural(r.Size.Entities, "entity"), r.Size.Seed, Plural(r.Threads, "thread"), r.Engine)
}

// Verdict says in a sentence who reads cheapest.
func (r BenchResult) Verdict() string {
	var best, direct *BenchRow
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if c.Right && (best == nil || c.Median < best.Median) {
			best = c
		}
		if c.Direct && c.Failed == "" {
			direct = c
		}
	}
	switch {
	case best == nil:
		return "None of them answered rightly within the limits."
	case direct == nil || direct == best:
		return fmt.Sprintf("Cheapest to read: %s, %s.", best.name(), Took(best.Median))
	}
	return fmt.Sprintf("Cheapest to read: %s, %s. The direct read takes %s: %.0f times as long.", best.name(), Took(best.Median), Took(direct.Median), float64(direct.Median)/float64(max(best.Median, 1)))
}

func (c BenchRow) name() string {
	if c.Pattern {
		return c.ID
	}
	return c.Title
}

// spread is from the fastest run to the slowest.
func (c BenchRow) spread() string {
	if c.Least == c.Greatest {
		return ""
	}
	return Took(c.Least) + " to " + Took(c.Greatest)
}

// says is a row of the picture for those who do not see it.
func (c BenchRow) says() string {
	return fmt.Sprintf("%s: %s, %s the cheapest", c.name(), Took(c.Median), c.ToCheapest)
}

func float(f float64) string {
	if f >= 100 {
		return Count(int64(f))
	}
	return fmt.Sprintf("%.1f", f)
}

// Cost is the sheet of candidate grains side by side.
type Cost struct {
	Kept      bool // there is an estimate
	Clustered bool // the cluster of the design is connected
	Rows      uint64
	Where     string
	Created   time.Time
	Grains    []CostRow
	NotWorth  *ReasonRow
	Direct    string // the direct query, where no rollup is worth it
	Trouble   *Trouble
}

// CostRow is one grain.
type CostRow struct {
	Name              string
	Own               bool
	Groups, Low, High uint64
	Reduction         float64
	KeyBytes, States  float64
	Bytes             uint64
	Written           float64
	Says, Basis       string
}

func (c CostRow) between() string {
	if c.Low == c.High {
		return ""
	}
	return Count(c.Low) + " to " + Count(c.High)
}

// minutes writes a limit in words.
func minutes(d time.Duration) string { return Plural(int(d.Minutes()), "minute") }
