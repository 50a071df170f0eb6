package pattern

import (
	"fmt"
	"slices"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// audit gives the rows in which rollup and truth differ. Both sides are stacked
// and grouped, not joined: grouping takes NULL dimensions as equal.
func audit(r *designer.Rollup) string {
	grain := ddl.Idents(r.GrainNames())
	side, one, two := r.Inner("side"), r.Inner("rollup"), r.Inner("truth")
	stack := func(n string, s ddl.Select) ddl.Select {
		sub := s
		out := ddl.Select{Sub: &sub}
		for _, name := range append(r.GrainNames(), r.MetricNames()...) {
			out.Items = append(out.Items, ddl.Col(name))
		}
		out.Items = append(out.Items, ddl.As(n, side))
		if kept := unexpired(r); kept != "" {
			out.Where = append(out.Where, kept)
		}
		return out
	}
	rollup := ddl.Select{From: ddl.Table(r.Target.Database, r.Target.Prefix)}
	for _, name := range append(r.GrainNames(), r.MetricNames()...) {
		rollup.Items = append(rollup.Items, ddl.Col(name))
	}
	bands, compute := quantileBands(r)
	truth := r.Truth(compute)
	truth.OrderBy = nil
	left, right := stack("1", rollup), stack("2", truth)
	metrics := ddl.Idents(r.MetricNames())
	for _, m := range r.Measures {
		if band, ok := bands[m.Name]; ok {
			left.Items = append(left.Items, ddl.As(ddl.Ident(m.Name), band[0]), ddl.As(ddl.Ident(m.Name), band[1]))
			right.Items = append(right.Items, ddl.Col(band[0]), ddl.Col(band[1]))
			metrics = append(metrics, ddl.Ident(band[0]), ddl.Ident(band[1]))
		}
	}
	row := ddl.Call("tuple", metrics...)
	inner := ddl.Select{
		Items: []ddl.Item{
			ddl.As(fmt.Sprintf("countIf(%s = 1)", ddl.Ident(side)), r.Inner("in_rollup")),
			ddl.As(fmt.Sprintf("countIf(%s = 2)", ddl.Ident(side)), r.Inner("in_truth")),
			ddl.As(fmt.Sprintf("anyIf(%s, %s = 1)", row, ddl.Ident(side)), one),
			ddl.As(fmt.Sprintf("anyIf(%s, %s = 2)", row, ddl.Ident(side)), two),
		},
		Union:   []ddl.Select{left, right},
		GroupBy: grain,
	}
	if len(grain) == 0 {
		inner.Having = []string{"count() > 0"} // no row on either side is no difference
	}
	out := ddl.Select{Sub: &inner, Settings: r.TopSettings(r.PartitionsHoldEntities())}
	for _, name := range r.GrainNames() {
		inner.Items = append(inner.Items, ddl.Col(name))
		out.Items = append(out.Items, ddl.Col(name))
	}
	differ := fmt.Sprintf("%s != 1 OR %s != 1", ddl.Ident(r.Inner("in_rollup")), ddl.Ident(r.Inner("in_truth")))
	at := func(tuple string, i int) string { return fmt.Sprintf("tupleElement(%s, %d)", ddl.Ident(tuple), i) }
	extra := len(r.Measures)
	for i, m := range r.Measures {
		a, b := at(one, i+1), at(two, i+1)
		lo, hi := b, b
		if _, ok := bands[m.Name]; ok {
			lo, hi = at(two, extra+1), at(two, extra+2)
			extra += 2
		}
		if quotient, ok := ofApproximate(r, m, func(i int) string { return at(one, i+1) }); ok {
			differ += "\n     OR " + differs(r, m, a, quotient, quotient, quotient)
		} else {
			differ += "\n     OR " + differs(r, m, a, b, lo, hi)
		}
		out.Items = append(out.Items, ddl.As(a, unlike(r.GrainNames(), m.Name+"_rollup")), ddl.As(b, unlike(r.GrainNames(), m.Name+"_truth")))
	}
	out.Where = []string{"(" + differ + ")"}
	out.OrderBy = grain
	return out.Statement()
}

// unexpired leaves out the buckets that the coarsest tier's TTL has taken or may
// take any moment: that they are gone is no difference.
func unexpired(r *designer.Rollup) string {
	if len(r.Tiers) == 0 || r.Grain.Time == nil {
		return ""
	}
	ttl, err := designer.ParseInterval(r.Tiers[len(r.Tiers)-1].TTL)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s > now() - %s + INTERVAL 1 DAY", ddl.Ident(r.Grain.Time.Name), ttl.SQL())
}

// unlike gives a name that is none of those taken.
func unlike(taken []string, name string) string {
	for slices.Contains(taken, name) {
		name += "_"
	}
	return name
}

// ofApproximate gives what a ratio of approximate metrics is held against: the
// quotient of the rollup's own two, which are each held against the truth.
func ofApproximate(r *designer.Rollup, m designer.Measure, at func(int) string) (string, bool) {
	if m.Kind != designer.Ratio || r.Measure(m.Numerator).IsExact() && r.Measure(m.Denominator).IsExact() {
		return "", false
	}
	part := func(name string) string {
		return at(slices.IndexFunc(r.Measures, func(x designer.Measure) bool { return x.Name == name }))
	}
	return "(" + designer.Divide(part(m.Numerator), part(m.Denominator)) + ")", true
}

// quantileBands gives, for each approximate quantile, the names of the values
// 5 % of rank below and above it, and how the truth computes them.
func quantileBands(r *designer.Rollup) (map[string][2]string, func(*designer.Rows) []ddl.Item) {
	names := map[string][2]string{}
	for _, m := range r.Measures {
		if m.Kind == designer.Quantile && !m.IsExact() {
			names[m.Name] = [2]string{r.Inner(m.Name + "_low"), r.Inner(m.Name + "_high")}
		}
	}
	return names, func(q *designer.Rows) []ddl.Item {
		var out []ddl.Item
		for _, m := range r.Measures {
			for i, shift := range []float64{-0.05, 0.05} {
				if band, ok := names[m.Name]; ok {
					level := min(max(*m.Level+shift, 0), 1)
					near := m
					near.Level = &level
					out = append(out, ddl.As(q.Aggregate(near, true), band[i]))
				}
			}
		}
		return out
	}
}

// differs gives the condition that a (rollup) and b (truth) are not the same
// answer: floats within 1e-9, approximate distincts within 5 %, approximate
// quantiles within the band of ranks (SPEC §1).
func differs(r *designer.Rollup, m designer.Measure, a, b, lo, hi string) string {
	nulls := fmt.Sprintf("isNull(%s) != isNull(%s)", a, b)
	t := r.ResultType(m)
	switch {
	case m.Kind == designer.CountDistinct && !m.IsExact():
		return fmt.Sprintf("abs(toFloat64(%s) - toFloat64(%s)) > 0.05 * toFloat64(%s)", a, b, b)
	case m.Kind == designer.Quantile && !m.IsExact():
		return fmt.Sprintf("%s OR ifNull(%s < %s OR %s > %s, 0)", nulls, a, lo, a, hi)
	case m.Kind == designer.TopK:
		return fmt.Sprintf("%s != %s", a, b)
	case t.Float():
		return fmt.Sprintf("%s OR ifNull(isNaN(%s) != isNaN(%s) OR abs(%s - %s) > 1e-9 * greatest(abs(%s), abs(%s)), 0)", nulls, a, b, a, b, a, b)
	}
	return fmt.Sprintf("%s OR ifNull(%s != %s, 0)", nulls, a, b)
}
