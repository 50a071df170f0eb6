package designer

import (
	"fmt"
	"regexp"

	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/problem"
)

// TimeIsColumn reports whether the grain's time is a column of the source, and
// not an expression over some.
func (r *Rollup) TimeIsColumn() bool {
	return r.Grain.Time != nil && r.Source.Column(r.Grain.Time.Column) != nil
}

// TimeText gives the grain's time as SQL over one row of the source: a quoted
// column, or an expression in brackets; "" where the grain has no time.
func (d *Design) TimeText() string {
	if d.Grain.Time == nil {
		return ""
	}
	return ddl.Paren(d.Source.keyText(d.Grain.Time.Column))
}

// TimeExpr gives the same in a type that buckets are cut from.
func (r *Rollup) TimeExpr() string {
	expr := r.TimeText()
	if t := Type(r.Facts.Exprs[TimePath].Type); t != t.Full() && !r.TimeIsColumn() {
		return "CAST(" + expr + ", " + ddl.Literal(string(t.Full())) + ")" // buckets are not LowCardinality
	}
	return expr
}

// Moment gives the same without its NULLs, for rows whose time is known to be
// none: the type is then one that a bucket can be cut from.
func (r *Rollup) Moment() string {
	if r.TimeType().Nullable() {
		return "assumeNotNull(" + r.TimeExpr() + ")"
	}
	return r.TimeExpr()
}

// TimeType gives the type of the grain's time, "" where the grain has none.
func (r *Rollup) TimeType() Type {
	if r.Grain.Time == nil {
		return ""
	}
	if r.TimeIsColumn() {
		return Type(r.Source.Column(r.Grain.Time.Column).Type)
	}
	return Type(r.Facts.Exprs[TimePath].Type).Full()
}

// TimeColumns gives the source columns that the grain's time depends on.
func (r *Rollup) TimeColumns() []string {
	if r.TimeIsColumn() {
		return []string{r.Grain.Time.Column}
	}
	return r.Facts.Exprs[TimePath].Columns
}

// TimeSortable reports whether a table may be sorted and partitioned by the
// grain's time: it is never NULL, and has one value whoever inserts. A table's
// keys are computed in the inserting session's zone, which nothing pins.
func (r *Rollup) TimeSortable() bool {
	return r.Grain.Time != nil && !r.TimeType().Nullable() && !r.Facts.Exprs[TimePath].ImplicitZone
}

// checkTimeType refuses buckets finer than a time that is a date. A column is
// looked at before (checkGrain); of an expression only the engine knows the type.
func (r *Rollup) checkTimeType() error {
	if r.Grain.Time == nil || r.TimeIsColumn() || !r.TimeType().DateOnly() {
		return nil
	}
	finer := func(field, bucket string) error {
		return problem.Field("bucket-finer-than-column", field, bucket, fmt.Sprintf("%s is a %s: it has no time of day", r.Grain.Time.Column, r.TimeType()), "a bucket of a day or longer")
	}
	if r.Bucket.SubDay() {
		return finer("grain.time.bucket", r.Grain.Time.Bucket)
	}
	for i, t := range r.Tiers {
		if iv, _ := ParseInterval(t.Bucket); iv.SubDay() {
			return finer(fmt.Sprintf("tiers[%d].bucket", i), t.Bucket)
		}
	}
	return nil
}

// checkTime refuses a time that is no column where it can be told without an
// engine: a lone name that the source does not have.
func (d *Design) checkTime() error {
	t := d.Grain.Time
	c := d.Source.Column(t.Column)
	switch {
	case c == nil && lone.MatchString(t.Column):
		return problem.Field("unknown-column", TimePath, t.Column, "the source has no such column", "columns: "+columnNames(d.Source)+"; or an expression that gives a time, such as toDateTime(epoch)")
	case c != nil && !Type(c.Type).Temporal():
		return problem.Field("time-column-type", TimePath, t.Column, fmt.Sprintf("a bucket needs a time, and this column is %s", c.Type), timeHint(*c))
	}
	return nil
}

// timeHint says how a column that is no time can be read as one.
func timeHint(c Column) string {
	name := ddl.Ident(c.Name)
	const plain = "a Date, Date32, DateTime or DateTime64 column"
	switch t := Type(c.Type); {
	case t.Integer() && t.Family() != "Bool":
		return fmt.Sprintf("%s, or an expression that gives one: toDateTime(%s) for seconds since 1970, fromUnixTimestamp64Milli(toInt64(%s)) for milliseconds", plain, name, name)
	case t.Family() == "String":
		return fmt.Sprintf("%s, or an expression that gives one, such as parseDateTimeBestEffortOrNull(%s)", plain, name)
	}
	return plain
}

// lone matches a text that is one identifier, quoted or not, or nothing.
var lone = regexp.MustCompile("^\\s*([A-Za-z_][A-Za-z0-9_]*|`[^`]*`|\"[^\"]*\")?\\s*$")
