package cluster

import (
	"context"
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// BlockGroups says how many groups of a candidate grain fall into one inserted
// block: a view whose groups are about as many as the rows reduces nothing.
type BlockGroups struct {
	Grain  []string `json:"grain"`
	Blocks uint64   `ch:"blocks" json:"blocks"` // that were looked at
	Rows   float64  `ch:"rows" json:"rows"`     // of a block, on average
	Groups float64  `ch:"groups" json:"groups"` // of a block, on average
	Basis  Basis    `json:"basis"`
}

// Reduction is rows per group; near 1 a view at insert time gains nothing.
func (b BlockGroups) Reduction() float64 {
	if b.Groups == 0 {
		return 0
	}
	return b.Rows / b.Groups
}

// GroupsPerBlock measures a grain on the youngest parts, which are single blocks
// where merges have not come yet.
func (c *Cluster) GroupsPerBlock(ctx context.Context, s designer.Source, grain []string) (BlockGroups, error) {
	exprs := make([]string, len(grain))
	for i, g := range grain {
		exprs[i] = keyExpr(s, g)
	}
	blocks, _, err := Values[string](ctx, c, Ask{For: "choose a sample", SQL: query("blocks"), Params: map[string]any{"database": s.Database, "table": s.Table, "most": wholeRows}})
	if err != nil {
		return BlockGroups{}, err
	}
	b := BlockGroups{Grain: grain}
	if len(blocks) == 0 {
		b.Basis = Basis{Sample: "no part is a single block any more", Confidence: Low}
		return b, nil
	}
	quoted := make([]string, len(blocks))
	for i, name := range blocks {
		quoted[i] = literal(name)
	}
	ask := Ask{For: "block probe", Limit: Probe, SQL: fmt.Sprintf(
		"SELECT toUInt64(count()) AS blocks, avg(__r) AS rows, avg(__g) AS groups\nFROM (SELECT count() AS __r, uniqExact(tuple(%s)) AS __g FROM %s WHERE _part IN (%s) GROUP BY _part)",
		strings.Join(exprs, ", "), tableName(s.Database, s.Table), strings.Join(quoted, ", "))}
	found, cost, err := Rows[BlockGroups](ctx, c, ask)
	if err != nil {
		return b, err
	}
	found[0].Grain = grain
	found[0].Basis = Basis{SQL: ask.SQL, Sample: fmt.Sprintf("%d parts that are single blocks", len(blocks)), Confidence: Medium, Took: Took(cost.Took)}
	return found[0], nil
}
