package cluster

import (
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// daySeconds is the age by which merges have usually taken the copies away.
const daySeconds = 86400

// summarise puts the measured numbers into sentences that mean something to
// whoever designs a rollup.
func (m *Measurement) summarise() {
	m.tellChanges()
	m.tellHistory()
	m.tellSigns()
	if s := m.Partitions; s != nil {
		means := "do_not_merge_across_partitions_select_final may be used."
		if s.Spread > 0 {
			means = "Merges never bring such an entity together: never set do_not_merge_across_partitions_select_final on reads."
		} else if s.Several == 0 {
			means = ""
		}
		m.find("partitions", s.Basis, means, "%d of %d entities have rows in more than one partition, %d of them by their live rows alone (%d have more than one row).", s.Spread, s.Keys, s.Live, s.Several)
	}
	if s := m.Shards; s != nil {
		means := ""
		if s.Spread > 0 {
			means = "No merge and no FINAL on a shard brings such an entity together: the sharding key has to be a stable function of the entity key."
		}
		m.find("shards", s.Basis, means, "%d of %d entities have rows on more than one shard.", s.Spread, s.Keys)
	}
	if d := m.Duplicates; d != nil && len(d.Buckets) > 0 {
		young, old := d.Buckets[0], d.Buckets[len(d.Buckets)-1]
		text := fmt.Sprintf("Data %s old holds %.3f rows for each distinct one", young.Label, young.Factor)
		if len(d.Buckets) > 1 {
			text += fmt.Sprintf(", data %s old %.3f", old.Label, old.Factor)
		}
		means := ""
		switch {
		case d.Settled == "" && old.From < daySeconds:
			means = "There is no data old enough to tell when the copies are gone."
		case d.Settled == "":
			means = "The factor never falls under 1.01: whatever reads these rows has to take them one per key."
		case d.Settled != "0 second":
			means = fmt.Sprintf("From an age of %s on the factor is under 1.01: seal windows no younger than that.", d.Settled)
		}
		m.find("duplicates", d.Basis, means, "%s (age by %s).", text, d.By)
	}
	for _, s := range m.Shared {
		means := "A distinct count of it cannot be keyed by it alone: deleting one entity would hide the others."
		if s.OneToOne {
			means = "It belongs to one entity each, as far as was looked."
		}
		m.find("shared-"+s.Name, s.Basis, means, "%d of %d values of %s are carried by more than one entity.", s.Shared, s.Values, s.Name)
	}
	m.tellNulls()
}

func (m *Measurement) find(code string, basis Basis, means, format string, args ...any) {
	m.Findings = append(m.Findings, Finding{Code: code, Text: fmt.Sprintf(format, args...), Means: means, Basis: basis})
}

func (m *Measurement) tellChanges() {
	ch := m.Changes
	if ch == nil {
		return
	}
	var changed []string
	for _, col := range ch.Columns {
		if col.Changed > 0 {
			changed = append(changed, fmt.Sprintf("%s (%d)", col.Name, col.Changed))
		}
	}
	switch {
	case ch.Several == 0:
		basis := ch.Basis
		basis.Confidence = Low
		m.find("changes-merged-away", basis, "Which columns change has to be asked of whoever writes the table.", "None of %d entities has more than one live version left.", ch.Keys)
	case len(changed) == 0:
		m.find("changes", ch.Basis, "", "No column differs between the versions of the %d entities that have several.", ch.Several)
	default:
		m.find("changes", ch.Basis, "These may not stand in a target's sorting key, partition or sharding key.", "Of %d entities with several live versions, these columns changed in some: %s.", ch.Several, strings.Join(changed, ", "))
	}
}

func (m *Measurement) tellHistory() {
	h := m.History
	if h == nil {
		return
	}
	if h.Repeats > 0 {
		m.find("redelivery", h.Basis, "A fold over inserts would count them again.", "%d of %d rows repeat another row in every value.", h.Repeats, h.Rows)
	}
	if h.SameVer > 0 {
		m.find("equal-versions", h.Basis, "Which of them is current depends on the order of insertion.", "%d neighbouring rows share a version and differ in values.", h.SameVer)
	}
	if m.Source.Feed == designer.Ledger {
		caution := "Merges may have removed what is not seen here."
		m.find("ledger-cancels", h.Basis, caution, "%d cancel rows follow a live row: %d repeat its values, %d differ; %d cancel rows have no live row before them.", h.Cancels, h.Equal, h.Differ, h.Orphans)
		if h.Updates > 0 {
			m.find("ledger-gaps", h.Basis, "A rollup that subtracts would be wrong by them, unless merges removed the cancel rows.", "%d new versions follow the old one without a cancel row between.", h.Updates)
		}
	}
	if m.Source.Feed == designer.Upsert && h.Tombstones > 0 {
		m.find("tombstones", h.Basis, "", "%d entities end in a deleted row: %d of those rows hold nothing but defaults, %d repeat the live row before them.", h.Tombstones, h.Blank, h.TombOld)
	}
}

func (m *Measurement) tellSigns() {
	s := m.Signs
	if s == nil {
		return
	}
	m.find("signs", s.Basis, "Sums weighted by the sign are right only if nothing but 0 and 1 is left of an entity.",
		"%d entities are live, %d are gone; %d have more state than cancel rows, %d more cancel than state rows, and in %d a cancel row has values that no state row has.", s.Live, s.Gone, s.Uncancel, s.Negative, s.Mismatch)
}

func (m *Measurement) tellNulls() {
	n := m.Nulls
	if n == nil {
		return
	}
	var with []string
	for _, col := range n.Columns {
		if col.Nulls > 0 {
			with = append(with, fmt.Sprintf("%s (%d)", col.Name, col.Nulls))
		}
	}
	if len(with) == 0 {
		m.find("nulls", n.Basis, "", "No Nullable column holds a NULL in %d rows.", n.Rows)
		return
	}
	m.find("nulls", n.Basis, "A target column that is not Nullable would turn them into 0, '' or 1970-01-01.", "NULLs in %d rows: %s.", n.Rows, strings.Join(with, ", "))
}
