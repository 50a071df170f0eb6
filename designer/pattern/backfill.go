package pattern

import (
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// side says which rows of the source a statement takes: the view those above
// the watermark, the backfill those up to it.
type side func(*designer.Rollup) []string

func watermarkView(r *designer.Rollup) []string { return watermark(r, ">") }
func watermarkFill(r *designer.Rollup) []string { return watermark(r, "<=") }

func watermark(r *designer.Rollup, op string) []string {
	if r.Backfill.Mode != designer.BackfillWatermark {
		return nil
	}
	t := designer.Type(r.Source.Column(r.Backfill.Column).Type)
	return []string{fmt.Sprintf("%s %s CAST(%s, %s)", ddl.Ident(r.Backfill.Column), op, ddl.Literal(r.Backfill.Value), ddl.Literal(zoned(t)))}
}

// zoned gives a moment's type a zone, so that its text means the same whoever
// inserts: a zone-less value is read in UTC.
func zoned(t designer.Type) string {
	s := string(t.Full())
	if !t.DateTime() || t.Zoned() {
		return s
	}
	if s == "DateTime" {
		return "DateTime('UTC')"
	}
	return strings.TrimSuffix(s, ")") + ", 'UTC')"
}

// Years that a backfill goes through one by one. What lies before and after is
// taken in one statement each; windows are half-open, so each row is in one.
const (
	firstYear = 2015
	lastYear  = 2030
)

// batches gives the conditions of time-ordered windows over the source's rows,
// or one empty condition where the grain has no time.
func batches(r *designer.Rollup, nulls bool) []string {
	if r.Grain.Time == nil {
		return []string{""}
	}
	column := r.TimeExpr()
	at := func(year int) string {
		day := ddl.Literal(fmt.Sprintf("%d-01-01", year))
		if r.TimeType().DateOnly() {
			return "toDate(" + day + ")"
		}
		return "toDateTime(" + ddl.Literal(fmt.Sprintf("%d-01-01 00:00:00", year)) + ", " + ddl.Literal(r.Zone.Name) + ")"
	}
	out := []string{column + " < " + at(firstYear)}
	for y := firstYear; y < lastYear; y++ {
		out = append(out, fmt.Sprintf("%s >= %s AND %s < %s", column, at(y), column, at(y+1)))
	}
	out = append(out, column+" >= "+at(lastYear))
	if nulls && r.TimeType().Nullable() {
		out = append(out, column+" IS NULL")
	}
	return out
}

// noBackfill is the script of a design whose source is empty.
func noBackfill() string {
	return ddl.Comment("The source is taken to be empty (backfill mode none): there is nothing to fill.\nFor a source with rows choose overlap, watermark or pause and build the bundle again.")
}

// filling lets a statement that fills a target write as many partitions as
// history has; an insert is held to a hundred by default.
func filling(r *designer.Rollup, settings []ddl.Setting) []ddl.Setting {
	if r.Grain.Time == nil || r.Source.PartitionBy == "" {
		return settings
	}
	return append(settings, ddl.Setting{Name: "max_partitions_per_insert_block", Value: "0"})
}

// everyShard says where a statement over local tables has to run.
func everyShard(r *designer.Rollup) string {
	if r.Deployment.OnCluster == "" {
		return ""
	}
	return "\nReads and writes local tables: run it on one replica of every shard."
}

// foldBackfill fills the finest tier; the views of the chain fill the others.
func foldBackfill(b *builder, mode designer.Mode, summing bool, t tier) string {
	r := b.r
	if r.Backfill.Mode == designer.BackfillNone {
		return noBackfill()
	}
	var s strings.Builder
	s.WriteString(ddl.Comment("Fills " + b.name(t.suffix) + " from the source, oldest first. The views over it fill the coarser tiers." + everyShard(r)))
	switch r.Backfill.Mode {
	case designer.BackfillPause:
		s.WriteString(ddl.Comment("Stop the writers, apply up/, run this, start the writers.\nNOT safe to run twice: rows would be added again. To start over, truncate the targets first."))
	case designer.BackfillWatermark:
		s.WriteString(ddl.Comment("Exact while writes go on: the view takes rows above the watermark, this takes rows up to it.\nNOT safe to run twice: rows would be added again. To resume, continue with the first statement that did not finish; to start over, truncate the targets and use a new watermark."))
	default:
		s.WriteString(ddl.Comment("Writes may go on, and this may be run again: a row that is folded twice changes nothing."))
	}
	for _, window := range batches(r, false) {
		fold := newFold(r, mode, summing, t.bucket, watermarkFill)
		if mode == designer.ByFlag {
			// Merges may have erased rows that a cancel row takes back, so history
			// is what is live now; every later cancel row finds its row there.
			live := r.LiveIn(r.SourceTable(), r.KeyIsEngines())
			fold.Rows.Select.From, fold.Rows.Select.Final, fold.Rows.Select.Sub = live.From, live.Final, live.Sub
			fold.Rows.Select.Where = append(fold.Rows.Select.Where, live.Where...)
		}
		if window != "" {
			fold.Rows.Select.Where = append(fold.Rows.Select.Where, window)
		}
		query := foldView(r, fold)
		query.Settings = filling(r, r.ReadSettings(r.PartitionsHoldEntities()))
		s.WriteString("\n" + ddl.Insert(b.table(t.suffix), stored(r, fold), query) + ";\n")
	}
	return s.String()
}
