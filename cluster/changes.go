package cluster

import (
	"context"
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// Changes says which columns differ between the live versions of one entity.
type Changes struct {
	Keys    uint64         `json:"keys"`
	Several uint64         `json:"several"` // entities that still have more than one live row
	Columns []ColumnChange `json:"columns"`
	Basis   Basis          `json:"basis"`
}

// ColumnChange is one column, and in how many entities it took several values.
type ColumnChange struct {
	Name    string `json:"name"`
	Changed uint64 `json:"changed"`
	Suggest string `json:"suggest"` // stable, mutable or unknown, as a design says it
}

// widest is how many columns one probe compares.
const widest = 60

func (c *Cluster) measureChanges(ctx context.Context, m *Measurement) error {
	columns := payload(m.Source)
	found := &Changes{}
	for from := 0; from < len(columns); from += widest {
		part := columns[from:min(from+widest, len(columns))]
		exprs := make([]string, len(part))
		for i, col := range part {
			exprs[i] = ident(col.Name)
		}
		counts, ask, cost, err := c.compare(ctx, m.Source, m.Sample, exprs)
		if err != nil {
			return err
		}
		if from == 0 {
			found.Basis = m.measured(ask, cost, m.Sample)
		}
		found.Keys, found.Several = counts[0], counts[1]
		for i, col := range part {
			found.Columns = append(found.Columns, ColumnChange{col.Name, counts[i+2], suggest(found.Several, counts[i+2])})
		}
	}
	m.Changes = found
	return nil
}

// compare counts the sampled entities, those with several live rows, and for
// each expression those in which it takes more than one value. Deleted rows are
// left out: they may hold defaults.
func (c *Cluster) compare(ctx context.Context, s designer.Source, sample Sample, exprs []string) ([]uint64, Ask, Cost, error) {
	var inner, outer []string
	for i, e := range exprs {
		hash := "cityHash64(tuple(" + e + "))"
		inner = append(inner, fmt.Sprintf("min(%s) != max(%s) AS __c%d", hash, hash, i))
		outer = append(outer, fmt.Sprintf("sum(__c%d)", i))
	}
	ask := Ask{For: "stability probe", Limit: Probe, SQL: fmt.Sprintf(
		"SELECT arrayMap(x -> toUInt64(x), [count(), countIf(__n > 1)%s])\nFROM (\n    SELECT count() AS __n%s\n    FROM %s\n    WHERE (%s) AND %s\n    GROUP BY %s\n)",
		prefixed(", ", outer), prefixed(", ", inner), tableName(s.Database, s.Table), sample.Where, live(s), keyTuple(s))}
	found, cost, err := Values[[]uint64](ctx, c, ask)
	if err != nil {
		return nil, ask, cost, err
	}
	return found[0], ask, cost, nil
}

func prefixed(separator string, parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return separator + strings.Join(parts, separator)
}

// live is the condition that keeps rows which state a value.
func live(s designer.Source) string {
	switch {
	case s.Sign != "":
		return ident(s.Sign) + " > 0"
	case s.Deleted != "":
		return ident(s.Deleted) + " = 0"
	}
	return "1"
}

// enoughEntities is how many entities with several versions it takes before "no
// change seen" suggests stable: fewer are too easily all of one kind.
const enoughEntities = 30

// suggest turns counts into what the wizard pre-selects. Seen to change is
// mutable for certain; never seen to change is only as good as the sample.
func suggest(several, changed uint64) string {
	switch {
	case changed > 0:
		return designer.Mutable
	case several >= enoughEntities:
		return designer.Stable
	}
	return designer.Unknown
}

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
