package cluster

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// Candidate is a grain that a rollup might have, and what it would keep.
type Candidate struct {
	Name string   `json:"name"`
	By   []string `json:"by"` // the grain's expressions; none: one row in all
	// States are aggregate states over the source, such as sumState(amount);
	// their size is measured, not guessed.
	States []Named `json:"states,omitempty"`
}

// CostSheet is what a candidate would cost, beside what the source costs now.
type CostSheet struct {
	Candidate Candidate `json:"candidate"`
	// Groups is the expected number of rows of the rollup once merged; Low and
	// High bound it.
	Groups uint64 `json:"groups"`
	Low    uint64 `json:"low"`
	High   uint64 `json:"high"`

	SourceRows     uint64   `json:"source_rows"`
	Reduction      float64  `json:"reduction"` // source rows for each row of the rollup
	SourceGranules uint64   `json:"source_granules"`
	RollupGranules uint64   `json:"rollup_granules"`
	KeyBytes       float64  `json:"key_bytes"`   // of one row, not compressed
	StateBytes     float64  `json:"state_bytes"` // of one row's states, serialised, not compressed
	Bytes          uint64   `json:"bytes"`       // of the whole rollup, not compressed
	Written        float64  `json:"written"`     // rows a view writes for each row inserted; 1 gains nothing at insert
	Blocks         uint64   `json:"blocks"`      // that Written was measured on
	Worth          bool     `json:"worth"`
	Verdict        string   `json:"verdict"`
	Basis          Basis    `json:"basis"`
	Missing        []string `json:"missing,omitempty"`
}

// granule is the number of rows in an index granule, unless the table says
// otherwise (https://clickhouse.com/docs/operations/settings/merge-tree-settings#index_granularity).
const granule = 8192

// worthReduction is below which a rollup saves too little to be worth its upkeep.
const worthReduction = 10

// Cost estimates two to four candidates side by side. A candidate that cannot
// be measured has a sheet that says why.
func (c *Cluster) Cost(ctx context.Context, s designer.Source, candidates ...Candidate) ([]CostSheet, error) {
	row, err := c.tableRow(ctx, s.Database, s.Table)
	if err != nil {
		return nil, err
	}
	sheets := make([]CostSheet, len(candidates))
	for i, candidate := range candidates {
		sheet := CostSheet{Candidate: candidate, SourceRows: row.Rows, SourceGranules: (row.Rows + granule - 1) / granule}
		if err := c.countGroups(ctx, s, &sheet); err != nil {
			sheet.Missing = append(sheet.Missing, tell("the number of groups", err))
			sheet.Verdict = "It could not be measured."
			sheets[i] = sheet
			continue
		}
		if blocks, err := c.GroupsPerBlock(ctx, s, candidate.By); err != nil {
			sheet.Missing = append(sheet.Missing, tell("groups per block", err))
		} else if blocks.Rows > 0 {
			sheet.Written, sheet.Blocks = blocks.Groups/blocks.Rows, blocks.Blocks
		}
		sheet.judge()
		sheets[i] = sheet
	}
	return sheets, nil
}

func (sh *CostSheet) judge() {
	sh.RollupGranules = (sh.Groups + granule - 1) / granule
	if sh.Groups > 0 {
		sh.Reduction = float64(sh.SourceRows) / float64(sh.Groups)
	}
	sh.Bytes = uint64((sh.KeyBytes + sh.StateBytes) * float64(sh.Groups))
	sh.Worth = sh.Reduction >= worthReduction
	switch {
	case sh.SourceGranules <= 1:
		sh.Worth, sh.Verdict = false, "The source fits in one granule: read it directly."
	case !sh.Worth:
		sh.Verdict = fmt.Sprintf("Only %.1f source rows for each row of the rollup: it saves little, and reading the source directly may be as good.", sh.Reduction)
	case sh.Written > 0.5:
		sh.Verdict = fmt.Sprintf("%.0f times fewer rows once merged, but a block's rows fall into nearly as many groups: the view writes %.2f rows for each row inserted.", sh.Reduction, sh.Written)
	default:
		sh.Verdict = fmt.Sprintf("%.0f times fewer rows to read.", sh.Reduction)
	}
}

// countGroups counts the distinct grains: exactly in a small table, by a sketch
// over all rows in a larger one, by a scaled-up sample in a huge one.
func (c *Cluster) countGroups(ctx context.Context, s designer.Source, sh *CostSheet) error {
	var exprs []string
	for _, by := range sh.Candidate.By {
		exprs = append(exprs, keyExpr(s, by))
	}
	grain := "tuple(" + strings.Join(exprs, ", ") + ")"
	if sh.SourceRows <= wholeRows {
		return c.groupSample(ctx, s, sh, grain, Sample{Where: "1", Words: fmt.Sprintf("all %d rows", sh.SourceRows), Whole: true, Sure: High})
	}
	sample, err := c.spreadSample(ctx, s, sh.SourceRows)
	if err != nil {
		return err
	}
	if err := c.groupSample(ctx, s, sh, grain, sample); err != nil || sh.SourceRows > wideRows {
		return err
	}
	ask := Ask{For: "cost probe", Limit: Probe, SQL: fmt.Sprintf("SELECT toUInt64(uniqCombined64(%s)) FROM %s WHERE %s", grain, tableName(s.Database, s.Table), live(s))}
	found, cost, err := Values[uint64](ctx, c, ask)
	if err != nil {
		sh.Missing = append(sh.Missing, tell("a count over all rows", err))
		return nil // the scaled-up sample stands
	}
	sh.Groups, sh.Low, sh.High = found[0], found[0]-found[0]/50, found[0]+found[0]/50 // the sketch is within 2 %
	sh.Basis = Basis{SQL: ask.SQL, Sample: fmt.Sprintf("a sketch over all %d rows", sh.SourceRows), Confidence: Medium, Took: Took(cost.Took)}
	return nil
}

// groupsSQL groups the sampled rows and measures what one group weighs; once
// counts the groups that only one row fell into.
const groupsSQL = `SELECT toUInt64(count()) AS groups, toUInt64(countIf(__n = 1)) AS once, toUInt64(sum(__n)) AS rows, toFloat64(ifNotFinite(avg(__key), 0)) AS key_bytes, toFloat64(ifNotFinite(avg(%s), 0)) AS state_bytes
FROM (SELECT count() AS __n, byteSize(any(%s)) AS __key%s FROM %s WHERE (%s) AND %s GROUP BY %s)`

func (c *Cluster) groupSample(ctx context.Context, s designer.Source, sh *CostSheet, grain string, sample Sample) error {
	sizes, states := "0", ""
	for i, st := range sh.Candidate.States {
		sizes += fmt.Sprintf(" + length(hex(__s%d)) / 2", i)
		states += fmt.Sprintf(", %s AS __s%d", st.Expr, i)
	}
	ask := Ask{For: "cost probe", Limit: Probe, SQL: fmt.Sprintf(groupsSQL, sizes, grain, states, tableName(s.Database, s.Table), sample.Where, live(s), grain)}
	type counts struct {
		Groups     uint64  `ch:"groups"`
		Once       uint64  `ch:"once"`
		Rows       uint64  `ch:"rows"`
		KeyBytes   float64 `ch:"key_bytes"`
		StateBytes float64 `ch:"state_bytes"`
	}
	found, cost, err := Rows[counts](ctx, c, ask)
	if err != nil {
		return err
	}
	n := found[0]
	sh.KeyBytes, sh.StateBytes = n.KeyBytes, n.StateBytes
	sh.Basis = Basis{SQL: ask.SQL, Sample: sample.Words, Confidence: sample.Sure, Took: Took(cost.Took)}
	sh.Groups, sh.Low, sh.High = n.Groups, n.Groups, n.Groups
	if !sample.Whole {
		sh.Groups, sh.Low, sh.High = scaleUp(n.Groups, n.Once, n.Rows, sh.SourceRows)
	}
	return nil
}

// scaleUp estimates the distinct values among all rows from those of a sample,
// by the guaranteed-error estimator of Charikar et al. ("Towards Estimation
// Error Guarantees for Distinct Values", 2000): values seen twice are common and
// counted once, each value seen once stands for √(all/sampled) others. The truth
// lies between what was seen and what it would be if each stood for all/sampled.
func scaleUp(seen, once, sampled, all uint64) (likely, low, high uint64) {
	if sampled == 0 || all <= sampled {
		return seen, seen, seen
	}
	ratio := float64(all) / float64(sampled)
	likely = uint64(math.Sqrt(ratio)*float64(once)) + seen - once
	high = uint64(ratio*float64(once)) + seen - once
	return min(likely, all), seen, min(high, all)
}

// spreadSample takes a run of rows from each of many parts, at another place in
// each, so that a sample of a huge table reaches into all of its ages.
func (c *Cluster) spreadSample(ctx context.Context, s designer.Source, rows uint64) (Sample, error) {
	type part struct {
		Name string `ch:"name"`
		Rows uint64 `ch:"rows"`
	}
	parts, _, err := Rows[part](ctx, c, Ask{For: "choose a sample", SQL: query("spread_parts"), Params: map[string]any{"database": s.Database, "table": s.Table, "most": spreadParts}})
	if err != nil {
		return Sample{}, err
	}
	var runs []string
	for i, p := range parts {
		from := p.Rows * uint64(i) / uint64(len(parts))
		from -= from % granule
		runs = append(runs, fmt.Sprintf("(_part = %s AND _part_offset >= %d AND _part_offset < %d)", literal(p.Name), from, from+runRows/uint64(len(parts))))
	}
	if len(runs) == 0 {
		runs = []string{"0"}
	}
	return Sample{Where: strings.Join(runs, " OR "), Words: fmt.Sprintf("runs of rows from %d parts, of %d rows in all, scaled up", len(parts), rows), Sure: Low, Rows: rows}, nil
}

const (
	// spreadParts is how many parts a spread sample reaches into.
	spreadParts = 64
	// runRows is how many rows it takes in all.
	runRows = 1_000_000
)
