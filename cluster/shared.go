package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// SharedColumn says whether the values of an identifier belong to one entity
// each. Where several entities share a value, a target keyed by it would lose
// the others when one is deleted.
type SharedColumn struct {
	Name     string `json:"name"`
	Values   uint64 `json:"values"`
	Shared   uint64 `json:"shared"`     // values that more than one entity carries
	OneToOne bool   `json:"one_to_one"` // none is, as far as was looked
	Basis    Basis  `json:"basis"`
}

// mostShared is how many identifiers are looked at.
const mostShared = 8

func (c *Cluster) measureShared(ctx context.Context, m *Measurement) error {
	s := m.Source
	key := keyTuple(s)
	for _, col := range s.Columns {
		isKey := slices.Contains(s.Key, col.Name) || slices.Contains(s.OrderBy, col.Name)
		if !idLike(col) || isKey || col.Name == s.Version || col.Name == s.Deleted || len(m.Shared) >= mostShared {
			continue
		}
		sample := m.wideSample(ident(col.Name))
		ask := Ask{For: "identifier probe", Limit: Probe, SQL: fmt.Sprintf(
			"SELECT toUInt64(count()), toUInt64(countIf(__e > 1))\nFROM (SELECT uniqExact(%s) AS __e FROM %s WHERE (%s) AND %s GROUP BY %s)",
			key, tableName(s.Database, s.Table), sample.Where, live(s), ident(col.Name))}
		found := SharedColumn{Name: col.Name}
		cost, err := c.Each(ctx, ask, func(row Scanner) error { return row.Scan(&found.Values, &found.Shared) })
		if err != nil {
			return err
		}
		found.OneToOne, found.Basis = found.Shared == 0, m.measured(ask, cost, sample)
		m.Shared = append(m.Shared, found)
	}
	return nil
}

// Nulls counts the NULLs of Nullable columns: each would turn into 0, ” or 1970
// in a target that is not Nullable.
type Nulls struct {
	Rows    uint64       `json:"rows"`
	Columns []NullColumn `json:"columns"`
	Basis   Basis        `json:"basis"`
}

// NullColumn is a Nullable column and how many NULLs it holds.
type NullColumn struct {
	Name  string `json:"name"`
	Nulls uint64 `json:"nulls"`
}

func (c *Cluster) measureNulls(ctx context.Context, m *Measurement) error {
	s := m.Source
	var columns []designer.Column
	var counts []string
	for _, col := range s.Columns {
		if strings.HasPrefix(col.Type, "Nullable(") || strings.HasPrefix(col.Type, "LowCardinality(Nullable(") {
			columns = append(columns, col)
			counts = append(counts, "countIf(isNull("+ident(col.Name)+"))")
		}
	}
	if len(columns) == 0 {
		return nil
	}
	sample, err := c.sampleYoung(ctx, s)
	if err != nil {
		return err
	}
	ask := Ask{For: "NULL probe", Limit: Probe, SQL: fmt.Sprintf("SELECT [count(), %s] FROM %s WHERE (%s) AND %s", strings.Join(counts, ", "), tableName(s.Database, s.Table), sample.Where, live(s))}
	found, cost, err := Values[[]uint64](ctx, c, ask)
	if err != nil {
		return err
	}
	m.Nulls = &Nulls{Rows: found[0][0], Basis: m.measured(ask, cost, sample)}
	for i, col := range columns {
		m.Nulls.Columns = append(m.Nulls.Columns, NullColumn{col.Name, found[0][i+1]})
	}
	return nil
}
