package cluster

import (
	"context"
	"fmt"

	"github.com/rollsmith/rollsmith/designer"
)

// Spread counts entities whose rows lie in more than one place, where merges
// never bring them together.
type Spread struct {
	Keys    uint64 `ch:"keys" json:"keys"`
	Several uint64 `ch:"several" json:"several"` // of those with more than one row
	Spread  uint64 `ch:"spread" json:"spread"`   // in more than one partition, or shard
	Live    uint64 `ch:"live" json:"live"`       // of those, that are spread by live rows alone
	Basis   Basis  `json:"basis"`
}

const spreadSQL = `SELECT toUInt64(count()) AS keys, toUInt64(countIf(__n > 1)) AS several, toUInt64(countIf(__places > 1)) AS spread, toUInt64(countIf(__live > 1)) AS live
FROM (SELECT count() AS __n, uniqExact(%[1]s) AS __places, uniqExactIf(%[1]s, %[2]s) AS __live FROM %[3]s WHERE %[4]s GROUP BY %[5]s)`

func (c *Cluster) measurePartitions(ctx context.Context, m *Measurement) error {
	s := m.Source
	sample := m.wideSample(keyTuple(s))
	ask := Ask{For: "partition probe", Limit: Probe, SQL: fmt.Sprintf(spreadSQL, "_partition_id", live(s), tableName(s.Database, s.Table), sample.Where, keyTuple(s))}
	found, cost, err := Rows[Spread](ctx, c, ask)
	if err != nil {
		return err
	}
	m.Partitions = &found[0]
	m.Partitions.Basis = m.measured(ask, cost, sample)
	return nil
}

// shardsSQL reads through a Distributed table; _shard_num tells which shard a
// row came from.
const shardsSQL = `SELECT toUInt64(count()) AS keys, toUInt64(countIf(__n > 1)) AS several, toUInt64(countIf(__places > 1)) AS spread, toUInt64(countIf(__live > 1)) AS live
FROM (SELECT sum(__m) AS __n, uniqExact(__shard) AS __places, uniqExactIf(__shard, __l) AS __live FROM (SELECT %s AS __k, _shard_num AS __shard, count() AS __m, max(%s) AS __l FROM %s WHERE %s GROUP BY __k, __shard) GROUP BY __k)`

// Shard is one shard's part of a Distributed table.
type Shard struct {
	Number uint32 `ch:"shard" json:"shard"`
	Host   string `ch:"host" json:"host"`
	Rows   uint64 `ch:"rows" json:"rows"`
}

// Shards measures a Distributed table: rows per shard, and entities that live
// on more than one. The key is that of the source behind it.
func (c *Cluster) Shards(ctx context.Context, database, table string, s designer.Source) ([]Shard, Spread, error) {
	row, err := c.tableRow(ctx, database, table)
	if err != nil {
		return nil, Spread{}, err
	}
	key, from := keyTuple(s), tableName(database, table)
	ask := Ask{For: "shard sizes", Limit: Probe, SQL: "SELECT _shard_num AS shard, any(hostName()) AS host, toUInt64(count()) AS rows FROM " + from + " GROUP BY shard ORDER BY shard"}
	shards, _, err := Rows[Shard](ctx, c, ask)
	if err != nil {
		return nil, Spread{}, err
	}
	var rows uint64
	for _, shard := range shards {
		rows += shard.Rows
	}
	sample := Sample{Where: "1", Words: fmt.Sprintf("all %d rows of %d shards", rows, len(shards)), Sure: High}
	if every := rows/wholeRows + 1; every > 1 {
		sample = Sample{Where: fmt.Sprintf("cityHash64(%s) %% %d = 0", key, every), Words: fmt.Sprintf("one key in %d of %d rows on %d shards", every, rows, len(shards)), Sure: Medium}
	}
	ask = Ask{For: "shard probe", Limit: Probe, SQL: fmt.Sprintf(shardsSQL, key, live(s), from, sample.Where)}
	found, cost, err := Rows[Spread](ctx, c, ask)
	if err != nil {
		return shards, Spread{}, fmt.Errorf("entities of %s by shard: %w", row.Name, err)
	}
	found[0].Basis = Basis{SQL: ask.SQL, Sample: sample.Words, Confidence: sample.Sure, Took: Took(cost.Took)}
	return shards, found[0], nil
}

// measureShards looks for a Distributed table over the source and measures
// through it; without one there is nothing to say.
func (c *Cluster) measureShards(ctx context.Context, m *Measurement) error {
	s := m.Source
	lineage, err := c.Lineage(ctx, s.Database, s.Table)
	if err != nil {
		return err
	}
	for _, e := range lineage.Edges {
		if e.Kind != "local" || e.To != dotted(s.Database, s.Table) {
			continue
		}
		for _, n := range lineage.Nodes {
			if n.ID != e.From {
				continue
			}
			_, spread, err := c.Shards(ctx, n.Database, n.Name, s)
			if err == nil {
				m.Shards = &spread
			}
			return err
		}
	}
	return nil
}
