package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// History counts what follows what among the raw versions of sampled entities.
// Merges and optimize_on_insert remove replaced rows, so a count of nought
// proves nothing where few entities still have several rows.
type History struct {
	Keys     uint64 `ch:"keys" json:"keys"`
	Rows     uint64 `ch:"rows" json:"rows"`
	Several  uint64 `ch:"several" json:"several"`   // entities with more than one distinct row
	Repeats  uint64 `ch:"repeats" json:"repeats"`   // rows that are there more than once, every value alike
	SameVer  uint64 `ch:"same_ver" json:"same_ver"` // neighbours with one version and other values
	Updates  uint64 `ch:"updates" json:"updates"`   // a live row straight after a live row: no cancel between
	Returned uint64 `ch:"returned" json:"returned"` // a live row after a deleted one: in a ledger, an update
	// Cancels are deleted rows straight after a live row; Equal of them repeat
	// its values, Differ do not.
	Cancels uint64 `ch:"cancels" json:"cancels"`
	Equal   uint64 `ch:"equal" json:"equal"`
	Differ  uint64 `ch:"differ" json:"differ"`
	// Orphans are deleted rows with no live row before them.
	Orphans uint64 `ch:"orphans" json:"orphans"`
	// Tombstones are deleted rows that come last; Blank of them hold defaults only.
	Tombstones uint64 `ch:"tombstones" json:"tombstones"`
	Blank      uint64 `ch:"blank" json:"blank"`
	TombOld    uint64 `ch:"tomb_old" json:"tomb_old"` // that repeat the row before them
}

// historySQL walks each sampled entity's rows in version order. __r, a name no
// column has, holds
// (version, deleted, hash of the values, values all default) per distinct row.
const historySQL = `SELECT
    toUInt64(count()) AS keys, toUInt64(sum(__n)) AS rows, toUInt64(countIf(length(__r) > 1)) AS several, toUInt64(sum(__n - length(__r))) AS repeats,
    toUInt64(sum(arrayCount((a, b) -> a.1 = b.1, before, after))) AS same_ver,
    toUInt64(sum(arrayCount((a, b) -> a.2 = 0 AND b.2 = 0 AND a.1 < b.1, before, after))) AS updates,
    toUInt64(sum(arrayCount((a, b) -> a.2 = 1 AND b.2 = 0, before, after))) AS returned,
    toUInt64(sum(arrayCount((a, b) -> a.2 = 0 AND b.2 = 1, before, after))) AS cancels,
    toUInt64(sum(arrayCount((a, b) -> a.2 = 0 AND b.2 = 1 AND a.3 = b.3, before, after))) AS equal,
    toUInt64(sum(arrayCount((a, b) -> a.2 = 0 AND b.2 = 1 AND a.3 != b.3, before, after))) AS differ,
    toUInt64(sum(__r[1].2 + arrayCount((a, b) -> a.2 = 1 AND b.2 = 1, before, after))) AS orphans,
    toUInt64(sum(__r[-1].2)) AS tombstones, toUInt64(sum(__r[-1].2 = 1 AND __r[-1].4 = 1)) AS blank,
    toUInt64(sum(__r[-1].2 = 1 AND length(__r) > 1 AND __r[-2].2 = 0 AND __r[-1].3 = __r[-2].3)) AS tomb_old
FROM (
    SELECT __n, __r, arrayPopBack(__r) AS before, arrayPopFront(__r) AS after
    FROM (
        SELECT count() AS __n, arraySort(groupUniqArray((%s, %s, %s, %s))) AS __r
        FROM %s
        WHERE %s
        GROUP BY %s
    )
)`

// History probes the raw rows of a source that keeps versions.
func (c *Cluster) History(ctx context.Context, s designer.Source, sample Sample) (History, Ask, Cost, error) {
	version, deleted := "toUInt8(0)", "toUInt8(0)"
	if s.Version != "" {
		version = ident(s.Version)
	}
	if s.Deleted != "" {
		deleted = "toUInt8(" + ident(s.Deleted) + " != 0)"
	}
	values := payload(s)
	ask := Ask{For: "feed probe", Limit: Probe, SQL: fmt.Sprintf(historySQL, version, deleted, hashOf(values), allDefault(values),
		tableName(s.Database, s.Table), sample.Where, keyTuple(s))}
	found, cost, err := Rows[History](ctx, c, ask)
	if err != nil {
		return History{}, ask, cost, err
	}
	return found[0], ask, cost, nil
}

// payload lists the columns whose values a version carries: neither the key nor
// what is written about the transport, and only types that can be compared.
func payload(s designer.Source) []designer.Column {
	key := s.Key
	if len(key) == 0 {
		key = s.OrderBy
	}
	var out []designer.Column
	for _, c := range s.Columns {
		skip := c.Name == s.Version || c.Name == s.Deleted || c.Name == s.Sign || slices.Contains(key, c.Name) ||
			slices.Contains(bookkeeping, c.Name) || slices.Contains(importTimes, c.Name) || !comparable(c.Type)
		if !skip {
			out = append(out, c)
		}
	}
	return out
}

// comparable says whether a type has a value that equals another: states and
// types of changing shape do not.
func comparable(typ string) bool {
	for _, no := range []string{"AggregateFunction(", "JSON", "Object(", "Dynamic", "Variant("} {
		if strings.HasPrefix(typ, no) {
			return false
		}
	}
	return true
}

// hashOf is one number for all the values; the tuple keeps NULLs in.
func hashOf(columns []designer.Column) string {
	if len(columns) == 0 {
		return "toUInt64(0)"
	}
	return "cityHash64(tuple(" + idents(names(columns)) + "))"
}

// allDefault says whether every value is its type's default, or NULL.
func allDefault(columns []designer.Column) string {
	var tests []string
	for _, c := range columns {
		if strings.HasPrefix(c.Type, "Nullable(") || strings.HasPrefix(c.Type, "LowCardinality(Nullable(") {
			tests = append(tests, "isNull("+ident(c.Name)+")")
		} else {
			tests = append(tests, fmt.Sprintf("%s = defaultValueOfArgumentType(%s)", ident(c.Name), ident(c.Name)))
		}
	}
	if len(tests) == 0 {
		return "toUInt8(0)"
	}
	return "toUInt8(" + strings.Join(tests, " AND ") + ")"
}

func names(columns []designer.Column) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.Name
	}
	return out
}
