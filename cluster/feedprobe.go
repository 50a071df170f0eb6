package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// probeFeed looks at raw rows and mends what the definition alone suggested. A
// probe that is denied or too large is one more line of evidence, no failure.
func (c *Cluster) probeFeed(ctx context.Context, in *Introspection) {
	s := &in.Source
	if len(s.OrderBy) == 0 || s.Feed == designer.Append {
		c.probeRepeats(ctx, in)
		return
	}
	sample, err := c.SampleKeys(ctx, *s)
	if err != nil {
		in.Missing = append(in.Missing, tell("a sample of keys", err))
		return
	}
	h, ask, cost, err := c.History(ctx, *s, sample)
	if err != nil {
		in.Missing = append(in.Missing, tell("the probe of raw rows", err))
		in.say("probe-failed", Low, "The raw rows could not be probed, so the feed rests on the definition alone.")
		return
	}
	add := func(code string, sure Confidence, format string, args ...any) {
		in.Evidence = append(in.Evidence, Evidence{Code: code, Confidence: sure, SQL: ask.SQL, Took: Took(cost.Took),
			Text: fmt.Sprintf(format, args...) + " (" + sample.Words + ")"})
	}
	if h.Keys == 0 {
		add("probe-empty", Low, "There are no rows to look at: the feed rests on the definition alone.")
		return
	}
	switch s.Feed {
	case designer.Upsert:
		in.judgeHistory(h, sample, add)
	case designer.AtLeastOnce:
		in.judgeUnversioned(h, sample, add)
	}
}

type addEvidence func(code string, sure Confidence, format string, args ...any)

const (
	// ledgerShare is the least part of updates that must show a cancel row before
	// we speak of a ledger: in an upsert feed only revived entities show one, and
	// those are rare.
	ledgerShare = 0.2
	// fewRows is below which a count is an anecdote.
	fewRows = 10
)

// judgeHistory tells upsert from ledger, and what tombstones hold.
func (in *Introspection) judgeHistory(h History, sample Sample, add addEvidence) {
	s := &in.Source
	if h.Several == 0 {
		add("probe-merged-away", Low, "No entity has more than one row left: merges have removed whatever would show how changes arrive. Ask whoever writes this table.")
	}
	seen := h.Updates + h.Returned
	switch {
	case s.Deleted == "" && h.Updates > 0:
		add("probe-updates", sample.Sure, "%d updates are one new row each, without a cancel row: an upsert.", h.Updates)
	case seen == 0:
	case float64(h.Returned) >= ledgerShare*float64(seen) && h.Differ <= h.Equal:
		s.Feed, s.Tombstones = designer.Ledger, ""
		sure := sample.Sure
		if h.Updates > 0 || h.Returned < fewRows {
			sure = Low
		}
		add("probe-ledger", sure, "%d of %d updates have a deleted row between the old version and the new one, and %d of %d deleted rows repeat the values of the row before them: a ledger.", h.Returned, seen, h.Equal, h.Cancels)
		if h.Updates > 0 {
			add("probe-ledger-gaps", Low, "%d updates show no cancel row. Either merges have removed it, or the ledger is not complete and a rollup that subtracts would be wrong.", h.Updates)
		}
		return
	case h.Returned > 0:
		add("probe-upsert-revived", sample.Sure, "%d updates have no cancel row; %d live rows follow a deleted one, which may be revived entities: an upsert.", h.Updates, h.Returned)
	default:
		sure := sample.Sure
		if h.Updates < fewRows {
			sure = Low
		}
		add("probe-updates", sure, "%d updates are one new row each, without a cancel row: an upsert.", h.Updates)
	}
	if h.SameVer > 0 {
		add("probe-equal-versions", sample.Sure, "%d neighbouring rows of an entity have one %s and other values: which of them is current depends on the order of insertion.", h.SameVer, s.Version)
	}
	if s.Deleted != "" {
		in.judgeTombstones(h, sample, add)
	}
}

func (in *Introspection) judgeTombstones(h History, sample Sample, add addEvidence) {
	sure := sample.Sure
	if h.Tombstones < fewRows {
		sure = Low
	}
	switch {
	case h.Tombstones == 0:
		add("tombstones-unseen", Low, "No entity ends in a deleted row, so what delete rows hold is unknown.")
	case h.Blank > 0:
		in.Source.Tombstones = "defaults"
		add("tombstones-defaults", sure, "%d of %d delete rows hold nothing but defaults outside the key.", h.Blank, h.Tombstones)
	case h.TombOld > 0 && h.TombOld == min(h.Cancels, h.Tombstones):
		in.Source.Tombstones = "old_values"
		add("tombstones-old-values", sure, "%d delete rows follow a live row that is still there, and each repeats its values.", h.TombOld)
	default:
		add("tombstones-mixed", sure, "%d delete rows hold values; of those whose live row is still there %d repeat it and %d do not.", h.Tombstones, h.Equal, h.Differ)
	}
}

// judgeUnversioned looks at a ReplacingMergeTree without a version.
func (in *Introspection) judgeUnversioned(h History, sample Sample, add addEvidence) {
	if changed := h.SameVer; changed > 0 {
		in.Source.Feed = designer.AtLeastOnce
		add("probe-changed-without-version", sample.Sure, "%d rows share a key and differ in values: this feed changes rows, and without a version nothing says which is the latest. Add a version column before building a rollup.", changed)
		return
	}
	if h.Repeats > 0 {
		add("probe-repeats", sample.Sure, "%d rows of %d are repeats of another row, every value alike: at least once.", h.Repeats, h.Rows)
		return
	}
	add("probe-no-repeats", Low, "No repeated rows are there now; merges remove them, so this proves nothing.")
}

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

// sampleYoung takes all rows of a small table, and of a large one those of its
// youngest parts, up to what a probe reads in a second or two.
func (c *Cluster) sampleYoung(ctx context.Context, s designer.Source) (Sample, error) {
	row, err := c.tableRow(ctx, s.Database, s.Table)
	if err != nil {
		return Sample{}, err
	}
	if row.Rows <= wholeRows {
		return Sample{Where: "1", Words: fmt.Sprintf("all %d rows", row.Rows), Whole: true, Sure: High, Rows: row.Rows}, nil
	}
	parts, _, err := Values[string](ctx, c, Ask{For: "choose a sample", SQL: query("young_rows"),
		Params: map[string]any{"database": s.Database, "table": s.Table, "most": wholeRows}})
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
