package cluster

import (
	"context"
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

const (
	// wholeRows is how many rows a probe reads without sampling: a second or two
	// on two threads.
	wholeRows = 2_000_000
	// hashedRows is up to how many rows a probe reads all of the key, but keeps
	// only some keys: memory is the bound then, not reading.
	hashedRows = 20_000_000
	// keptRows is how many rows of a hashed sample are kept.
	keptRows = 1_000_000
	// sampleParts and runLength say how a larger table is sampled: runs of
	// neighbouring keys in the youngest parts, and all rows with those keys.
	sampleParts, runLength = 8, 256
)

// Sample says which rows a probe reads, in SQL and in words.
type Sample struct {
	Where string `json:"where"` // a condition; "1" for all rows
	Words string `json:"words"`
	// Whole is true where no row was left out.
	Whole bool `json:"whole"`
	// Sure is the most that evidence from this sample deserves.
	Sure Confidence `json:"confidence"`
	Rows uint64     `json:"rows"` // in the table, as far as known
}

// SampleKeys chooses entities to look at, with all their rows: every one in a
// small table, some by a hash of the key in a larger one, and in a huge one
// those that occur in its youngest parts, where versions are not merged yet.
func (c *Cluster) SampleKeys(ctx context.Context, s designer.Source) (Sample, error) {
	row, err := c.tableRow(ctx, s.Database, s.Table)
	if err != nil {
		return Sample{}, err
	}
	key := keyTuple(s)
	switch {
	case row.Rows <= narrower(wholeRows, s):
		return Sample{Where: "1", Words: fmt.Sprintf("all %d rows", row.Rows), Whole: true, Sure: High, Rows: row.Rows}, nil
	case row.Rows > narrower(hashedRows, s) && !leads(s):
		young, err := c.sampleYoung(ctx, s)
		young.Sure = Low // versions in older parts are not seen
		return young, err
	case row.Rows <= narrower(hashedRows, s):
		every := row.Rows/keptRows + 1
		return Sample{Where: fmt.Sprintf("cityHash64(%s) %% %d = 0", key, every), Words: fmt.Sprintf("one key in %d, by hash, of %d rows", every, row.Rows), Sure: Medium, Rows: row.Rows}, nil
	}
	return c.sampleRuns(ctx, s, key, row.Rows)
}

// usualColumns is for how many columns the bounds above are meant.
const usualColumns = 20

// narrower lowers a bound on rows where a table is wider than usual: it is
// bytes that take time.
func narrower(rows uint64, s designer.Source) uint64 {
	return rows * usualColumns / max(usualColumns, uint64(len(s.Columns)))
}

// leads says whether the entity key leads the sorting key, so that the primary
// index finds an entity's rows.
func leads(s designer.Source) bool {
	for i, k := range s.Key {
		if i >= len(s.OrderBy) || s.OrderBy[i] != k {
			return false
		}
	}
	return true
}

// sampleRuns takes runs of neighbouring keys from the youngest parts, so that
// the primary key finds their other rows without reading the table.
func (c *Cluster) sampleRuns(ctx context.Context, s designer.Source, key string, rows uint64) (Sample, error) {
	type part struct {
		Name string `ch:"name"`
		Rows uint64 `ch:"rows"`
	}
	at := map[string]any{"database": s.Database, "table": s.Table, "most": sampleParts}
	parts, _, err := Rows[part](ctx, c, Ask{For: "choose a sample", SQL: query("young_parts"), Params: at})
	table := tableName(s.Database, s.Table)
	if err != nil || len(parts) == 0 {
		return Sample{
			Where: fmt.Sprintf("%s IN (SELECT DISTINCT %s FROM %s LIMIT %d)", key, key, table, sampleParts*runLength),
			Words: fmt.Sprintf("%d keys that come first in %d rows (system.parts cannot be read, so young rows could not be chosen)", sampleParts*runLength, rows),
			Sure:  Low, Rows: rows}, nil
	}
	var runs []string
	for i, p := range parts {
		from := p.Rows * uint64(i) / uint64(len(parts)) // another place in each part
		runs = append(runs, fmt.Sprintf("(_part = %s AND _part_offset >= %d AND _part_offset < %d)", literal(p.Name), from, from+runLength))
	}
	return Sample{
		Where: fmt.Sprintf("%s IN (SELECT DISTINCT %s FROM %s WHERE %s)", key, key, table, strings.Join(runs, " OR ")),
		Words: fmt.Sprintf("up to %d keys in runs from the %d youngest parts, of %d rows", len(parts)*runLength, len(parts), rows),
		Sure:  Medium, Rows: rows}, nil
}

// keyTuple is the entity key as one SQL value.
func keyTuple(s designer.Source) string {
	key := s.Key
	if len(key) == 0 {
		key = s.OrderBy
	}
	if len(key) == 0 {
		return "tuple()"
	}
	exprs := make([]string, len(key))
	for i, k := range key {
		exprs[i] = keyExpr(s, k)
	}
	if len(exprs) == 1 {
		return exprs[0]
	}
	return "(" + strings.Join(exprs, ", ") + ")"
}

// keyExpr quotes an entry of a key that is exactly a column's name; any other
// is an expression already.
func keyExpr(s designer.Source, entry string) string {
	for _, c := range s.Columns {
		if c.Name == entry {
			return ident(entry)
		}
	}
	return "(" + entry + ")"
}

// sampleYoung takes all rows of a small table, and of a large one those of its
// youngest parts, up to what a probe reads in a second or two.
func (c *Cluster) sampleYoung(ctx context.Context, s designer.Source) (Sample, error) {
	row, err := c.tableRow(ctx, s.Database, s.Table)
	if err != nil {
		return Sample{}, err
	}
	if row.Rows <= narrower(wholeRows, s) {
		return Sample{Where: "1", Words: fmt.Sprintf("all %d rows", row.Rows), Whole: true, Sure: High, Rows: row.Rows}, nil
	}
	parts, _, err := Values[string](ctx, c, Ask{For: "choose a sample", SQL: query("young_rows"),
		Params: map[string]any{"database": s.Database, "table": s.Table, "most": narrower(wholeRows, s)}})
	if err != nil {
		return Sample{}, err
	}
	if len(parts) == 0 {
		return Sample{Where: fmt.Sprintf("_part_offset < %d", runLength*runLength), Words: fmt.Sprintf("the first %d rows of every part, of %d", runLength*runLength, row.Rows), Sure: Low, Rows: row.Rows}, nil
	}
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = literal(p)
	}
	return Sample{Where: "_part IN (" + strings.Join(quoted, ", ") + ")", Words: fmt.Sprintf("the %d youngest parts, of %d rows in all", len(parts), row.Rows), Sure: Medium, Rows: row.Rows}, nil
}
