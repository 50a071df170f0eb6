package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// arrivals is the table that generated rows wait in, by the insert that brings
// them: every load then inserts the very same blocks.
func (b *bench) arrivals() string {
	name := "arrivals"
	for name == b.lab.Source.Table {
		name += "_"
	}
	return ddl.Table(b.db, name)
}

// generate makes the rows of all inserts.
func (b *bench) generate(ctx context.Context) error {
	g := newGenerator(b.lab, b.size, time.Now())
	if err := g.identify(); err != nil {
		return err
	}
	var columns []string
	for _, c := range b.lab.Source.Columns {
		columns = append(columns, ddl.Ident(c.Name)+" "+c.Type)
	}
	create := fmt.Sprintf("CREATE TABLE %s (%s, %s UInt8, %s UInt32, %s UInt64) ENGINE = MergeTree PARTITION BY %[3]s ORDER BY (%[4]s, %[5]s)",
		b.arrivals(), strings.Join(columns, ", "), g.in("batch"), g.in("step"), g.in("entity"))
	if err := b.exec(ctx, create); err != nil {
		return err
	}
	if err := b.exec(ctx, "INSERT INTO "+b.arrivals()+" "+g.query()); err != nil {
		return err
	}
	n, err := b.number(ctx, "SELECT count() FROM "+b.arrivals())
	b.result.Rows = int(n)
	return err
}

// generator writes the query whose rows behave as the design says: values that
// are stable stay, others change from version to version; deletes and cancels
// come as the feed sends them. The same seed gives the same rows, but for their
// times, which end now.
type generator struct {
	r          *designer.Rollup
	size       Size
	start, end int64 // of the times, in seconds
	bucket     int64 // length of one
	card       int   // values of a dimension's column
	identity   map[string]string
}

// longest is how far back times go at most: eight years.
const longest = 8 * 365 * 86400

func newGenerator(r *designer.Rollup, size Size, now time.Time) *generator {
	g := &generator{r: r, size: size, end: now.Unix(), bucket: 86400, identity: map[string]string{}}
	dims, buckets := len(r.Dims), 60
	if r.Grain.Time != nil {
		g.bucket = max(r.Bucket.Seconds(), 1)
		g.card = min(max(int(math.Round(math.Pow(float64(size.Groups), 1/float64(dims+1)))), 2), 20)
		buckets = max(size.Groups/max(int(math.Pow(float64(g.card), float64(dims))), 1), 1)
	} else if dims > 0 {
		g.card = max(int(math.Ceil(math.Pow(float64(size.Groups), 1/float64(dims)))), 1)
	}
	if settles, err := designer.ParseInterval(r.Stability.Settles); err == nil { // most of the time has settled
		buckets = max(buckets, int(4*settles.Seconds()/g.bucket))
	}
	g.start = g.end - min(int64(buckets)*g.bucket, max(longest, g.bucket))
	return g
}

// in gives a quoted name that no column of the source has.
func (g *generator) in(name string) string { return ddl.Ident(g.r.Inner(name)) }

// query gives one row for each thing that arrives.
func (g *generator) query() string {
	e, lives, dead, step := g.in("entity"), g.in("lives"), g.in("dead"), g.in("step")
	entities := fmt.Sprintf("SELECT number AS %s, toUInt32(1 + %s %% %d) AS %s, toUInt8(%s %% %d = 0) AS %s FROM numbers(%d)",
		e, g.hash("'lives'", "number"), 2*g.size.Versions-1, lives, g.hash("'dead'", "number"), gone, dead, g.size.Entities)
	rows, state, cancel, at := g.course(lives, dead, step)
	steps := fmt.Sprintf("SELECT %s, %s, %s, arrayJoin(range(%s)) AS %s FROM (%s)", e, lives, dead, rows, step, entities)
	events := fmt.Sprintf("SELECT %s, %s, toUInt32(%s) AS %s, toUInt8(%s) AS %s, toUInt8(least(%d, intDiv(%s * %d, %d) + %s)) AS %s FROM (%s)",
		e, step, state, g.in("state"), cancel, g.in("cancel"), batches-1, e, batches, g.size.Entities, at, g.in("batch"), steps)
	var values []string
	for i, c := range g.r.Source.Columns {
		values = append(values, g.column(i, c))
	}
	return fmt.Sprintf("SELECT %s, %s, %s, %s FROM (%s)", strings.Join(values, ", "), g.in("batch"), step, e, events)
}

// course says how an entity's rows follow one another: how many there are, which
// state each carries, whether it takes that state back, and how many inserts
// after the first it comes.
func (g *generator) course(lives, dead, step string) (rows, state, cancel, at string) {
	switch g.r.Source.Feed {
	case designer.Append:
		return "1", "0", "0", "0"
	case designer.AtLeastOnce:
		return lives, "0", "0", step
	case designer.Upsert:
		if g.r.Source.Deleted == "" {
			return lives, step, "0", step
		}
		return lives + " + " + dead, fmt.Sprintf("least(%s, %s - 1)", step, lives), step + " = " + lives, step
	}
	return fmt.Sprintf("2 * %s - 1 + %s", lives, dead), fmt.Sprintf("intDiv(%s, 2)", step), step + " % 2 = 1", fmt.Sprintf("intDiv(%s + 1, 2)", step)
}

// hash gives a number that depends on the seed and the arguments alone.
func (g *generator) hash(args ...string) string {
	return fmt.Sprintf("cityHash64(%d, %s)", g.size.Seed, strings.Join(args, ", "))
}

// column gives the expression of one column.
func (g *generator) column(i int, c designer.Column) string {
	s, t := g.r.Source, ddl.Literal(c.Type)
	step, state, cancel := g.in("step"), g.in("state"), g.in("cancel")
	switch c.Name {
	case s.Sign:
		return fmt.Sprintf("CAST(if(%s = 1, -1, 1), %s)", cancel, t)
	case s.Deleted:
		return fmt.Sprintf("CAST(%s, %s)", cancel, t)
	case s.Version:
		n := step
		if g.r.Immutable() || g.r.SignFeed() {
			n = state
		}
		if designer.Type(c.Type).Temporal() {
			return g.moment(c.Type, fmt.Sprintf("%d + %s", g.end, n), n)
		}
		return fmt.Sprintf("CAST(1 + %s, %s)", n, t)
	}
	if id, ok := g.identity[c.Name]; ok {
		return id
	}
	change := "0"
	if !g.stable(c.Name) {
		change = state
		if slices.Contains(g.placing(), c.Name) { // one entity in three moves about
			change = fmt.Sprintf("if(%s %% 3 = 0, %s, 0)", g.hash(fmt.Sprintf("'moves %d'", i), g.in("entity")), state)
		}
	}
	value := g.value(c, g.hash(fmt.Sprint(i), g.in("entity"), change), change)
	if designer.Type(c.Type).Nullable() && !slices.Contains(s.OrderBy, c.Name) {
		value = fmt.Sprintf("if(%s %% 50 = 0, NULL, %s)", g.hash(fmt.Sprintf("'null %d'", i), g.in("entity"), change), value)
	}
	value = fmt.Sprintf("CAST(%s, %s)", value, t)
	if blank := g.blank(); blank != "" && !slices.Contains(s.OrderBy, c.Name) && !slices.Contains(g.r.KeyColumns(), c.Name) {
		value = fmt.Sprintf("if(%s, defaultValueOfTypeName(%s), %s)", blank, t, value)
	}
	return value
}

// blank is the condition under which a delete row carries defaults: never, always,
// or, where nobody knows, for every other one.
func (g *generator) blank() string {
	if g.r.Source.Feed != designer.Upsert || g.r.Source.Deleted == "" || g.r.Source.Tombstones == "old_values" {
		return ""
	}
	if g.r.Source.Tombstones == "defaults" {
		return g.in("cancel") + " = 1"
	}
	return fmt.Sprintf("%s = 1 AND %s %% 2 = 0", g.in("cancel"), g.hash("'blank'", g.in("entity")))
}

// placing are the columns that say to which group an entity belongs.
func (g *generator) placing() []string {
	out := slices.Clone(g.r.FilterColumns())
	for _, x := range g.r.Dims {
		out = append(out, x.Columns...)
	}
	return append(out, g.r.TimeColumns()...)
}

// stable reports whether a column keeps its value through an entity's versions:
// as the design says, and, where it says nothing, for what rows are sorted and
// partitioned by.
func (g *generator) stable(column string) bool {
	r := g.r
	ofTime := slices.Contains(r.TimeColumns(), column)
	if ofTime && !r.TimeStable() {
		return slices.Contains(r.KeyColumns(), column)
	}
	for _, x := range r.Dims {
		if slices.Contains(x.Columns, column) {
			return x.Stable || slices.Contains(r.KeyColumns(), column)
		}
	}
	if slices.Contains(r.FilterColumns(), column) {
		return r.FilterStable() || slices.Contains(r.KeyColumns(), column)
	}
	if ofTime {
		return true
	}
	placed := slices.Clone(r.KeyColumns())
	for i := range r.Source.OrderBy {
		placed = append(placed, r.Facts.Exprs[fmt.Sprintf("source.order_by[%d]", i)].Columns...)
	}
	placed = append(placed, r.Facts.Exprs["source.partition_by"].Columns...)
	return slices.Contains(placed, column)
}
