package cluster

import (
	"context"
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// Cardinality is how many values an expression takes in the rows looked at.
type Cardinality struct {
	Name   string   `json:"name"`
	Expr   string   `json:"expr"`
	Values uint64   `json:"values"` // by a sketch, within 2 %
	Rows   uint64   `json:"rows"`
	Top    []string `json:"top,omitempty"` // a few of the most frequent
	Basis  Basis    `json:"basis"`
}

// topValues is how many frequent values are shown.
const topValues = 5

// Cardinality measures columns or dimensions of a source on all rows of a small
// table and on the youngest parts of a large one.
func (c *Cluster) Cardinality(ctx context.Context, s designer.Source, exprs ...Named) ([]Cardinality, error) {
	if len(exprs) == 0 {
		return nil, nil
	}
	exprs = exprs[:min(len(exprs), widest)]
	sample, err := c.sampleYoung(ctx, s)
	if err != nil {
		return nil, err
	}
	counts, tops := make([]string, len(exprs)), make([]string, len(exprs))
	for i, e := range exprs {
		text := keyExpr(s, e.Expr)
		counts[i] = "toUInt64(uniqCombined(tuple(" + text + ")))"
		tops[i] = fmt.Sprintf("topK(%d)(ifNull(toString(%s), 'NULL'))", topValues, text)
	}
	ask := Ask{For: "cardinality probe", Limit: Probe, SQL: fmt.Sprintf("SELECT toUInt64(count()), [%s], [%s] FROM %s WHERE (%s) AND %s",
		strings.Join(counts, ", "), strings.Join(tops, ", "), tableName(s.Database, s.Table), sample.Where, live(s))}
	out := make([]Cardinality, len(exprs))
	var rows uint64
	var values []uint64
	var top [][]string
	cost, err := c.Each(ctx, ask, func(row Scanner) error { return row.Scan(&rows, &values, &top) })
	if err != nil {
		return nil, err
	}
	basis := Basis{SQL: ask.SQL, Sample: sample.Words, Confidence: sample.Sure, Took: Took(cost.Took)}
	for i, e := range exprs {
		out[i] = Cardinality{Name: e.Name, Expr: e.Expr, Values: values[i], Rows: rows, Top: top[i], Basis: basis}
	}
	return out, nil
}
