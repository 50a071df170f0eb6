package designer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rollsmith/rollsmith/designer/ddl"
)

// call prints an aggregate function over the rows that meet cond.
func call(fn, params, cond string, args ...string) string {
	if cond != "" {
		fn += "If"
		args = append(args, cond)
	}
	if params != "" {
		fn += "(" + params + ")"
	}
	return ddl.Call(fn, args...)
}

// orNull gives NULL where no row met cond; elsewhere, expr.
func orNull(cond, expr string) string {
	if cond == "" {
		return expr
	}
	return fmt.Sprintf("if(countIf(%s) = 0, NULL, %s)", cond, expr)
}

// Aggregate gives the metric over whole rows. With exact set, an approximate
// metric is computed exactly too, as the truth is.
func (q *Rows) Aggregate(m Measure, exact bool) string {
	if m.Kind == Ratio {
		return Divide(q.Aggregate(*q.r.Measure(m.Numerator), exact), q.Aggregate(*q.r.Measure(m.Denominator), exact))
	}
	v, cond, order := q.parts(m)
	exact = exact || m.IsExact()
	switch m.Kind {
	case Count:
		return call("count", "", cond)
	case Sum:
		if m.Type.Nullable() {
			return orNull(cond, call("sum", "", cond, v))
		}
		return call("sum", "", cond, v)
	case Avg:
		return average(call("sum", "", cond, v), call("count", "", cond), cond)
	case Min, Max:
		fn := m.Kind
		if cond != "" {
			fn += "OrNull"
		}
		return call(fn, "", cond, v)
	case CountDistinct:
		return call(distinctFunc(exact), "", cond, v)
	case Quantile:
		fn, params := m.quantileFunc(exact)
		return orNull(cond, call(fn, params, cond, v))
	case Last:
		return orNull(cond, "tupleElement("+call("argMax", "", cond, "tuple("+v+")", latest(order, v))+", 1)")
	default: // TopK
		return q.r.topK(call("sumMap", "", cond, "["+v+"]", "[toUInt64(1)]"), m.K)
	}
}

// Divide gives the real quotient as Float64, NULL by zero.
func Divide(numerator, denominator string) string {
	return fmt.Sprintf("toFloat64(%s) / nullIf(toFloat64(%s), 0)", numerator, denominator)
}

// average gives sum / n as Float64, NULL where there can be no row.
func average(sum, n, cond string) string {
	if cond != "" {
		n = "nullIf(" + n + ", 0)"
	}
	return fmt.Sprintf("toFloat64(%s) / %s", sum, n)
}

// latest orders rows by order and, among equals, by value: any of them would do,
// but rollup and truth have to take the same one, whatever was merged first.
func latest(order, value string) string { return "tuple(" + order + ", " + value + ")" }

func distinctFunc(exact bool) string {
	if exact {
		return "uniqExact"
	}
	return "uniq"
}

// gkNudge makes quantileGK, which takes the value of rank ceil(level * n), pick
// the one that quantileExact does, rank floor(level * n) + 1, while a group is
// small enough to be kept whole.
const gkNudge = 1e-9

// quantileFunc gives the function and its parameters. The approximate one is
// Greenwald-Khanna with a rank error of 1/1000: it gives a value that occurs,
// for every type but the widest, which stay exact.
func (m Measure) quantileFunc(exact bool) (fn, params string) {
	level := "0.5"
	if m.Level != nil {
		level = strconv.FormatFloat(*m.Level, 'f', -1, 64)
	}
	wide := strings.HasSuffix(m.Type.Family(), "128") || strings.HasSuffix(m.Type.Family(), "256")
	if p, _ := m.Type.decimal(); m.Type.Decimal() && p > 38 {
		wide = true
	}
	if exact || wide || m.Type.Family() == "BFloat16" || m.Type.Family() == "Date32" {
		return "quantileExact", level
	}
	if m.Level != nil {
		level = strconv.FormatFloat(min(*m.Level+gkNudge, 1), 'f', -1, 64)
	}
	return "quantileGK", "1000, " + level
}

// topK picks the k most frequent values of a (values, counts) pair, ties by value.
func (r *Rollup) topK(counts string, k int) string {
	pair := ddl.Ident(r.Inner("pair"))
	value, count := "tupleElement("+pair+", 1)", "tupleElement("+pair+", 2)"
	pairs := fmt.Sprintf("arrayZip(tupleElement(%s, 1), tupleElement(%s, 2))", counts, counts)
	return fmt.Sprintf("arrayMap(%s -> %s, arraySlice(arraySort(%s -> (-toInt64(%s), %s), %s), 1, %d))", pair, value, pair, count, value, pairs, k)
}

// ResultType gives the type of the metric's column in an answer.
func (r *Rollup) ResultType(m Measure) Type {
	nullable := m.Where != "" || m.Type.Nullable()
	maybe := func(t Type) Type {
		if nullable {
			return t.OrNull()
		}
		return t
	}
	bare := m.Type.Bare()
	switch m.Kind {
	case Count, CountDistinct:
		return "UInt64"
	case Sum:
		if m.Type.Nullable() {
			return bare.Sum().OrNull()
		}
		return bare.Sum()
	case Avg:
		return maybe("Float64")
	case Quantile:
		if bare == "Bool" {
			bare = "UInt8"
		}
		return maybe(bare)
	case Last:
		if m.Where != "" || m.OrderType.Nullable() {
			return m.Type.Full().OrNull()
		}
		return m.Type.Full()
	case TopK:
		return "Array(" + bare + ")"
	case Ratio:
		return "Nullable(Float64)"
	}
	return maybe(bare)
}
