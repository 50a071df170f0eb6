package designer

import (
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Rows is a query for the rows that an answer is made of, with every expression
// of the design computed once under an inner name: grain, values, conditions.
// Because inner names are free, no alias shadows a column that another
// expression uses (DESIGN §3.12).
type Rows struct {
	r      *Rollup
	Select ddl.Select
	byExpr map[string]string
	counts map[string]int
	// inline leaves expressions where they are used instead of naming them, and
	// puts the filter into every condition: the one-level shape of a projection.
	inline bool
}

// NewRows starts such a query over from.
func (r *Rollup) NewRows(from ddl.Select) *Rows {
	return &Rows{r: r, Select: from, byExpr: map[string]string{}, counts: map[string]int{}}
}

// NewFlatRows starts a query that computes nothing under inner names.
func (r *Rollup) NewFlatRows(from ddl.Select) *Rows {
	q := r.NewRows(from)
	q.inline = true
	return q
}

// name gives the inner name of an expression, computing it once.
func (q *Rows) name(kind, expr string) string {
	if q.inline {
		return expr
	}
	if n, ok := q.byExpr[expr]; ok {
		return ddl.Ident(n)
	}
	q.counts[kind]++
	n := q.r.Inner(fmt.Sprintf("%s%d", kind, q.counts[kind]))
	q.Add(n, expr)
	return ddl.Ident(n)
}

// Add computes an expression under a given inner name.
func (q *Rows) Add(name, expr string) {
	q.byExpr[expr] = name
	q.Select.Items = append(q.Select.Items, ddl.As(expr, name))
}

// Grain adds the grain in buckets of iv and gives the quoted inner names. Rows
// whose time is NULL lie in no bucket and are left out.
func (q *Rows) Grain(iv Interval) []string {
	var out []string
	r := q.r
	if r.Grain.Time != nil {
		if r.TimeType().Nullable() {
			q.Select.Where = append(q.Select.Where, r.TimeExpr()+" IS NOT NULL")
		}
		q.Add(r.Inner("time"), r.BucketExpr(r.Moment(), r.TimeType(), iv))
		out = append(out, ddl.Ident(r.Inner("time")))
	}
	for i, x := range r.Dims {
		name := r.Inner(fmt.Sprintf("dim%d", i+1))
		expr := ddl.Paren(x.Expr)
		if x.Type.Float() { // a merge takes 0 and -0 for one key, and every NaN; GROUP BY does not
			expr = fmt.Sprintf("CAST(if(isNaN(%s), nan, %[1]s + 0), %s)", expr, ddl.Literal(string(x.Type.Full())))
		}
		q.Select.Items = append(q.Select.Items, ddl.As(expr, name))
		out = append(out, ddl.Ident(name))
	}
	return out
}

// Filter keeps the rows that pass the design's filter.
func (q *Rows) Filter() {
	if q.r.Filter != "" {
		filter := ddl.Paren(q.r.Filter)
		if q.Select.Final {
			filter = q.r.AfterFinal(filter, q.r.FilterColumns())
		}
		q.Select.Where = append(q.Select.Where, filter)
	}
}

// FilterCondition gives the filter as a condition that is never NULL.
func (r *Rollup) FilterCondition() string {
	if Type(r.Facts.Exprs["filter"].Type).Nullable() {
		return "ifNull(" + ddl.Paren(r.Filter) + ", 0)"
	}
	return ddl.Paren(r.Filter)
}

// BucketExpr gives the start of the bucket that a moment lies in, in the
// grain's zone: a Date for buckets of a day and longer, else a DateTime. A day
// is its own date, which toStartOfInterval misses at the start of 1970.
func (r *Rollup) BucketExpr(column string, t Type, iv Interval) string {
	oneDay := iv == Interval{1, "day"}
	zone := ddl.Literal(r.Zone.Name)
	switch {
	case t.DateOnly() && oneDay:
		return fmt.Sprintf("toDate(%s)", column)
	case t.DateOnly():
		return fmt.Sprintf("toDate(toStartOfInterval(%s, %s))", column, iv.SQL())
	case oneDay:
		return fmt.Sprintf("toDate(%s, %s)", column, zone)
	}
	start := fmt.Sprintf("toStartOfInterval(%s, %s, %s)", column, iv.SQL(), zone)
	if iv.SubDay() {
		return fmt.Sprintf("toDateTime(%s, %s)", start, zone)
	}
	return fmt.Sprintf("toDate(%s)", start)
}

// BucketType gives the type of such a start.
func (r *Rollup) BucketType(iv Interval) Type {
	if iv.SubDay() {
		return Type(fmt.Sprintf("DateTime(%s)", ddl.Literal(r.Zone.Name)))
	}
	return "Date"
}

// parts gives what a metric aggregates: its value, the condition that a row
// must meet ("" where every row does), and, for last, what it is ordered by.
// NULLs are taken out of values and into conditions, so that states hold bare
// types; last keeps them, as a NULL can be the last value.
func (q *Rows) parts(m Measure) (value, cond, order string) {
	var conds []string
	if q.inline && q.r.Filter != "" {
		conds = append(conds, q.r.FilterCondition())
	}
	if m.Where != "" {
		w := ddl.Paren(m.Where)
		if m.WhereType.Nullable() {
			w = "ifNull(" + w + ", 0)"
		}
		conds = append(conds, w)
	}
	if m.Expr != "" {
		expr := ddl.Paren(m.Expr)
		if m.Type.Nullable() && m.Kind != Last {
			conds = append(conds, "isNotNull("+expr+")")
			expr = "assumeNotNull(" + expr + ")"
		}
		if m.Type.Family() == "Bool" && (m.Kind == Sum || m.Kind == Avg || m.Kind == Quantile) {
			expr = "toUInt8(" + expr + ")"
		}
		if m.Type.tight() && (m.Kind == Sum || m.Kind == Avg) {
			expr = "CAST(" + expr + ", " + ddl.Literal(string(m.Type.Bare().Sum())) + ")"
		}
		if m.Kind != Count {
			value = q.name("val", expr)
		}
	}
	if m.OrderBy != "" {
		expr := ddl.Paren(m.OrderBy)
		if m.OrderType.Nullable() {
			conds = append(conds, "isNotNull("+expr+")")
			expr = "assumeNotNull(" + expr + ")"
		}
		order = q.name("ord", expr)
	}
	if len(conds) > 0 {
		cond = q.name("if", strings.Join(conds, " AND "))
	}
	return value, cond, order
}
