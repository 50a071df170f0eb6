package pattern

import (
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// window gives the condition that a bucket of iv is one of those which
// [{from:DateTime}, {to:DateTime}) touches; "" where the grain has no time.
// Its edges are worked out from the moments given, as a source row's bucket is,
// so that a row of the source and its bucket in a target are on the same side.
func window(r *designer.Rollup, bucket string, iv designer.Interval) string {
	if r.Grain.Time == nil {
		return ""
	}
	edge := func(moment string) string {
		t := designer.Type("DateTime")
		if r.TimeType().DateOnly() {
			moment, t = "toDate("+moment+", "+ddl.Literal(r.Zone.Name)+")", "Date"
		}
		return r.BucketExpr(moment, t, iv)
	}
	return fmt.Sprintf("%s >= %s AND %s <= %s", bucket, edge("{from:DateTime}"), bucket, edge("{to:DateTime} - INTERVAL 1 SECOND"))
}

// sourceWindow gives the same of a source row.
func sourceWindow(r *designer.Rollup, iv designer.Interval) string {
	if r.Grain.Time == nil {
		return ""
	}
	return window(r, r.BucketExpr(r.Moment(), r.TimeType(), iv), iv)
}

// storedWindow gives the same of a stored bucket of fine.
func storedWindow(r *designer.Rollup, fine, iv designer.Interval) string {
	bucket := ddl.Ident(r.Grain.Time.Name)
	if fine != iv {
		bucket = r.BucketExpr(bucket, r.BucketType(fine), iv)
	}
	return window(r, bucket, iv)
}

const windowNote = "Parameters: from and to, in the session's time zone (clickhouse-client --param_from='2026-01-01 00:00:00' --param_to='2026-02-01 00:00:00').\nThe window is half-open; buckets that it touches are repaired whole."

// foldCorrect empties the window's buckets and fills them again where nothing
// is ever taken back. A ledger cannot be rebuilt in part (DESIGN §4).
func foldCorrect(b *builder, mode designer.Mode, summing bool, chain []tier) string {
	if mode != designer.Plain {
		return ddl.Comment("This target cannot be repaired in place: merges of the source may have erased rows that a later cancel row takes\nback, so a window filled from what is left would be taken back twice.\nWhat to do: stop the writers and let the feed come to rest, TRUNCATE the targets, run the backfill of a bundle built\nwith backfill mode pause, start the writers again. audit.sql shows the grains that differ.")
	}
	r := b.r
	var s strings.Builder
	s.WriteString(ddl.Comment("Empties the buckets of the window and fills them from the source again." + everyShard(r)))
	if r.Grain.Time != nil {
		s.WriteString(ddl.Comment(windowNote))
	}
	s.WriteString(ddl.Comment("Stop inserts into this window while it runs: a row that arrives in between could count twice."))
	coarsest := chain[len(chain)-1].bucket
	for _, t := range chain {
		where := "1"
		if r.Grain.Time != nil {
			where = storedWindow(r, t.bucket, coarsest)
		}
		fmt.Fprintf(&s, "\nALTER TABLE %s%s DELETE WHERE %s SETTINGS mutations_sync = 2;\n", b.table(t.suffix), ddl.OnCluster(r.Deployment.OnCluster), where)
	}
	fold := newFold(r, mode, summing, chain[0].bucket, noSide)
	if r.Grain.Time != nil {
		fold.Rows.Select.Where = append(fold.Rows.Select.Where, sourceWindow(r, coarsest))
	}
	query := foldView(r, fold)
	query.Settings = filling(r, r.ViewSettings())
	s.WriteString("\n" + ddl.Insert(b.table(chain[0].suffix), stored(r, fold), query) + ";\n")
	return s.String()
}

func noSide(*designer.Rollup) []string { return nil }
