package pattern

import (
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// window gives the condition that a moment or a bucket start lies in the
// buckets of iv that [{from:DateTime}, {to:DateTime}) touches; "" where the
// grain has no time.
func window(r *designer.Rollup, expr string, t designer.Type, iv designer.Interval) string {
	if r.Grain.Time == nil {
		return ""
	}
	bucket := r.BucketExpr(expr, t, iv)
	edge := func(param string) string {
		if t.DateOnly() { // a day's own date, whatever the zone
			param = "toDate(" + param + ")"
		}
		return r.BucketExpr(param, t, iv)
	}
	return fmt.Sprintf("%s >= %s AND %s <= %s", bucket, edge("{from:DateTime}"), bucket, edge("{to:DateTime} - INTERVAL 1 SECOND"))
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
			where = window(r, ddl.Ident(r.Grain.Time.Name), r.BucketType(t.bucket), coarsest)
		}
		fmt.Fprintf(&s, "\nALTER TABLE %s%s DELETE WHERE %s SETTINGS mutations_sync = 2;\n", b.table(t.suffix), ddl.OnCluster(r.Deployment.OnCluster), where)
	}
	fold := newFold(r, mode, summing, chain[0].bucket, noSide)
	if r.Grain.Time != nil {
		fold.Rows.Select.Where = append(fold.Rows.Select.Where, window(r, timeColumn(r), r.TimeType(), coarsest))
	}
	query := foldView(r, fold)
	query.Settings = r.ViewSettings()
	s.WriteString("\n" + ddl.Insert(b.table(chain[0].suffix), stored(r, fold), query) + ";\n")
	return s.String()
}

func noSide(*designer.Rollup) []string { return nil }

// timeColumn gives the grain's time column without its NULLs.
func timeColumn(r *designer.Rollup) string {
	column := ddl.Ident(r.Grain.Time.Column)
	if r.TimeType().Nullable() {
		return "assumeNotNull(" + column + ")"
	}
	return column
}
