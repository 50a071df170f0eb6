package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/rollsmith/rollsmith/designer"
)

// Basis is what a measured number rests on.
type Basis struct {
	SQL        string     `json:"sql"`
	Sample     string     `json:"sample"` // which rows were looked at, in words
	Confidence Confidence `json:"confidence"`
	Took       Took       `json:"took_ms"`
}

// Finding is one measured fact in a sentence, with what it means for a rollup.
type Finding struct {
	Code  string `json:"code"`
	Text  string `json:"text"`
	Means string `json:"means,omitempty"`
	Basis Basis  `json:"basis"`
}

// Measurement is what bounded probes of the rows found. A section that is nil
// does not apply to the feed, or Missing says why it could not be measured.
type Measurement struct {
	Source     designer.Source `json:"source"`
	Sample     Sample          `json:"sample"`
	Changes    *Changes        `json:"changes,omitempty"`
	History    *HistoryFacts   `json:"history,omitempty"`
	Signs      *SignFacts      `json:"signs,omitempty"`
	Partitions *Spread         `json:"partitions,omitempty"`
	Shards     *Spread         `json:"shards,omitempty"`
	Duplicates *Duplicates     `json:"duplicates,omitempty"`
	Shared     []SharedColumn  `json:"shared,omitempty"`
	Nulls      *Nulls          `json:"nulls,omitempty"`
	Findings   []Finding       `json:"findings"`
	Missing    []string        `json:"missing,omitempty"`
	Took       Took            `json:"took_ms"`
}

// HistoryFacts are the counts of History with what they rest on.
type HistoryFacts struct {
	History
	Basis Basis `json:"basis"`
}

// measureLimit bounds a whole measurement; every probe has its own bound too.
const measureLimit = 30 * time.Second

// sections is how many probes run side by side: half of the pool, so that pages
// about the same cluster still answer.
const sections = 2

// Measure probes a source's rows: what changes, what repeats, what spreads,
// what is shared. It fails only if the table cannot be read at all.
func (c *Cluster) Measure(ctx context.Context, s designer.Source) (*Measurement, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, measureLimit)
	defer cancel()
	m := &Measurement{Source: s, Findings: []Finding{}}
	var err error
	if m.Sample, err = c.SampleKeys(ctx, s); err != nil {
		return nil, err
	}
	probes := []struct {
		what  string
		apply bool
		do    func() error
	}{
		{"what changes across versions", versioned(s), func() error { return c.measureChanges(ctx, m) }},
		{"the order of versions", versioned(s) && s.Sign == "", func() error { return c.measureHistory(ctx, m) }},
		{"the balance of signs", s.Sign != "", func() error { return c.measureSigns(ctx, m) }},
		{"entities in several partitions", s.PartitionBy != "" && hasKey(s), func() error { return c.measurePartitions(ctx, m) }},
		{"entities on several shards", versioned(s), func() error { return c.measureShards(ctx, m) }},
		{"the duplicate factor by age", true, func() error { return c.measureDuplicates(ctx, m) }},
		{"columns shared by entities", hasKey(s), func() error { return c.measureShared(ctx, m) }},
		{"NULLs", true, func() error { return c.measureNulls(ctx, m) }},
	}
	notes := make([]string, len(probes))
	turn := make(chan struct{}, sections)
	var wait sync.WaitGroup
	for i, p := range probes {
		if !p.apply {
			continue
		}
		wait.Add(1)
		go func() {
			defer wait.Done()
			turn <- struct{}{}
			defer func() { <-turn }()
			if err := p.do(); err != nil {
				notes[i] = tell(p.what, err)
			}
		}()
	}
	wait.Wait()
	for _, note := range notes {
		if note != "" {
			m.Missing = append(m.Missing, note)
		}
	}
	m.summarise()
	m.Took = Took(time.Since(began))
	return m, nil
}

// versioned says whether entities of the feed have versions to compare.
func versioned(s designer.Source) bool { return hasKey(s) && s.Feed != designer.Append }

// hasKey says whether the source tells its entities apart: the sorting key of an
// append feed does not.
func hasKey(s designer.Source) bool {
	return len(s.Key) > 0 || (len(s.OrderBy) > 0 && s.Feed != designer.Append)
}

func (m *Measurement) measured(ask Ask, cost Cost, sample Sample) Basis {
	return Basis{SQL: ask.SQL, Sample: sample.Words, Confidence: sample.Sure, Took: Took(cost.Took)}
}

func (c *Cluster) measureHistory(ctx context.Context, m *Measurement) error {
	h, ask, cost, err := c.History(ctx, m.Source, m.Sample)
	if err == nil {
		m.History = &HistoryFacts{h, m.measured(ask, cost, m.Sample)}
	}
	return err
}

// wideSample is a sample for probes that read the key and one or two columns
// more: those go further into a large table than a walk over whole rows.
func (m *Measurement) wideSample(by string) Sample {
	rows := m.Sample.Rows
	if m.Sample.Whole || rows > wideRows {
		return m.Sample
	}
	every := rows/keptRows + 1
	return Sample{Where: fmt.Sprintf("cityHash64(%s) %% %d = 0", by, every), Words: fmt.Sprintf("one in %d, by hash, of %d rows", every, rows), Sure: Medium, Rows: rows}
}

// wideRows is up to how many rows a probe of few columns reads.
const wideRows = 100_000_000
