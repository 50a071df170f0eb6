package cluster

import (
	"context"
	"fmt"

	"github.com/rollsmith/rollsmith/designer"
)

// Stable is what a probe says about one expression of a design.
type Stable struct {
	Name     string    `json:"name"` // as asked: "time", "filter", or a dimension
	Expr     string    `json:"expr"`
	Suggest  string    `json:"suggest"`
	Keys     uint64    `json:"keys"`
	Several  uint64    `json:"several"`
	Changed  uint64    `json:"changed"`
	Examples []Example `json:"examples,omitempty"`
	Text     string    `json:"text"`
	Basis    Basis     `json:"basis"`
}

// Example is one entity whose value changed.
type Example struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// Named is an expression over a source's columns under the name it has in the
// design.
type Named struct{ Name, Expr string }

// Stability probes, for each expression, whether it changes across the versions
// of an entity. The expressions must have been accepted by a parser of
// ClickHouse before; the door keeps them from writing in any case.
func (c *Cluster) Stability(ctx context.Context, s designer.Source, exprs ...Named) ([]Stable, error) {
	if !hasKey(s) || len(exprs) == 0 {
		return nil, nil
	}
	sample, err := c.SampleKeys(ctx, s)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(exprs))
	for i, e := range exprs {
		texts[i] = "(" + keyExpr(s, e.Expr) + ")"
	}
	counts, ask, cost, err := c.compare(ctx, s, sample, texts)
	if err != nil {
		return nil, err
	}
	basis := Basis{SQL: ask.SQL, Sample: sample.Words, Confidence: sample.Sure, Took: Took(cost.Took)}
	out := make([]Stable, len(exprs))
	for i, e := range exprs {
		out[i] = Stable{Name: e.Name, Expr: e.Expr, Keys: counts[0], Several: counts[1], Changed: counts[i+2], Suggest: suggest(counts[1], counts[i+2]), Basis: basis}
		out[i].explain()
		if out[i].Changed > 0 {
			out[i].Examples, _ = c.examples(ctx, s, sample, texts[i]) // the counts stand without them
		}
	}
	return out, nil
}

func (st *Stable) explain() {
	switch {
	case st.Changed > 0:
		st.Text = fmt.Sprintf("It changed in %d of %d entities that still have several versions.", st.Changed, st.Several)
	case st.Several == 0:
		st.Text = fmt.Sprintf("None of %d entities has more than one live version left: merges have removed what would show a change.", st.Keys)
		st.Basis.Confidence = Low
	case st.Several < enoughEntities:
		st.Text = fmt.Sprintf("It did not change in the %d entities that still have several versions, which are too few to go by.", st.Several)
		st.Basis.Confidence = Low
	default:
		st.Text = fmt.Sprintf("It did not change in any of %d entities that still have several versions.", st.Several)
		if st.Basis.Confidence == High {
			st.Basis.Confidence = Medium // versions that were merged away were not seen
		}
	}
}

// fewExamples is how many changed entities are shown.
const fewExamples = 5

func (c *Cluster) examples(ctx context.Context, s designer.Source, sample Sample, expr string) ([]Example, error) {
	order := "tuple()"
	if s.Version != "" {
		order = ident(s.Version)
	}
	ask := Ask{For: "stability probe", Limit: Probe, SQL: fmt.Sprintf(
		"SELECT toString(__k) AS __key, arrayMap(x -> ifNull(x.2, 'NULL'), arraySort(x -> x.1, __v)) AS __values\nFROM (\n    SELECT %s AS __k, groupUniqArray(20)((%s, toString(%s))) AS __v, min(cityHash64(tuple(%s))) != max(cityHash64(tuple(%s))) AS __c\n    FROM %s\n    WHERE (%s) AND %s\n    GROUP BY __k\n    HAVING __c\n    LIMIT %d\n)",
		keyTuple(s), order, expr, expr, expr, tableName(s.Database, s.Table), sample.Where, live(s), fewExamples)}
	var found []Example
	_, err := c.Each(ctx, ask, func(row Scanner) error {
		var e Example
		if err := row.Scan(&e.Key, &e.Values); err != nil {
			return err
		}
		found = append(found, e)
		return nil
	})
	return found, err
}
