package pattern

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Replacing keeps one narrow row per entity, in an engine that merges versions
// as the source does, and aggregates at read.
var Replacing = &designer.Pattern{
	ID:    "replacing",
	Title: "One narrow row per entity, aggregated at read",
	Price: "Reads one row per entity, not per grain, and merges versions while reading; nothing is aggregated before the question.",
	Judge: judgeReplacing,
	Plan:  planReplacing,
}

func judgeReplacing(r *designer.Rollup) designer.Verdict {
	s := r.Source
	v := designer.Verdict{For: []designer.Reason{reason("latest-row-per-entity", fmt.Sprintf("The target receives every version of an entity of %s under the sorting key (%s), which no update changes, so it keeps the same rows alive as the source does.", s.Table, strings.Join(s.Key, ", ")))}}
	if len(s.Key) == 0 {
		v.Against = append(v.Against, reason("no-entity-key", fmt.Sprintf("Nothing says which columns identify one row of %s: its sorting key may repeat, and rows that share it would be taken for one.", s.Table)))
	}
	if version := s.Column(s.Version); version != nil && !r.Immutable() && !r.SignFeed() && !versionable(designer.Type(version.Type)) {
		v.Against = append(v.Against, reason("version-type", fmt.Sprintf("%s is %s, which a ReplacingMergeTree does not take as a version.", s.Version, version.Type)))
	}
	return v
}

// versionable reports whether a ReplacingMergeTree takes the type as a version.
func versionable(t designer.Type) bool {
	return !t.Nullable() && t.Family() != "Bool" && (t.Integer() || t.Temporal())
}

// entityKey gives the target's sorting key: in front, what is stable and kept
// by delete rows and useful to read by; then the entity key (DESIGN §2).
func entityKey(r *designer.Rollup) []string {
	var front []string
	if r.KeepsValues() {
		for _, x := range r.Dims {
			plain := len(x.Columns) == 1 && (x.Expr == x.Columns[0] || x.Expr == ddl.Ident(x.Columns[0]))
			if x.Stable && plain && !x.Type.Nullable() && !slices.Contains(front, ddl.Ident(x.Columns[0])) {
				front = append(front, ddl.Ident(x.Columns[0]))
			}
		}
		if r.TimeSortable() && r.TimeStable() {
			front = append(front, r.BucketExpr(r.TimeExpr(), r.TimeType(), r.Bucket))
		}
	}
	for _, k := range r.KeyExprs() {
		if !slices.Contains(front, k) {
			front = append(front, k)
		}
	}
	return front
}

// filterInView reports whether the filter may sit in the view: where no entity
// enters or leaves it, or where the row that takes a version back passes it
// exactly when that version did.
func filterInView(r *designer.Rollup) bool {
	if r.Filter == "" {
		return false
	}
	cancels := r.Source.Feed == designer.Ledger || r.SignFeed()
	return r.KeepsValues() && (r.FilterStable() || cancels)
}

// entityPartition gives the partition of an entity target: months of a time
// that no version changes and every delete row keeps.
func entityPartition(r *designer.Rollup) string {
	if !r.TimeSortable() || !r.TimeStable() || !r.KeepsValues() {
		return ""
	}
	return partitionBy(r, r.BucketExpr(r.TimeExpr(), r.TimeType(), r.Bucket), r.Bucket)
}

func entityEngine(r *designer.Rollup) string {
	s := r.Source
	switch s.Feed {
	case designer.Collapsing:
		return "CollapsingMergeTree(" + ddl.Ident(s.Sign) + ")"
	case designer.VersionedCollapsing:
		return "VersionedCollapsingMergeTree(" + ddl.Ident(s.Sign) + ", " + ddl.Ident(s.Version) + ")"
	case designer.Upsert, designer.Ledger:
		return "ReplacingMergeTree(" + ddl.Ident(s.Version) + ")"
	}
	return "ReplacingMergeTree"
}

func planReplacing(r *designer.Rollup) *ddl.Plan {
	b := begin(r, "replacing")
	columns := r.Needed()
	table := ddl.CreateTable{Engine: entityEngine(r), OrderBy: entityKey(r), PartitionBy: entityPartition(r)}
	for _, c := range columns {
		table.Columns = append(table.Columns, ddl.ColumnDef{Name: c, Type: storable(designer.Type(r.Source.Column(c).Type))})
	}
	if slices.ContainsFunc(r.KeyColumns(), func(c string) bool { return designer.Type(r.Source.Column(c).Type).Nullable() }) {
		table.Settings = []ddl.Setting{{Name: "allow_nullable_key", Value: "1"}}
	}
	b.create("entities", entityWhy(r), table)
	b.holds("entities")
	view := entityRows(r, columns, watermarkView)
	view.Settings = r.ViewSettings()
	why := "Passes every version on, delete rows included: dropping one would leave the version before it alive."
	if filterInView(r) {
		why = "Passes every version on that the filter lets through; an entity is on one side of the filter in all its rows."
	}
	b.view("entities_mv", b.table("entities"), why, view)
	b.plan.Backfill = entityBackfill(b, columns)
	b.plan.Correct = entityCorrect(b, columns)
	keyed := !r.SignFeed()
	live := r.LiveIn(b.readable("entities"), keyed)
	if r.Source.Feed == designer.Append {
		live.Final = true
	}
	return b.readView(r.Answer(live, false), table.PartitionBy != "",
		"Takes each entity's latest live row, then filters and aggregates: the only query that dashboards need.")
}

func entityWhy(r *designer.Rollup) string {
	why := "Holds the columns that the rollup reads, and no more. Its sorting key ends with the entity key, so that all versions of an entity meet in merges"
	if !r.KeepsValues() {
		why += "; nothing stands in front of it, as a delete row may carry defaults in every other column"
	}
	if r.Grain.Time != nil && r.Source.PartitionBy != "" && !(r.TimeStable() && r.KeepsValues()) {
		why += "; it has no partitions, as versions in two partitions never merge"
	}
	return why + "."
}

// entityRows selects the carried columns of the source's inserted rows.
func entityRows(r *designer.Rollup, columns []string, side side) ddl.Select {
	s := ddl.Select{From: r.SourceTable(), Where: side(r)}
	for _, c := range columns {
		s.Items = append(s.Items, ddl.Col(c))
	}
	if filterInView(r) {
		s.Where = append(s.Where, ddl.Paren(r.Filter))
	}
	return s
}

func entityBackfill(b *builder, columns []string) string {
	r := b.r
	if r.Backfill.Mode == designer.BackfillNone {
		return noBackfill()
	}
	var s strings.Builder
	s.WriteString(ddl.Comment("Fills " + b.name("entities") + " from the source, oldest first: every row, not only the latest, so that a delete\nrow stands against a late version of its entity." + everyShard(r)))
	if r.SignFeed() {
		s.WriteString(ddl.Comment("Stop the writers, apply up/, run this, start the writers.\nNOT safe to run twice: state rows would stand twice. To start over, truncate the target first."))
	} else {
		s.WriteString(ddl.Comment("Safe to run again, and while writes go on: of two equal rows one is kept."))
	}
	for _, when := range batches(r, true) {
		query := entityRows(r, columns, watermarkFill)
		query.Settings = filling(r, r.ViewSettings())
		if when != "" {
			query.Where = append(query.Where, when)
		}
		s.WriteString("\n" + ddl.Insert(b.table("entities"), columns, query) + ";\n")
	}
	return s.String()
}

// comparableKey gives the entity key in a form that IN compares: it passes NULLs
// over.
func comparableKey(r *designer.Rollup) []string {
	keys := r.KeyExprs()
	if slices.ContainsFunc(r.KeyColumns(), func(c string) bool { return designer.Type(r.Source.Column(c).Type).Nullable() }) {
		for i, k := range keys {
			keys[i] = fmt.Sprintf("(isNull(%s), ifNull(toString(%[1]s), ''))", k)
		}
	}
	return keys
}

func entityCorrect(b *builder, columns []string) string {
	r := b.r
	if r.SignFeed() {
		return ddl.Comment("This target cannot be repaired in place: it cancels rows by sign, and a row inserted again would stand twice.\nWhat to do: stop the writers, TRUNCATE TABLE " + b.table("entities") + ", run the backfill of a bundle built with backfill mode pause,\nstart the writers again. audit.sql shows the grains that differ.")
	}
	query := entityRows(r, columns, noSide)
	query.Settings = filling(r, r.ViewSettings())
	note := "Inserts the rows of every entity that has one in the window again; the engine keeps the latest. Safe at any time, and again."
	if r.Grain.Time != nil {
		note += "\n" + windowNote
		inWindow := ddl.Select{From: r.SourceTable(), Where: []string{sourceWindow(r, r.Bucket)}}
		if r.TimeType().Nullable() {
			inWindow.Where = append(inWindow.Where, r.TimeExpr()+" IS NOT NULL")
		}
		keys := comparableKey(r)
		for i, k := range keys {
			inWindow.Items = append(inWindow.Items, ddl.As(k, r.Inner(fmt.Sprintf("key%d", i+1))))
		}
		query.Where = append(query.Where, "("+strings.Join(keys, ", ")+") IN\n(\n"+inWindow.SQL()+"\n)")
	}
	return ddl.Comment(note+everyShard(r)) + "\n" + ddl.Insert(b.table("entities"), columns, query) + ";\n"
}
