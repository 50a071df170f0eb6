package pattern

import (
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Sealed aggregates windows once they are safe and reads the rest from the source.
var Sealed = &designer.Pattern{
	ID:    "sealed",
	Title: "Settled windows aggregated once, the young tail read from the source",
	Price: "Reads one finished row per settled grain, and the source only for what has not settled.",
	Judge: judgeSealed,
	Plan:  planSealed,
}

func judgeSealed(r *designer.Rollup) designer.Verdict {
	v := designer.Verdict{}
	if r.Grain.Time == nil {
		v.Against = append(v.Against, reason("no-time", "The grain has no time, so no window of it ever settles."))
		return v
	}
	v.For = []designer.Reason{reason("windows-settle", fmt.Sprintf("No row whose %s lies more than %s back arrives, repeats or changes any more; such buckets are computed once, each entity once, and kept.", r.Grain.Time.Column, r.Stability.Settles))}
	if r.Stability.Settles == "" {
		v.Against = append(v.Against, reason("settles-unknown", fmt.Sprintf("Nothing says how long after its %s a row of %s can still arrive or change, so no window is ever safe to seal (stability.settles).", r.Grain.Time.Column, r.Source.Table)))
	}
	if !r.TimeStable() {
		v.Against = append(v.Against, reason("time-not-stable", fmt.Sprintf("An update can move an entity to another %s, also into a window that is sealed already.", r.Grain.Time.Column)))
	}
	v.Against = append(v.Against, finishedPerShard(r)...)
	return v
}

// planSealed keeps finished rows per grain and a mark up to which they are
// complete. The mark moves only after a seal has succeeded, so a seal that
// fails half-way is not read, and the next one replaces what it left.
func planSealed(r *designer.Rollup) *ddl.Plan {
	b := begin(r, "sealed")
	through, at := r.Inner("sealed_to"), r.Inner("sealed_at")
	time := ""
	if r.Grain.Time != nil {
		time = r.Grain.Time.Name
	}
	table := answerTable(r)
	table.Engine = "ReplacingMergeTree(" + ddl.Ident(at) + ", " + ddl.Ident(r.Inner("gone")) + ")"
	table.Columns = append(table.Columns,
		ddl.ColumnDef{Name: through, Type: string(r.BucketType(r.Bucket))},
		ddl.ColumnDef{Name: at, Type: "DateTime64(6, 'UTC')"},
		ddl.ColumnDef{Name: r.Inner("gone"), Type: "UInt8"})
	b.create("sealed", "Holds the finished answer of settled buckets, one row per grain; a bucket that is sealed again replaces the row.", table)
	b.holds("sealed")
	b.create("sealed_mark", "Holds how far sealing has succeeded: buckets before the mark are read from here, the others from the source, with >= and <, so that none is read twice or left out.",
		ddl.CreateTable{Columns: []ddl.ColumnDef{{Name: through, Type: string(r.BucketType(r.Bucket))}}, Engine: "MergeTree"})
	mark := fmt.Sprintf("(SELECT max(%s) FROM %s)", ddl.Ident(through), b.readable("sealed_mark"))
	settles, _ := designer.ParseInterval(r.Stability.Settles)
	if settles.N == 0 {
		settles = designer.Interval{N: 1, Unit: "day"}
	}
	now := fmt.Sprintf("now() - %s", settles.SQL())
	nowType := designer.Type("DateTime")
	if r.TimeType().DateOnly() {
		now, nowType = "toDate("+now+", 'UTC')", "Date"
	}
	safe := r.BucketExpr(now, nowType, r.Bucket)

	answer := r.Answer(r.Live(), false)
	seal := answer
	sealRows := *answer.Sub
	sealRows.Where = append(append([]string{}, answer.Sub.Where...), from(r, ">=", mark), from(r, "<", safe))
	seal.Sub = &sealRows
	seal.Items = append(append([]ddl.Item{}, answer.Items...), ddl.As(safe, through), ddl.As("now64(6, 'UTC')", at), ddl.As("0", r.Inner("gone")))
	seal.Settings = r.ReadSettings(r.PartitionsHoldEntities())
	every := "EVERY 1 DAY"
	if r.Bucket.SubDay() {
		every = "EVERY 1 HOUR"
	}
	b.step(ddl.Step{Name: b.name("seal"), Undo: b.drop("VIEW", "seal"), MinVersion: "24.10",
		Why: "Seals the buckets between the mark and " + r.Stability.Settles + " ago, each entity once. It appends windows that no earlier seal has read as complete, so nothing is counted twice.",
		SQL: ddl.CreateView{Database: r.Target.Database, Name: b.name("seal"), OnCluster: r.Deployment.OnCluster,
			To: b.table("sealed"), Refresh: every, Append: true, Empty: true, Select: seal}.SQL()})
	moved := ddl.Select{
		Items:  []ddl.Item{ddl.As("max("+ddl.Ident(through)+")", through)},
		From:   b.table("sealed"),
		Having: []string{"count() > 0"},
	}
	b.step(ddl.Step{Name: b.name("seal_mark"), Undo: b.drop("VIEW", "seal_mark"), MinVersion: "24.10",
		Why: "Moves the mark, only after a seal has succeeded.",
		SQL: ddl.CreateView{Database: r.Target.Database, Name: b.name("seal_mark"), OnCluster: r.Deployment.OnCluster,
			To: b.table("sealed_mark"), Refresh: every + " DEPENDS ON " + b.table("seal"), Append: true, Empty: true, Select: moved}.SQL()})
	refresh := fmt.Sprintf("SYSTEM REFRESH VIEW %s;\nSYSTEM WAIT VIEW %s;\nSYSTEM REFRESH VIEW %s;\nSYSTEM WAIT VIEW %s;\n",
		b.table("seal"), b.table("seal"), b.table("seal_mark"), b.table("seal_mark"))
	b.plan.Backfill = ddl.Comment("The first seal takes all settled history; it is run now and waited for. Until it is done, answers come from the\nsource and are right. Safe to run again.") + refresh
	b.plan.Correct = sealedCorrect(b, answer, through, at)

	old := ddl.Select{From: b.readable("sealed"), Final: true}
	young := answer
	youngRows := *answer.Sub
	youngRows.Where = append(append([]string{}, answer.Sub.Where...), from(r, ">=", mark))
	young.Sub = &youngRows
	read := ddl.Select{Union: []ddl.Select{old, young}}
	for _, n := range append(r.GrainNames(), r.MetricNames()...) {
		read.Union[0].Items = append(read.Union[0].Items, ddl.Col(n))
		read.Items = append(read.Items, ddl.Col(n))
	}
	if time != "" {
		read.Union[0].Where = []string{ddl.Ident(time) + " < " + mark}
	}
	return b.readView(read, r.PartitionsHoldEntities(), "Unites sealed buckets and the live tail; the mark is on one side of each bucket.")
}

// from compares a source row's bucket with a bucket start. Where it is safe, the
// time column itself is compared too, which parts and granules can be pruned by:
// not where a delete row could be pruned away with its default time, nor for
// types that reach beyond what a bucket start can hold.
func from(r *designer.Rollup, op, start string) string {
	cond := bucketOf(r) + " " + op + " " + start
	if r.Grain.Time != nil {
		cond = r.AfterFinal(cond, r.TimeColumns())
	}
	t := r.TimeType().Full()
	if r.Grain.Time == nil || !r.KeepsValues() || t.Nullable() {
		return cond
	}
	moment := start
	switch {
	case t.Family() == "DateTime" && !r.Bucket.SubDay():
		// The first day of all began before 1970 west of Greenwich.
		zone := ddl.Literal(r.Zone.Name)
		moment = fmt.Sprintf("if(%s = toDate(0), toDateTime(0, %s), toDateTime(%[1]s, %[2]s))", start, zone)
	case t.Family() != "DateTime" && t.Family() != "Date":
		return cond
	}
	return cond + " AND " + r.TimeExpr() + " " + op + " " + moment
}

// bucketOf gives the bucket of a source row as an expression for WHERE.
func bucketOf(r *designer.Rollup) string {
	if r.Grain.Time == nil {
		return "toDate(0)"
	}
	return r.BucketExpr(r.Moment(), r.TimeType(), r.Bucket)
}

// sealedCorrect computes the window's buckets again and marks grains that are
// gone, in one insert, so that readers never see a gap.
func sealedCorrect(b *builder, answer ddl.Select, through, at string) string {
	r := b.r
	if r.Grain.Time == nil {
		return ddl.Comment("Nothing is ever sealed without a time.")
	}
	gone := r.Inner("gone")
	fresh := answer
	rows := *answer.Sub
	in := r.AfterFinal(sourceWindow(r, r.Bucket), r.TimeColumns())
	mark := fmt.Sprintf("(SELECT max(%s) FROM %s)", ddl.Ident(through), b.table("sealed_mark"))
	rows.Where = append(append([]string{}, rows.Where...), in, from(r, "<", mark))
	fresh.Sub = &rows
	stamp := []ddl.Item{ddl.As(mark, through), ddl.As("now64(6, 'UTC')", at)}
	fresh.Items = append(append(append([]ddl.Item{}, answer.Items...), stamp...), ddl.As("0", gone))
	keys := ddl.Select{From: b.table("sealed"), Final: true, Where: []string{storedWindow(r, r.Bucket, r.Bucket)}}
	old := ddl.Select{Sub: &keys}
	var freshKeys ddl.Select
	freshKeys.Sub = &rows
	freshKeys.GroupBy = answer.GroupBy
	for i, n := range r.GrainNames() {
		keys.Items = append(keys.Items, ddl.Col(n))
		old.Items = append(old.Items, ddl.Col(n))
		freshKeys.Items = append(freshKeys.Items, ddl.As(answer.GroupBy[i], n))
	}
	for _, m := range r.Measures {
		old.Items = append(old.Items, ddl.As("CAST("+defaultOf(r.ResultType(m))+", "+ddl.Literal(string(r.ResultType(m)))+")", m.Name))
	}
	old.Items = append(append(old.Items, stamp...), ddl.As("1", gone))
	old.Where = []string{"(" + strings.Join(ddl.Idents(r.GrainNames()), ", ") + ") NOT IN\n(\n" + freshKeys.SQL() + "\n)"}
	all := ddl.Select{Union: []ddl.Select{fresh, old}}
	names := append(append(r.GrainNames(), r.MetricNames()...), through, at, gone)
	for _, n := range names {
		all.Items = append(all.Items, ddl.Col(n))
	}
	settings := r.ReadSettings(r.PartitionsHoldEntities())
	for i := range settings {
		if settings[i].Name == "transform_null_in" {
			settings[i].Value = "1" // a NULL dimension is a grain like another
		}
	}
	all.Settings = settings
	return ddl.Comment("Computes the sealed buckets of the window again and strikes out grains that are gone, in one insert. What is not\nsealed needs no repair. Safe to run again.\n"+windowNote) + "\n" +
		ddl.Insert(b.table("sealed"), names, all) + ";\n"
}

func defaultOf(t designer.Type) string {
	if strings.HasPrefix(string(t), "Array(") {
		return "[]"
	}
	return "defaultValueOfTypeName(" + ddl.Literal(string(t)) + ")"
}
