package designer

import (
	"fmt"
	"strings"

	"github.com/rollsmith/rollsmith/problem"
)

func (d *Design) checkMetrics() error {
	if len(d.Metrics) == 0 {
		return problem.Field("missing-metrics", "metrics", "", "the design asks for no metric", `at least one, such as {"name": "rows", "kind": "count"}`)
	}
	if len(d.Metrics) > MaxMetrics {
		return problem.Field("too-many-metrics", "metrics", fmt.Sprint(len(d.Metrics)), "too many metrics", fmt.Sprintf("at most %d", MaxMetrics))
	}
	for i, m := range d.Metrics {
		at := fmt.Sprintf("metrics[%d].", i)
		if err := checkName(at+"name", m.Name); err != nil {
			return err
		}
		if err := oneOf("unknown-kind", at+"kind", m.Kind, Kinds); err != nil {
			return err
		}
		if err := d.checkMetric(at, m); err != nil {
			return err
		}
	}
	return d.checkRatios()
}

// checkMetric refuses missing parts of a metric and parts that its kind has not.
func (d *Design) checkMetric(at string, m Metric) error {
	type part struct {
		name  string
		set   bool
		value string
		kinds string // kinds that have it
		must  string // kinds that need it
	}
	level := ""
	if m.Level != nil {
		level = fmt.Sprint(*m.Level)
	}
	parts := []part{
		{"expr", m.Expr != "", m.Expr, "count sum avg min max count_distinct quantile last top_k", "sum avg min max count_distinct quantile last top_k"},
		{"where", m.Where != "", m.Where, "count sum avg min max count_distinct quantile last top_k", ""},
		{"exact", m.Exact != nil, "", "count_distinct quantile", ""},
		{"level", m.Level != nil, level, "quantile", "quantile"},
		{"order_by", m.OrderBy != "", m.OrderBy, "last", "last"},
		{"k", m.K != 0, fmt.Sprint(m.K), "top_k", "top_k"},
		{"numerator", m.Numerator != "", m.Numerator, "ratio", "ratio"},
		{"denominator", m.Denominator != "", m.Denominator, "ratio", "ratio"},
	}
	for _, p := range parts {
		has := strings.Contains(" "+p.kinds+" ", " "+m.Kind+" ")
		must := strings.Contains(" "+p.must+" ", " "+m.Kind+" ")
		// "exact": true says nothing that is not so already.
		if p.set && !has && !(p.name == "exact" && m.IsExact()) {
			return problem.Field("part-not-of-kind", at+p.name, p.value, fmt.Sprintf("a %s has no %s", m.Kind, p.name), "leave it out")
		}
		if must && !p.set {
			return problem.Field("missing-"+strings.ReplaceAll(p.name, "_", "-"), at+p.name, "", fmt.Sprintf("a %s needs %s", m.Kind, p.name), "add it")
		}
	}
	if m.Level != nil && !(*m.Level > 0 && *m.Level < 1) {
		return problem.Field("level-out-of-range", at+"level", level, "a quantile's level lies between 0 and 1", "such as 0.95; for 0 and 1 ask for min and max")
	}
	if m.Kind == TopK && (m.K < 1 || m.K > 10000) {
		return problem.Field("k-out-of-range", at+"k", fmt.Sprint(m.K), "not a number of values", "1 to 10000")
	}
	return nil
}

func (d *Design) checkRatios() error {
	kinds := map[string]string{}
	for _, m := range d.Metrics {
		kinds[m.Name] = m.Kind
	}
	for i, m := range d.Metrics {
		if m.Kind != Ratio {
			continue
		}
		for _, part := range [][2]string{{"numerator", m.Numerator}, {"denominator", m.Denominator}} {
			at, name := fmt.Sprintf("metrics[%d].%s", i, part[0]), part[1]
			kind, ok := kinds[name]
			switch {
			case !ok:
				return problem.Field("unknown-metric", at, name, "the design has no such metric", "name one of its metrics")
			case kind == Ratio:
				return problem.Field("ratio-of-ratio", at, name, "a ratio divides two metrics that are no ratios", "name a metric that is counted or summed")
			case kind == TopK:
				return problem.Field("ratio-of-list", at, name, "a top_k is a list and cannot be divided", "name a metric that is a number")
			}
		}
	}
	return nil
}
