package proof

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
)

// cells aggregates one grain.
func (e *evaluator) cells(rows []lens) []cell {
	d := e.model.design
	out := make([]cell, len(d.Metrics))
	plain := map[string]value{}
	float := map[string]bool{}
	for i, metric := range d.Metrics {
		if metric.Kind == designer.Ratio {
			continue
		}
		var in []metricLens
		for _, r := range rows {
			if metric.Where == "" || r.metrics[i].where {
				in = append(in, r.metrics[i])
			}
		}
		t := e.metricType(i)
		out[i], plain[metric.Name] = aggregate(metric, t, in)
		float[metric.Name] = t.Float()
	}
	for i, metric := range d.Metrics {
		if metric.Kind == designer.Ratio {
			out[i] = ratio(plain[metric.Numerator], plain[metric.Denominator])
		}
	}
	return out
}

func ratio(over, under value) cell {
	x, ok := over.real()
	y, ok2 := under.real()
	if !ok || !ok2 || y == 0 || over.null || under.null {
		return exactly(nullValue)
	}
	q := x / y
	return roundly(value{text: fmt.Sprint(q), float: &q})
}

// aggregate computes one metric over the rows of a grain that satisfy its where.
// The value beside the cell is what a ratio divides.
func aggregate(metric designer.Metric, t designer.Type, in []metricLens) (cell, value) {
	var values []value
	for _, r := range in {
		if !r.expr.null && !isNaN(r.expr) {
			values = append(values, r.expr)
		}
	}
	one := func(v value) (cell, value) { return exactly(v), v }
	switch metric.Kind {
	case designer.Count:
		n := len(in)
		if metric.Expr != "" {
			n = len(values)
		}
		return one(intValue(int64(n)))
	case designer.Sum:
		return sum(t, values)
	case designer.Avg:
		return avg(t, values)
	case designer.Min, designer.Max:
		if len(values) == 0 {
			return one(nullValue)
		}
		best := values[0]
		for _, v := range values[1:] {
			if c := compare(v, best); (metric.Kind == designer.Min && c < 0) || (metric.Kind == designer.Max && c > 0) {
				best = v
			}
		}
		return one(best)
	case designer.CountDistinct:
		return distinct(metric, values)
	case designer.Quantile:
		return quantile(metric, values)
	case designer.Last:
		return last(in)
	case designer.TopK:
		return topK(metric.K, values), nullValue
	}
	return one(nullValue)
}

func isNaN(v value) bool { return v.float != nil && math.IsNaN(*v.float) }

func intValue(n int64) value { return ratValue(new(big.Rat).SetInt64(n)) }

func sum(t designer.Type, values []value) (cell, value) {
	if len(values) == 0 && t.Nullable() {
		return exactly(nullValue), nullValue
	}
	if t.Float() {
		var total float64
		for _, v := range values {
			x, _ := v.real()
			total += x
		}
		v := value{text: fmt.Sprint(total), float: &total}
		return roundly(v), v
	}
	total := new(big.Rat)
	for _, v := range values {
		if v.num != nil {
			total.Add(total, v.num)
		}
	}
	if t.Integer() {
		total = wrap(t.Sum(), total)
	}
	v := ratValue(total)
	return exactly(v), v
}

// wrap gives a sum as a type of limited width holds it: overflow is the source's
// own doing, and the rollup shares it.
func wrap(t designer.Type, n *big.Rat) *big.Rat {
	low, high := intRange(t)
	span := new(big.Int).Sub(high, low)
	span.Add(span, big.NewInt(1))
	v := new(big.Int).Sub(n.Num(), low)
	v.Mod(v, span)
	return new(big.Rat).SetInt(v.Add(v, low))
}

func avg(t designer.Type, values []value) (cell, value) {
	if len(values) == 0 {
		return exactly(nullValue), nullValue
	}
	kind := designer.Type("Decimal(76, 0)") // added up without an overflow
	if t.Float() {
		kind = "Float64"
	}
	_, total := sum(kind, values)
	x, _ := total.real()
	x /= float64(len(values))
	v := value{text: fmt.Sprint(x), float: &x}
	return roundly(v), v
}

func distinct(metric designer.Metric, values []value) (cell, value) {
	seen := map[string]bool{}
	for _, v := range values {
		seen[grainID([]value{v})] = true
	}
	n := intValue(int64(len(seen)))
	if metric.IsExact() {
		return exactly(n), n
	}
	want := float64(len(seen))
	return cell{"about " + n.text, func(got value) bool {
		x, ok := got.real()
		return ok && math.Abs(x-want) <= 0.05*want
	}}, n
}

// quantile is quantileExact's rule: the value at place floor(level × n). An
// approximate one may be off by a twentieth of the rank, and lie between values.
func quantile(metric designer.Metric, values []value) (cell, value) {
	if len(values) == 0 {
		return exactly(nullValue), nullValue
	}
	level := 0.5
	if metric.Level != nil {
		level = *metric.Level
	}
	sorted := slices.SortedFunc(slices.Values(values), compare)
	n := len(sorted)
	v := sorted[min(int(level*float64(n)), n-1)]
	if metric.IsExact() {
		return exactly(v), v
	}
	from := max(0, int(math.Floor((level-0.05)*float64(n))))
	to := min(n-1, int(math.Floor((level+0.05)*float64(n))))
	return cell{"about " + v.text, func(got value) bool {
		if got.null {
			return false
		}
		x, ok := got.real()
		low, high := sorted[from], sorted[to]
		if !slices.ContainsFunc(sorted, func(v value) bool { return same(v, got, true) }) {
			low, high = sorted[max(0, from-1)], sorted[min(n-1, to+1)] // it lies between two
		}
		a, _ := low.real()
		b, _ := high.real()
		slack := 1e-6 * max(math.Abs(a), math.Abs(b))
		return ok && (x >= a || x >= a-slack) && (x <= b || x <= b+slack) // infinities have no slack
	}}, v
}

// last is what stands in the row of the greatest order_by, NULL included; among
// equal ones, any.
func last(in []metricLens) (cell, value) {
	var best []metricLens
	for _, r := range in {
		if r.order.null {
			continue
		}
		c := 1
		if len(best) > 0 {
			c = compare(r.order, best[0].order)
		}
		switch {
		case c > 0:
			best = []metricLens{r}
		case c == 0:
			best = append(best, r)
		}
	}
	if len(best) == 0 {
		return exactly(nullValue), nullValue
	}
	var words []string
	for _, r := range best {
		words = append(words, r.expr.text)
	}
	slices.Sort(words)
	return cell{strings.Join(slices.Compact(words), " or "), func(got value) bool {
		return slices.ContainsFunc(best, func(r metricLens) bool { return same(r.expr, got, false) })
	}}, best[0].expr
}

// topK wants values by falling frequency, ties in any order.
func topK(k int, values []value) cell {
	count := map[string]int{}
	for _, v := range values {
		count[grainID([]value{v})]++
	}
	var by []int
	for _, n := range count {
		by = append(by, n)
	}
	slices.SortFunc(by, func(a, b int) int { return b - a })
	by = by[:min(k, len(by))]
	return cell{"the most frequent, with counts " + fmt.Sprint(by), func(got value) bool {
		if got.items == nil || len(got.items) != len(by) {
			return false
		}
		seen := map[string]bool{}
		for i, v := range got.items {
			id := grainID([]value{v})
			if seen[id] || count[id] != by[i] {
				return false
			}
			seen[id] = true
		}
		return true
	}}
}
