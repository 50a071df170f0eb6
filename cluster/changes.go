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
