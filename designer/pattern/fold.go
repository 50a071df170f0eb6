package pattern

import (
	"fmt"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// tier is one resolution of a fold: its bucket, how long it is kept, its name.
type tier struct {
	bucket designer.Interval
	ttl    string
	suffix string
}

// tiers gives the resolutions of a fold from fine to coarse; without tiers in
// the design there is one, the grain's.
func tiers(r *designer.Rollup) []tier {
	if len(r.Tiers) == 0 {
		return []tier{{bucket: r.Bucket, suffix: "rollup"}}
	}
	var out []tier
	for _, t := range r.Tiers {
		iv, _ := designer.ParseInterval(t.Bucket)
		out = append(out, tier{bucket: iv, ttl: t.TTL, suffix: iv.Slug()})
	}
	return out
}

// foldPlan builds the patterns that add up what a view sees: one target per
// tier, a chain of views, one read view over the coarsest.
func foldPlan(r *designer.Rollup, id string, mode designer.Mode, summing bool) *ddl.Plan {
	b := begin(r, id)
	chain := tiers(r)
	fold := newFold(r, mode, summing, chain[0].bucket, watermarkView)
	for _, t := range chain {
		b.create(t.suffix, foldWhy(mode, summing), foldTable(r, fold, t, summing))
		b.holds(t.suffix)
	}
	for i := len(chain) - 1; i > 0; i-- { // the coarse views first: what the fine one writes must reach them
		b.view(chain[i].suffix+"_mv", b.table(chain[i].suffix),
			fmt.Sprintf("Merges the states of %s into %s as they are written; nothing is finished before the last read.", chain[i-1].bucket, chain[i].bucket),
			tierView(r, fold, b.table(chain[i-1].suffix), chain[i].bucket))
	}
	view := foldView(r, fold)
	view.Settings = r.ViewSettings()
	b.view(chain[0].suffix+"_mv", b.table(chain[0].suffix), "Sees each inserted block once, before any merge, and writes its share.", view)
	b.plan.Backfill = foldBackfill(b, mode, summing, chain[0])
	b.plan.Correct = foldCorrect(b, mode, summing, chain)
	last := chain[len(chain)-1]
	return b.readView(foldRead(r, fold, b.readable(last.suffix)), false,
		"Adds up what merges have not added up yet, and finishes the states: the only query that dashboards need.")
}

func foldWhy(mode designer.Mode, summing bool) string {
	switch {
	case mode == designer.ByFlag:
		return "Live and cancelled contributions stand apart by a flag and are subtracted at read: + x - x = 0. The sorting key is the whole grain and the flag, so merges add up nothing else."
	case mode == designer.BySign:
		return "Every contribution is weighted by its sign when it is inserted. The sorting key is the whole grain, so merges add up nothing else."
	case summing:
		return "Merges add up the listed columns of rows with the same sorting key, which is the whole grain."
	}
	return "Holds aggregation states; merges combine those of rows with the same sorting key, which is the whole grain."
}

// newFold splits the question over the source's inserted rows.
func newFold(r *designer.Rollup, mode designer.Mode, summing bool, bucket designer.Interval, side side) *designer.Fold {
	source := ddl.Select{From: r.SourceTable()}
	source.Where = side(r)
	f := r.NewFold(mode, summing, source)
	f.Rows.Grain(bucket)
	f.Rows.Filter()
	if mode == designer.ByFlag {
		f.Rows.Add(r.Inner("cancelled"), "toUInt8("+ddl.Ident(r.Source.Deleted)+" != 0)")
	}
	return f
}

func foldTable(r *designer.Rollup, f *designer.Fold, t tier, summing bool) ddl.CreateTable {
	out := ddl.CreateTable{Columns: grainColumns(r, t.bucket), OrderBy: grainKey(r), Settings: keySettings(r)}
	if f.Flag != "" {
		out.Columns = append(out.Columns, ddl.ColumnDef{Name: f.Flag, Type: "UInt8"})
		out.OrderBy = append(out.OrderBy, ddl.Ident(f.Flag))
	}
	var sums []string
	for _, c := range f.Components {
		column := ddl.ColumnDef{Name: c.Name, Type: c.ColumnType()}
		if summing {
			column.Type = string(c.Type)
			sums = append(sums, ddl.Ident(c.Name))
		}
		out.Columns = append(out.Columns, column)
	}
	out.Engine = "AggregatingMergeTree"
	if summing {
		out.Engine = "SummingMergeTree(" + ddl.Call("", sums...) + ")"
	}
	if r.Grain.Time != nil {
		name := ddl.Ident(r.Grain.Time.Name)
		out.PartitionBy = partitionBy(r, name, t.bucket)
		if iv, err := designer.ParseInterval(t.ttl); err == nil {
			out.TTL = fmt.Sprintf("%s + %s", name, iv.SQL())
		}
	}
	return out
}

// stored lists the columns of a fold's table in order.
func stored(r *designer.Rollup, f *designer.Fold) []string {
	names := r.GrainNames()
	if f.Flag != "" {
		names = append(names, f.Flag)
	}
	for _, c := range f.Components {
		names = append(names, c.Name)
	}
	return names
}

// foldView is what the view computes from one inserted block.
func foldView(r *designer.Rollup, f *designer.Fold) ddl.Select {
	out := ddl.Select{Sub: &f.Rows.Select}
	group := func(inner, name string) {
		out.Items = append(out.Items, ddl.As(ddl.Ident(r.Inner(inner)), name))
		out.GroupBy = append(out.GroupBy, ddl.Ident(r.Inner(inner)))
	}
	if r.Grain.Time != nil {
		group("time", r.Grain.Time.Name)
	}
	for i, x := range r.Dims {
		group(fmt.Sprintf("dim%d", i+1), x.Name)
	}
	if f.Flag != "" {
		group("cancelled", f.Flag)
	}
	for _, c := range f.Components {
		out.Items = append(out.Items, ddl.As(c.View, c.Name))
	}
	if len(out.GroupBy) == 0 {
		out.Having = []string{"count() > 0"}
	}
	if len(f.Rows.Select.Items) == 0 {
		f.Rows.Add(r.Inner("one"), "1")
	}
	return out
}

// tierView merges the states of a finer tier into buckets of iv.
func tierView(r *designer.Rollup, f *designer.Fold, from string, iv designer.Interval) ddl.Select {
	inner := ddl.Select{From: from}
	out := ddl.Select{Sub: &inner, Settings: r.ViewSettings()}
	fine := tiers(r)
	finer := fine[0].bucket
	for _, t := range fine {
		if t.bucket == iv {
			break
		}
		finer = t.bucket
	}
	name := r.Grain.Time.Name
	inner.Items = append(inner.Items, ddl.As(r.BucketExpr(ddl.Ident(name), r.BucketType(finer), iv), r.Inner("time")))
	out.Items = append(out.Items, ddl.As(ddl.Ident(r.Inner("time")), name))
	out.GroupBy = append(out.GroupBy, ddl.Ident(r.Inner("time")))
	keep := func(name string) {
		inner.Items = append(inner.Items, ddl.Col(name))
		out.Items = append(out.Items, ddl.Col(name))
		out.GroupBy = append(out.GroupBy, ddl.Ident(name))
	}
	for _, x := range r.Dims {
		keep(x.Name)
	}
	if f.Flag != "" {
		keep(f.Flag)
	}
	for _, c := range f.Components {
		inner.Items = append(inner.Items, ddl.Col(c.Name))
		out.Items = append(out.Items, ddl.As(c.Merge(), c.Name))
	}
	return out
}

// foldRead finishes the answer from the stored columns.
func foldRead(r *designer.Rollup, f *designer.Fold, from string) ddl.Select {
	out := ddl.Select{From: from, GroupBy: ddl.Idents(r.GrainNames())}
	for _, n := range r.GrainNames() {
		out.Items = append(out.Items, ddl.Col(n))
	}
	out.Items = append(out.Items, f.Reads...)
	switch {
	case f.Count != "":
		out.Having = []string{f.Total(f.Count, "Int64") + " > 0"}
	case len(out.GroupBy) == 0:
		out.Having = []string{"count() > 0"}
	}
	return out
}
