package proof

import (
	"fmt"
	"math/rand/v2"

	"github.com/rollsmith/rollsmith/designer"
)

// act is one thing done to the tables of a round. Once the rollup is up and its
// history filled in, every act ends in a checkpoint.
type act struct {
	kind  actKind
	batch int // of insert, retry and repair
}

type actKind string

const (
	actUp       actKind = "up"       // what up/ holds
	actInsert   actKind = "insert"   // one insert, merges stopped
	actBackfill actKind = "backfill" // what backfill.sql holds
	actMerge    actKind = "merge"    // merges go on, one is asked for
	actFinal    actKind = "final"    // everything merged
	actRetry    actKind = "retry"    // an insert is sent again
	actReload   actKind = "reload"   // the tables are loaded from disk again
	actAudit    actKind = "audit"    // audit.sql finds nothing
	actRepair   actKind = "repair"   // an insert that the views missed, then correct.sql
	actRefresh  actKind = "refresh"  // scheduled views run
	actExpire   actKind = "expire"   // the finer tiers' TTL passes
	actSettle   actKind = "settle"   // time passes until all is settled
)

// name is the checkpoint's name.
func (a act) name() string {
	switch a.kind {
	case actInsert:
		return fmt.Sprintf("insert %d, merges stopped", a.batch+1)
	case actBackfill:
		return "after backfill"
	case actMerge:
		return "after background merges"
	case actFinal:
		return "after OPTIMIZE FINAL"
	case actRetry:
		return fmt.Sprintf("after a retry of insert %d", a.batch+1)
	case actReload:
		return "after the tables were loaded again"
	case actAudit:
		return "audit"
	case actRepair:
		return fmt.Sprintf("after correction of insert %d, which the views missed", a.batch+1)
	case actRefresh:
		return "after a refresh"
	case actSettle:
		return "after everything settled"
	case actExpire:
		return "after the TTL of a finer tier"
	}
	return string(a.kind)
}

// direct says how a history meets the rollup: what was there before it, when the
// backfill runs, where merges happen.
func (w *workload) direct(rng *rand.Rand) {
	mode := w.model.design.Backfill.Mode
	var acts []act
	add := func(kind actKind, batch int) { acts = append(acts, act{kind: kind, batch: batch}) }
	next := 0
	insertTo := func(end int) {
		for ; next < min(end, w.batches); next++ {
			add(actInsert, next)
		}
	}
	switch mode {
	case designer.BackfillNone:
		add(actUp, 0)
	case designer.BackfillPause:
		insertTo(w.history)
		add(actUp, 0)
		add(actBackfill, 0)
	case designer.BackfillOverlap:
		insertTo(w.history)
		add(actUp, 0)
		insertTo(w.history + rng.IntN(2))
		add(actBackfill, 0)
	case designer.BackfillWatermark:
		insertTo(w.history - rng.IntN(2))
		add(actUp, 0)
		insertTo(w.history + rng.IntN(2))
		add(actBackfill, 0)
	}
	w.live(rng, add, insertTo, &next)
	w.script = acts
}

// live interleaves the remaining inserts with what happens to tables in between.
func (w *workload) live(rng *rand.Rand, add func(actKind, int), insertTo func(int), next *int) {
	d := w.model.design
	feed := d.Source.Feed
	repair := -1
	if rng.IntN(5) == 0 && *next < w.batches {
		repair = w.batches - 1
	}
	between := []actKind{actMerge}
	if d.Freshness != "insert" || w.model.settles > 0 {
		between = append(between, actRefresh, actRefresh)
	}
	if feed == designer.AtLeastOnce {
		between = append(between, actRetry, actRetry)
	}
	for *next < w.batches && *next != repair {
		insertTo(*next + 1)
		if rng.IntN(3) == 0 {
			add(pick(rng, between), rng.IntN(*next))
		}
		if w.model.settles > 0 && rng.IntN(2) == 0 {
			add(actRefresh, 0)
		}
	}
	if repair >= 0 {
		add(actRepair, repair)
	}
	for _, may := range []struct {
		kind  actKind
		oneIn int
	}{{actMerge, 4}, {actAudit, 6}, {actFinal, 1}, {actReload, 8}} {
		if rng.IntN(may.oneIn) == 0 {
			add(may.kind, 0)
		}
	}
	for _, tier := range d.Tiers {
		if tier.TTL != "" {
			add(actExpire, 0)
			break
		}
	}
	if w.model.settles > 0 {
		add(actRefresh, 0)
		add(actSettle, 0)
		add(actRefresh, 0)
	}
	if rng.IntN(6) == 0 {
		add(actAudit, 0)
	}
}
