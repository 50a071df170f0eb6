package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// repeatsSQL counts rows that equal another in every column.
const repeatsSQL = `SELECT toUInt64(sum(__n)) AS rows, toUInt64(count()) AS distinct_rows
FROM (SELECT count() AS __n FROM %s WHERE %s GROUP BY %s)`

// probeRepeats looks for rows that an append feed delivered more than once.
func (c *Cluster) probeRepeats(ctx context.Context, in *Introspection) {
	s := &in.Source
	columns := told(*s)
	if len(columns) == 0 || in.Source.Table == "" || !in.measurable() {
		return
	}
	sample, err := c.sampleYoung(ctx, *s)
	if err != nil {
		in.Missing = append(in.Missing, tell("a sample of rows", err))
		return
	}
	ask := Ask{For: "feed probe", Limit: Probe, SQL: fmt.Sprintf(repeatsSQL, tableName(s.Database, s.Table), sample.Where, hashOf(columns))}
	type counts struct {
		Rows     uint64 `ch:"rows"`
		Distinct uint64 `ch:"distinct_rows"`
	}
	found, cost, err := Rows[counts](ctx, c, ask)
	if err != nil {
		in.Missing = append(in.Missing, tell("the probe for repeated rows", err))
		return
	}
	n := found[0]
	e := Evidence{Code: "probe-no-repeats", Confidence: sample.Sure, SQL: ask.SQL, Took: Took(cost.Took),
		Text: fmt.Sprintf("No row of %d equals another in every column but those about its transport (%s).", n.Rows, sample.Words)}
	if n.Rows > n.Distinct {
		e.Code, e.Text = "probe-repeats", fmt.Sprintf("%d of %d rows equal another row in every column but those about its transport (%s): this looks like a feed that repeats rows.", n.Rows-n.Distinct, n.Rows, sample.Words)
		in.Evidence = append(in.Evidence, e)
		c.proposeKey(ctx, in, sample, n.Distinct)
		return
	}
	if n.Rows == 0 {
		e.Code, e.Text, e.Confidence = "probe-empty", "There are no rows to look at: the feed rests on the definition alone.", Low
	}
	in.Evidence = append(in.Evidence, e)
}

// told lists the columns that say what happened, not when and how the row was
// written: a redelivered event differs in those.
func told(s designer.Source) []designer.Column {
	return slices.DeleteFunc(slices.Clone(s.Columns), func(col designer.Column) bool {
		return !comparable(col.Type) || slices.Contains(bookkeeping, col.Name) || slices.Contains(importTimes, col.Name)
	})
}

func (in *Introspection) measurable() bool {
	return strings.HasSuffix(ParseEngine(in.Source.Engine).Name, "MergeTree")
}

// proposeKey looks for one column that tells the distinct rows apart; with it
// the feed can be called at_least_once, which needs a key over plain MergeTree.
func (c *Cluster) proposeKey(ctx context.Context, in *Introspection, sample Sample, distinct uint64) {
	s := &in.Source
	var candidates, counts []string
	for _, col := range s.Columns {
		if idLike(col) {
			candidates = append(candidates, col.Name)
			counts = append(counts, "uniqExact("+ident(col.Name)+")")
		}
	}
	if len(candidates) > 0 {
		ask := Ask{For: "feed probe", Limit: Probe, SQL: fmt.Sprintf("SELECT [%s] FROM %s WHERE %s", strings.Join(counts, ", "), tableName(s.Database, s.Table), sample.Where)}
		found, cost, err := Values[[]uint64](ctx, c, ask)
		for i := 0; err == nil && i < len(candidates); i++ {
			if found[0][i] != distinct || distinct < fewRows {
				continue // few rows are apart in any column
			}
			s.Feed, s.Key = designer.AtLeastOnce, []string{candidates[i]}
			in.Evidence = append(in.Evidence, Evidence{Code: "probe-key", Confidence: sample.Sure, SQL: ask.SQL, Took: Took(cost.Took),
				Text: fmt.Sprintf("%s has a value of its own in each of the %d distinct rows: it is taken as the entity key of an at-least-once feed.", candidates[i], distinct)})
			return
		}
	}
	in.say("repeats-without-key", Low, "No single column tells the rows apart. If the repeats are retries, name the key and choose at_least_once; if equal rows are different events, append is right.")
}

// idLike says whether a column looks like an identifier.
func idLike(c designer.Column) bool {
	name := strings.ToLower(c.Name)
	typ := strings.TrimPrefix(c.Type, "LowCardinality(")
	shaped := strings.HasPrefix(typ, "UInt") || strings.HasPrefix(typ, "Int") || strings.HasPrefix(typ, "String") || strings.HasPrefix(typ, "UUID") || strings.HasPrefix(typ, "FixedString")
	return shaped && (name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "id") || strings.HasSuffix(name, "uuid") || strings.HasSuffix(name, "key") || name == "seq")
}
