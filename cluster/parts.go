package cluster

import (
	"context"
	"fmt"
	"time"
)

// Partition is one partition of a table: how much, in how many parts.
type Partition struct {
	Partition    string    `ch:"partition" json:"partition"`
	ID           string    `ch:"partition_id" json:"id"`
	Rows         uint64    `ch:"rows" json:"rows"`
	Bytes        uint64    `ch:"bytes" json:"bytes"`
	Uncompressed uint64    `ch:"uncompressed" json:"uncompressed"`
	Parts        uint64    `ch:"parts" json:"parts"`
	Unmerged     uint64    `ch:"unmerged" json:"unmerged"` // parts that never took part in a merge
	Marks        uint64    `ch:"marks" json:"marks"`
	Blocks       uint64    `ch:"blocks" json:"blocks"` // inserted blocks that went into these parts
	Modified     time.Time `ch:"modified" json:"modified"`
}

// PartTotals sums all partitions, those beyond the listed ones too.
type PartTotals struct {
	Partitions uint64 `ch:"found" json:"partitions"`
	Rows       uint64 `ch:"all_rows" json:"rows"`
	Bytes      uint64 `ch:"all_bytes" json:"bytes"`
	Parts      uint64 `ch:"all_parts" json:"parts"`
	Unmerged   uint64 `ch:"all_unmerged" json:"unmerged"`
	Marks      uint64 `ch:"all_marks" json:"marks"`
	Blocks     uint64 `ch:"all_blocks" json:"blocks"`
}

// Merges is what is being merged now.
type Merges struct {
	Merges    uint64 `ch:"merges" json:"merges"`
	Mutations uint64 `ch:"mutations" json:"mutations"`
	Parts     uint64 `ch:"parts" json:"parts"`
}

// Index is a data-skipping index.
type Index struct {
	Name        string `ch:"name" json:"name"`
	Type        string `ch:"type" json:"type"`
	Expression  string `ch:"expression" json:"expression"`
	Granularity uint64 `ch:"granularity" json:"granularity"`
}

// Projection is a projection of a table.
type Projection struct {
	Name       string `ch:"name" json:"name"`
	Type       string `ch:"type" json:"type"` // Normal or Aggregate
	Query      string `ch:"query" json:"query"`
	SortingKey string `ch:"sorting_key" json:"sorting_key,omitempty"`
}

// RowPolicy hides rows from some accounts, perhaps from this one: what is
// measured here is then not what others see.
type RowPolicy struct {
	Name         string   `ch:"name" json:"name"`
	Filter       string   `ch:"filter" json:"filter"`
	Restrictive  bool     `ch:"restrictive" json:"restrictive"`
	AppliesToAll bool     `ch:"applies_to_all" json:"applies_to_all"`
	AppliesTo    []string `ch:"applies_to" json:"applies_to,omitempty"`
}

// Inserts is how rows arrive: a view pays once per block.
type Inserts struct {
	From       string    `json:"from"` // "part_log", "parts" or "" where neither is known
	Blocks     uint64    `ch:"blocks" json:"blocks"`
	Rows       uint64    `ch:"rows" json:"rows"`
	MedianRows uint64    `ch:"median_rows" json:"median_rows"`
	LeastRows  uint64    `ch:"least_rows" json:"least_rows"`
	MostRows   uint64    `ch:"most_rows" json:"most_rows"`
	PerMinute  float64   `ch:"per_minute" json:"per_minute"`
	Since      time.Time `ch:"since" json:"since"`
	Until      time.Time `ch:"until" json:"until"`
}

// RowsPerBlock is the mean size of an inserted block.
func (i Inserts) RowsPerBlock() float64 {
	if i.Blocks == 0 {
		return 0
	}
	return float64(i.Rows) / float64(i.Blocks)
}

func (c *Cluster) fillPartitions(ctx context.Context, p *Profile, at map[string]any) error {
	type row struct {
		Partition
		totalsRow
	}
	_, err := c.Each(ctx, Ask{For: "table page", SQL: query("partitions"), Params: at}, func(r Scanner) error {
		var one row
		if err := r.ScanStruct(&one); err != nil {
			return fmt.Errorf("read a partition: %w", err)
		}
		p.Partitions, p.Parts = append(p.Partitions, one.Partition), PartTotals(one.totalsRow)
		return nil
	})
	if err == nil && p.Parts.Bytes > 0 {
		p.Rows, p.Bytes = p.Parts.Rows, p.Parts.Bytes
	}
	return err
}

// totalsRow is PartTotals beside a partition in one row of an answer.
type totalsRow struct {
	Partitions uint64 `ch:"found"`
	Rows       uint64 `ch:"all_rows"`
	Bytes      uint64 `ch:"all_bytes"`
	Parts      uint64 `ch:"all_parts"`
	Unmerged   uint64 `ch:"all_unmerged"`
	Marks      uint64 `ch:"all_marks"`
	Blocks     uint64 `ch:"all_blocks"`
}

func (c *Cluster) fillInserts(ctx context.Context, p *Profile, at map[string]any) error {
	var found Inserts
	if err := one(ctx, c, "inserts", at, &found); err != nil {
		return err
	}
	if found.Blocks > 0 {
		found.From = "part_log"
		p.Inserts = found
	}
	return nil
}

// fallBack estimates the insert pattern from the block numbers that parts
// carry, where part_log knows nothing. Rows that merges removed are not counted.
func (i *Inserts) fallBack(parts PartTotals) {
	if i.From == "" && parts.Blocks > 0 {
		i.From, i.Blocks, i.Rows = "parts", parts.Blocks, parts.Rows
	}
}
