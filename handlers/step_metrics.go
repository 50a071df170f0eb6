package handlers

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/a-h/templ"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/web"
)

// kindWords says what each metric kind is.
var kindWords = map[string]string{
	designer.Count: "count of rows", designer.Sum: "sum", designer.Avg: "average", designer.Min: "minimum", designer.Max: "maximum",
	designer.CountDistinct: "count of distinct values", designer.Quantile: "quantile", designer.Last: "last value", designer.TopK: "most frequent values", designer.Ratio: "ratio of two metrics",
}

var metricsQuestion = question{
	slug: "metrics",
	view: func(_ *Handlers, _ context.Context, d *draft, w web.Wizard) (templ.Component, error) {
		v := web.MetricsStep{Wizard: w}
		for _, kind := range designer.Kinds {
			v.Kinds = append(v.Kinds, web.Choice{Value: kind, Label: kindWords[kind]})
		}
		for _, m := range d.doc.Metrics {
			v.Metrics = append(v.Metrics, metricRow(m))
		}
		if len(v.Metrics) == 0 {
			v.Metrics = []web.MetricRow{{Kind: designer.Count}}
		}
		return web.MetricsPage(v), nil
	},
	take: takeMetrics,
}

func metricRow(m designer.Metric) web.MetricRow {
	row := web.MetricRow{Name: m.Name, Kind: m.Kind, Expr: m.Expr, Where: m.Where, OrderBy: m.OrderBy, Numerator: m.Numerator, Denominator: m.Denominator, Approximate: !m.IsExact()}
	if m.Level != nil {
		row.Level = strconv.FormatFloat(*m.Level, 'g', -1, 64)
	}
	if m.K != 0 {
		row.K = strconv.Itoa(m.K)
	}
	return row
}

func takeMetrics(f form, d *draft) (bool, web.Errors) {
	button, row := f.button()
	var errs web.Errors
	d.doc.Metrics = nil
	for i := range f.number("metrics", designer.MaxMetrics) {
		m, err := takeMetric(f, i)
		errs = append(errs, err...)
		d.doc.Metrics = append(d.doc.Metrics, m)
	}
	if button != "continue" {
		d.doc.Metrics = edit(d.doc.Metrics, button, row)
		if button == "add" {
			d.doc.Metrics[len(d.doc.Metrics)-1].Kind = designer.Sum
		}
		return true, nil
	}
	return false, errs
}

// takeMetric reads one row and keeps what its kind has.
func takeMetric(f form, i int) (designer.Metric, web.Errors) {
	get := func(field string) string { return f.text(fmt.Sprintf("metrics-%d-%s", i, field)) }
	m := designer.Metric{Kind: get("kind"), Name: get("name")}
	var errs web.Errors
	if m.Kind != designer.Ratio {
		m.Expr, m.Where = get("expr"), get("where")
	}
	switch m.Kind {
	case designer.CountDistinct:
		m.Exact = exactly(get("approximate"))
	case designer.Quantile:
		m.Exact = exactly(get("approximate"))
		level, err := strconv.ParseFloat(get("level"), 64)
		if err != nil {
			errs = append(errs, web.FieldError{ID: fmt.Sprintf("metrics-%d-level", i), Text: "Give the level as a number between 0 and 1, such as 0.95."})
		} else {
			m.Level = &level
		}
	case designer.Last:
		m.OrderBy = get("order_by")
	case designer.TopK:
		k, err := strconv.Atoi(get("k"))
		if err != nil {
			errs = append(errs, web.FieldError{ID: fmt.Sprintf("metrics-%d-k", i), Text: "Say how many values to keep, such as 10."})
		}
		m.K = k
	case designer.Ratio:
		m.Numerator, m.Denominator = get("numerator"), get("denominator")
	}
	if m.Name == "" {
		m.Name = suggestedName(m)
	}
	return m, errs
}

func exactly(approximate string) *bool {
	if approximate == "" {
		return nil
	}
	no := false
	return &no
}

// suggestedName makes a column name of a metric: sum_amount, p95_latency.
func suggestedName(m designer.Metric) string {
	kind := map[string]string{designer.Count: "rows", designer.CountDistinct: "distinct", designer.TopK: "top", designer.Quantile: "p"}[m.Kind]
	if kind == "" {
		kind = m.Kind
	}
	if m.Level != nil {
		kind += strings.ReplaceAll(strconv.FormatFloat(*m.Level*100, 'f', -1, 64), ".", "_")
	}
	if m.Kind == designer.Ratio {
		return slug(m.Numerator + "_per_" + m.Denominator)
	}
	return strings.Trim(kind+"_"+slug(m.Expr), "_")
}

// slug keeps the letters and digits of a text.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !(unicode.IsLetter(r) || unicode.IsDigit(r)) || r > unicode.MaxASCII })
	name := strings.Join(words, "_")
	return name[:min(len(name), 40)]
}
