package designer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/problem"
)

// Rollup is a design whose expressions an engine has accepted, with what
// follows from them: types, columns, what is stable. Patterns judge and plan it.
type Rollup struct {
	*Design
	Facts    *Facts
	Engine   Engine
	Zone     Zone
	Bucket   Interval
	Dims     []Dim
	Measures []Measure
	prefix   string
}

// Dim is a dimension with what the engine says of it.
type Dim struct {
	Dimension
	Type    Type
	Columns []string
	// Stable is set where its value never changes across versions of an entity.
	Stable bool
}

// Measure is a metric with what the engine says of its parts.
type Measure struct {
	Metric
	Type      Type     // of expr; empty where there is none
	OrderType Type     // of order_by
	WhereType Type     // of where
	Columns   []string // that expr, where and order_by depend on
}

// Resolve joins a design with an engine's facts. It refuses what only types
// tell: a sum of text, a ratio of names.
func Resolve(d *Design, f *Facts) (*Rollup, error) {
	r := &Rollup{Design: d, Facts: f, Engine: ParseEngine(d.Source.Engine)}
	r.Zone, _ = ParseZone("UTC")
	if t := d.Grain.Time; t != nil {
		r.Bucket, _ = ParseInterval(t.Bucket)
		r.Zone, _ = ParseZone(t.Timezone)
	}
	for i, x := range d.Grain.Dimensions {
		fact := f.Exprs[fmt.Sprintf("grain.dimensions[%d].expr", i)]
		r.Dims = append(r.Dims, Dim{x, Type(fact.Type), fact.Columns, r.stable(d.Stability.Dimensions[x.Name])})
	}
	for i, m := range d.Metrics {
		at := fmt.Sprintf("metrics[%d].", i)
		expr, where, order := f.Exprs[at+"expr"], f.Exprs[at+"where"], f.Exprs[at+"order_by"]
		x := Measure{m, Type(expr.Type), Type(order.Type), Type(where.Type), union(expr.Columns, where.Columns, order.Columns)}
		if err := x.check(at + "expr"); err != nil {
			return nil, err
		}
		r.Measures = append(r.Measures, x)
	}
	if err := r.checkRatioTypes(); err != nil {
		return nil, err
	}
	if err := r.checkTimeType(); err != nil {
		return nil, err
	}
	r.prefix = r.freePrefix()
	return r, r.checkWatermark()
}

func (m Measure) check(field string) error {
	bad := func(need string) error {
		return problem.Field("metric-type", field, m.Expr, fmt.Sprintf("a %s needs %s, and this is %s", m.Kind, need, m.Type), "choose another column, or convert it, as in toFloat64OrNull(x)")
	}
	switch m.Kind {
	case Sum, Avg:
		if !m.Type.Numeric() {
			return bad("a number")
		}
	case Quantile:
		if !m.Type.Numeric() && !m.Type.Temporal() {
			return bad("a number or a time")
		}
		// quantileExact refuses these two.
		if convert, ok := map[string]string{"Date32": "toDate", "BFloat16": "toFloat32"}[m.Type.Family()]; ok {
			return problem.Field("metric-type", field, m.Expr, fmt.Sprintf("ClickHouse has no quantiles of %s", m.Type.Family()), fmt.Sprintf("convert it: %s(%s)", convert, m.Expr))
		}
	}
	return nil
}

func (r *Rollup) checkRatioTypes() error {
	for i, m := range r.Measures {
		if m.Kind != Ratio {
			continue
		}
		for _, part := range [][2]string{{"numerator", m.Numerator}, {"denominator", m.Denominator}} {
			x := r.Measure(part[1])
			counted := x.Kind == Count || x.Kind == CountDistinct
			if !counted && !x.Type.Numeric() {
				return problem.Field("metric-type", fmt.Sprintf("metrics[%d].%s", i, part[0]), part[1], fmt.Sprintf("a ratio divides numbers, and %s is %s", part[1], x.Type), "name a metric that is a number")
			}
		}
	}
	return nil
}

// Measure finds a metric by its name.
func (r *Rollup) Measure(name string) *Measure {
	for i := range r.Measures {
		if r.Measures[i].Name == name {
			return &r.Measures[i]
		}
	}
	return nil
}

// checkWatermark refuses a watermark that does not grow with arrival.
func (r *Rollup) checkWatermark() error {
	b := r.Backfill
	if b.Mode == BackfillWatermark && slices.Equal(r.TimeColumns(), []string{b.Column}) {
		return problem.Field("watermark-is-event-time", "backfill.column", b.Column, "it is the time of the event: a row that arrives late lies below the watermark, where the view does not take it and the backfill has passed", "a column that grows with arrival, such as an insert time or an offset; or mode pause")
	}
	return nil
}

// stable turns a declaration into a judgement; where events never change,
// everything is stable.
func (r *Rollup) stable(declared string) bool { return declared == Stable || r.Immutable() }

// Immutable reports whether rows of the feed never change.
func (r *Rollup) Immutable() bool { return r.Source.Feed == Append || r.Source.Feed == AtLeastOnce }

// SignFeed reports whether a sign column tells state rows from cancel rows.
func (r *Rollup) SignFeed() bool {
	return r.Source.Feed == Collapsing || r.Source.Feed == VersionedCollapsing
}

// TimeStable reports whether an entity's time never changes.
func (r *Rollup) TimeStable() bool { return r.Grain.Time == nil || r.stable(r.Stability.Time) }

// FilterStable reports whether an entity never enters or leaves the filter.
func (r *Rollup) FilterStable() bool { return r.Filter == "" || r.stable(r.Stability.Filter) }

// KeepsValues reports whether every row of an entity, its delete row included,
// carries the entity's stable values: DESIGN §2, tombstones.
func (r *Rollup) KeepsValues() bool {
	return r.Source.Feed != Upsert || r.Source.Deleted == "" || r.Source.Tombstones == "old_values"
}

// KeyColumns gives the columns that the entity key is made of.
func (r *Rollup) KeyColumns() []string {
	var out []string
	for i := range r.Source.Key {
		out = union(out, r.Facts.Exprs[fmt.Sprintf("source.key[%d]", i)].Columns)
	}
	return out
}

// KeyExprs gives the entity key as SQL.
func (r *Rollup) KeyExprs() []string {
	out := make([]string, len(r.Source.Key))
	for i, k := range r.Source.Key {
		out[i] = ddl.Paren(r.Source.keyText(k))
	}
	return out
}

// FilterColumns gives the columns that the filter depends on.
func (r *Rollup) FilterColumns() []string { return r.Facts.Exprs["filter"].Columns }

// Used gives the source columns that the key and the design's expressions
// depend on, in the source's order.
func (r *Rollup) Used() []string {
	all := union(r.KeyColumns(), r.FilterColumns())
	all = union(all, r.TimeColumns())
	for _, x := range r.Dims {
		all = union(all, x.Columns)
	}
	for _, m := range r.Measures {
		all = union(all, m.Columns)
	}
	return r.inSourceOrder(all)
}

// Needed gives the columns that an entity's row must carry: those used, the
// version and the flags.
func (r *Rollup) Needed() []string {
	return r.inSourceOrder(union(r.Used(), []string{r.Source.Version, r.Source.Deleted, r.Source.Sign}))
}

func (r *Rollup) inSourceOrder(names []string) []string {
	var out []string
	for _, c := range r.Source.Columns {
		if slices.Contains(names, c.Name) {
			out = append(out, c.Name)
		}
	}
	return out
}

// StableColumns gives the columns whose value is the same in every row of an
// entity: those of the key, and, where delete rows keep their values, a stable
// time and dimensions that are plain columns. All of them where rows never change.
func (r *Rollup) StableColumns() []string {
	if r.Immutable() {
		var all []string
		for _, c := range r.Source.Columns {
			all = append(all, c.Name)
		}
		return all
	}
	out := r.KeyColumns()
	if !r.KeepsValues() {
		return out
	}
	if r.TimeIsColumn() && r.TimeStable() {
		out = union(out, r.TimeColumns())
	}
	for _, x := range r.Dims {
		if x.Stable && len(x.Columns) == 1 && (x.Expr == x.Columns[0] || x.Expr == ddl.Ident(x.Columns[0])) {
			out = union(out, x.Columns)
		}
	}
	return out
}

// KeyIsEngines reports whether the source's own engine keeps one row per entity
// by the feed's version, so that FINAL gives the truth.
func (r *Rollup) KeyIsEngines() bool {
	if !r.Engine.Replacing() || len(r.Source.Key) == 0 || !sameSet(r.Source.Key, r.Source.OrderBy) {
		return false
	}
	return r.Source.Feed == AtLeastOnce || r.Engine.Arg(0) == r.Source.Version
}

// PartitionsHoldEntities reports whether the rows of an entity never lie in two
// partitions of the source: only then may FINAL treat partitions one by one.
func (r *Rollup) PartitionsHoldEntities() bool {
	return r.Source.PartitionBy != "" && subset(r.Facts.Exprs["source.partition_by"].Columns, r.StableColumns())
}

// AfterFinal gives a condition over the source's columns in a form by which no
// server prunes partitions, where a version that lies in another partition than
// the one it replaces has to be seen: before 26.3 they are pruned before FINAL.
func (r *Rollup) AfterFinal(cond string, columns []string) string {
	partition := r.Facts.Exprs["source.partition_by"].Columns
	moves := func(c string) bool { return slices.Contains(partition, c) && !slices.Contains(r.StableColumns(), c) }
	if r.Source.Feed != Upsert || !slices.ContainsFunc(columns, moves) {
		return cond
	}
	return "if(materialize(1), " + cond + ", 0)"
}

// freePrefix finds a prefix for the names inside our queries that no column of
// the source or the answer begins with, so that no alias shadows a column.
func (r *Rollup) freePrefix() string {
	var names []string
	for _, c := range r.Source.Columns {
		names = append(names, c.Name)
	}
	names = append(names, r.GrainNames()...)
	for _, m := range r.Metrics {
		names = append(names, m.Name, m.Name+"_rollup", m.Name+"_truth") // as audit.sql has them
	}
	prefix := "r_"
	for slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, prefix) }) {
		prefix += "_"
	}
	return prefix
}

// Inner gives a name that is free inside our queries.
func (r *Rollup) Inner(name string) string { return r.prefix + name }

// GrainNames gives the names of the grain's columns, time first.
func (r *Rollup) GrainNames() []string {
	var out []string
	if t := r.Grain.Time; t != nil {
		out = append(out, t.Name)
	}
	for _, x := range r.Grain.Dimensions {
		out = append(out, x.Name)
	}
	return out
}

// MetricNames gives the metrics' names in document order.
func (r *Rollup) MetricNames() []string {
	out := make([]string, len(r.Metrics))
	for i, m := range r.Metrics {
		out[i] = m.Name
	}
	return out
}

// SourceTable gives the quoted source, as views and fills on one server see it.
func (r *Rollup) SourceTable() string { return ddl.Table(r.Source.Database, r.Source.Table) }

// WholeSource gives the source with the rows of every shard. Its names are
// strings: as identifiers, the table function would take a metric's alias of the
// same name for them.
func (r *Rollup) WholeSource() string {
	if r.Deployment.OnCluster == "" {
		return r.SourceTable()
	}
	return ddl.Call("cluster", ddl.Literal(r.Deployment.OnCluster), ddl.Literal(r.Source.Database), ddl.Literal(r.Source.Table))
}

func union(lists ...[]string) []string {
	var out []string
	for _, l := range lists {
		for _, s := range l {
			if s != "" && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

func subset(a, b []string) bool {
	for _, s := range a {
		if !slices.Contains(b, s) {
			return false
		}
	}
	return true
}

func sameSet(a, b []string) bool { return subset(a, b) && subset(b, a) }
