package pattern

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// builder gathers the statements of one plan.
type builder struct {
	r    *designer.Rollup
	plan *ddl.Plan
}

// begin starts a plan with the target database.
func begin(r *designer.Rollup, id string) *builder {
	b := &builder{r: r, plan: &ddl.Plan{Pattern: id}}
	if r.Target.Database != r.Source.Database {
		b.step(ddl.Step{
			Name: "database",
			SQL:  "CREATE DATABASE IF NOT EXISTS " + ddl.Ident(r.Target.Database) + ddl.OnCluster(r.Deployment.OnCluster),
			Why:  "The targets live in their own database. It is left in place by down.sql: other tables may be in it.",
		})
	}
	return b
}

func (b *builder) step(s ddl.Step) { b.plan.Up = append(b.plan.Up, s) }

// name gives the name of an object beside the read view.
func (b *builder) name(suffix string) string { return b.r.Target.Prefix + "_" + suffix }

// table gives such an object, quoted with its database.
func (b *builder) table(suffix string) string {
	return ddl.Table(b.r.Target.Database, b.name(suffix))
}

// create adds a target table and records it.
func (b *builder) create(suffix, why string, t ddl.CreateTable) {
	t.Database, t.Name, t.OnCluster = b.r.Target.Database, b.name(suffix), b.r.Deployment.OnCluster
	if b.r.Deployment.Replicated {
		t.Engine = replicated(t.Engine)
	}
	b.step(ddl.Step{Name: t.Name, SQL: t.SQL(), Why: why, Undo: b.drop("TABLE", suffix)})
	b.distribute(suffix)
}

// replicated gives the engine its replicated form, with the server's macros.
func replicated(engine string) string {
	name, args, found := strings.Cut(engine, "(")
	path := "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'"
	if !found || args == ")" {
		return "Replicated" + name + "(" + path + ")"
	}
	return "Replicated" + name + "(" + path + ", " + args
}

func (b *builder) drop(kind, suffix string) string {
	sql := "DROP " + kind + " IF EXISTS " + b.table(suffix) + ddl.OnCluster(b.r.Deployment.OnCluster)
	if kind == "TABLE" && b.r.Deployment.Replicated {
		sql += " SYNC" // else its path stays taken for a while
	}
	return sql
}

// distribute puts a Distributed table over a target, so that reads see every shard.
func (b *builder) distribute(suffix string) {
	d := b.r.Deployment
	if d.OnCluster == "" {
		return
	}
	args := []string{ddl.Literal(d.OnCluster), ddl.Literal(b.r.Target.Database), ddl.Literal(b.name(suffix))}
	b.step(ddl.Step{
		Name: b.name(suffix + "_all"),
		SQL: fmt.Sprintf("CREATE TABLE %s%s AS %s\nENGINE = Distributed(%s)", b.table(suffix+"_all"), ddl.OnCluster(d.OnCluster),
			b.table(suffix), strings.Join(args, ", ")),
		Why:  "Reads go through this table to every shard; the view stays on the local one, where inserts arrive (a view on a Distributed table sees only what is inserted through it).",
		Undo: b.drop("TABLE", suffix+"_all"),
	})
}

// readable gives the quoted table that reads of a target go to.
func (b *builder) readable(suffix string) string {
	if b.r.Deployment.OnCluster != "" {
		return b.table(suffix + "_all")
	}
	return b.table(suffix)
}

// view adds a materialized view on the source.
func (b *builder) view(suffix, to, why string, s ddl.Select) {
	v := ddl.CreateView{Database: b.r.Target.Database, Name: b.name(suffix), OnCluster: b.r.Deployment.OnCluster, To: to, Select: s}
	b.step(ddl.Step{Name: v.Name, SQL: v.SQL(), Why: why, Undo: b.drop("VIEW", suffix)})
}

// readView adds the view that answers the design's question, and from it the
// query, the truth and the audit.
func (b *builder) readView(s ddl.Select, perPartition bool, why string) *ddl.Plan {
	r := b.r
	b.plan.Read, b.plan.PerPartition = s, perPartition
	s.Settings = r.ReadSettings(perPartition)
	v := ddl.CreateView{Database: r.Target.Database, Name: r.Target.Prefix, OnCluster: r.Deployment.OnCluster, Select: s}
	b.step(ddl.Step{
		Name: r.Target.Prefix, SQL: v.SQL(), Why: why,
		Undo: "DROP VIEW IF EXISTS " + ddl.Table(r.Target.Database, r.Target.Prefix) + ddl.OnCluster(r.Deployment.OnCluster),
	})
	return b.finish(perPartition)
}

// finish adds the scripts that are the same for every pattern.
func (b *builder) finish(perPartition bool) *ddl.Plan {
	r := b.r
	query := ddl.Select{From: ddl.Table(r.Target.Database, r.Target.Prefix), Settings: r.TopSettings(perPartition)}
	for _, n := range append(r.GrainNames(), r.MetricNames()...) {
		query.Items = append(query.Items, ddl.Col(n))
	}
	query.OrderBy = ddl.Idents(r.GrainNames())
	truth := r.Truth()
	truth.Settings = r.TopSettings(r.PartitionsHoldEntities())
	b.plan.Query = query.Statement()
	b.plan.Truth = truth.Statement()
	b.plan.Audit = audit(r)
	b.plan.Monitor = monitor(b)
	return b.plan
}

// targets records what a target holds: all metrics, in this version of the plan.
func (b *builder) holds(suffix string) {
	b.plan.Targets = append(b.plan.Targets, ddl.Target{
		Pattern: b.plan.Pattern, Table: b.r.Target.Database + "." + b.name(suffix), Metrics: b.r.MetricNames(),
	})
}

// grainColumns gives the grain's columns as stored, in buckets of iv.
func grainColumns(r *designer.Rollup, iv designer.Interval) []ddl.ColumnDef {
	var out []ddl.ColumnDef
	if t := r.Grain.Time; t != nil {
		out = append(out, ddl.ColumnDef{Name: t.Name, Type: string(r.BucketType(iv))})
	}
	for _, x := range r.Dims {
		out = append(out, ddl.ColumnDef{Name: x.Name, Type: storable(x.Type)})
	}
	return out
}

// storable takes LowCardinality off types that servers refuse it on by default.
func storable(t designer.Type) string {
	switch t.Family() {
	case "String", "FixedString":
		return string(t)
	}
	return string(t.Full())
}

// grainKey gives the grain as a sorting key: dimensions first, the bucket last,
// so that a range of time within a dimension is one range of granules.
func grainKey(r *designer.Rollup) []string {
	var out []string
	for _, x := range r.Dims {
		out = append(out, ddl.Ident(x.Name))
	}
	if t := r.Grain.Time; t != nil {
		out = append(out, ddl.Ident(t.Name))
	}
	return out
}

// keySettings allows NULL dimensions in a sorting key, where there are any.
func keySettings(r *designer.Rollup) []ddl.Setting {
	if slices.ContainsFunc(r.Dims, func(x designer.Dim) bool { return x.Type.Nullable() }) {
		return []ddl.Setting{{Name: "allow_nullable_key", Value: "1"}}
	}
	return nil
}

// A source partitioned by these of the grain's time has partitions of a month or
// less, and of a year or less.
var (
	monthly = regexp.MustCompile(`\b(toYYYYMM(DD)?|toDate(32)?|toMonday|toStartOf(Hour|Day|Week|Month))\($`)
	yearly  = regexp.MustCompile(`\b(toYear|toStartOf(Year|Quarter))\($`)
)

// partitionBy gives months or years of the bucket where the source is
// partitioned by them or by less: then no insert that the source takes spans too
// many partitions here. Over any other source one could, and would fail.
func partitionBy(r *designer.Rollup, bucket string, iv designer.Interval) string {
	if r.Grain.Time == nil {
		return ""
	}
	wide := iv.Unit == "quarter" || iv.Unit == "year"
	source := r.Source.PartitionBy
	for _, name := range []string{r.TimeExpr(), r.Grain.Time.Column} {
		for rest := source; ; {
			before, after, found := strings.Cut(rest, name)
			if !found {
				break
			}
			before = source[:len(source)-len(rest)] + before
			switch plain := before == "" && after == ""; {
			case !wide && (monthly.MatchString(before) || plain):
				return "toYYYYMM(" + bucket + ")"
			case monthly.MatchString(before), yearly.MatchString(before), plain:
				return "toYear(" + bucket + ")"
			}
			rest = after
		}
	}
	return ""
}
