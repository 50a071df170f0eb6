package cluster

import "github.com/rollsmith/rollsmith/designer"

type addEvidence func(code string, sure Confidence, format string, args ...any)

// atMost lowers a confidence to a bound.
func atMost(sure, bound Confidence) Confidence {
	rank := map[Confidence]int{Low: 0, Medium: 1, High: 2}
	if rank[sure] > rank[bound] {
		return bound
	}
	return sure
}

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
		add("probe-updates", atMost(sure, Medium), "%d updates are one new row each, without a cancel row: an upsert.", h.Updates)
		add("probe-blind-spot", Low, "A cancel row that arrives in one block with its new row is removed on insert (optimize_on_insert) before it can be seen here, though a view does see it. Whoever writes the table knows whether it does.")
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
