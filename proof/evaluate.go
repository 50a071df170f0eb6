package proof

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/rollsmith/rollsmith/designer"
)

// lens is what the rollup sees in one row: what its expressions give.
type lens struct {
	pass    bool // the filter
	bucket  value
	dims    []value
	metrics []metricLens
	steady  string // values that must be the same in all versions of an entity
}

type metricLens struct {
	expr, order value
	where       bool
}

// evaluator asks the engine for the values of the document's expressions, row by
// row over literals: no table, no merge and no aggregate has a part in it.
type evaluator struct {
	conn  driver.Conn
	model *model
	names []string // SQL of the columns that literals are given for
	use   []int
	rest  string // columns of types that are never written, by their default
	exprs []string
	types []designer.Type // of the last answer
}

func newEvaluator(conn driver.Conn, m *model) *evaluator {
	e := &evaluator{conn: conn, model: m}
	for i, c := range m.design.Source.Columns {
		if writable(m.types[i]) {
			e.names = append(e.names, ident(c.Name)+" "+c.Type)
			e.use = append(e.use, i)
		} else {
			e.rest += fmt.Sprintf(", defaultValueOfTypeName(%s) AS %s", quote(c.Type), ident(c.Name))
		}
	}
	d := m.design
	e.add("1", d.Filter, "if((%s), 1, 0)")
	e.add("1", bucketSQL(m), "%s")
	for _, x := range d.Grain.Dimensions {
		e.add("1", x.Expr, "(%s)")
	}
	for _, metric := range d.Metrics {
		e.add("1", metric.Expr, "(%s)")
		e.add("1", metric.Where, "if((%s), 1, 0)")
		e.add("1", metric.OrderBy, "(%s)")
	}
	for _, path := range m.steady {
		e.add("''", textOf(d, path), "toString((%s))")
	}
	return e
}

func (e *evaluator) add(missing, text, format string) {
	if strings.TrimSpace(text) == "" {
		e.exprs = append(e.exprs, missing)
		return
	}
	e.exprs = append(e.exprs, fmt.Sprintf(format, text))
}

func textOf(d *designer.Design, path string) string {
	for _, x := range d.Expressions() {
		if x.Path == path {
			return x.Text
		}
	}
	return ""
}

// bucketSQL gives the start of a row's bucket, as SPEC words it.
func bucketSQL(m *model) string {
	t := m.design.Grain.Time
	if t == nil {
		return ""
	}
	column, zone := ident(t.Column), quote(t.Timezone)
	switch {
	case m.types[m.time].DateOnly():
		return fmt.Sprintf("toDate(toStartOfInterval(%s, %s))", column, m.bucket.SQL())
	case m.bucket.SubDay():
		return fmt.Sprintf("toDateTime(toStartOfInterval(%s, %s, %s), %s)", column, m.bucket.SQL(), zone, zone)
	}
	return fmt.Sprintf("toDate(toStartOfInterval(%s, %s, %s))", column, m.bucket.SQL(), zone)
}

// quietly are the settings of our own questions.
func quietly(ctx context.Context) context.Context {
	return clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{
		"max_query_size": 64 << 20, "max_threads": 1, "session_timezone": "UTC", "max_ast_elements": 10_000_000, "max_expanded_ast_elements": 10_000_000,
	}))
}

// look gives what the expressions say of each row.
func (e *evaluator) look(ctx context.Context, rows [][]literal) ([]lens, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	t, err := e.ask(ctx, rows)
	if err != nil {
		return nil, err
	}
	e.types = t.types
	out := make([]lens, len(rows))
	for i, line := range t.rows {
		out[i] = e.lensOf(line)
	}
	return out, nil
}

// ask evaluates the expressions over literals.
func (e *evaluator) ask(ctx context.Context, rows [][]literal) (*table, error) {
	var data strings.Builder
	for i, r := range rows {
		if i > 0 {
			data.WriteByte(',')
		}
		e.tuple(&data, r)
	}
	sql := fmt.Sprintf("SELECT %s FROM (SELECT *%s FROM format(Values, %s, %s))",
		strings.Join(e.exprs, ", "), e.rest, quote(strings.Join(e.names, ", ")), quote(data.String()))
	answer, err := e.conn.Query(quietly(ctx), sql)
	if err != nil {
		return nil, fmt.Errorf("evaluate the design's expressions row by row: %w", err)
	}
	t, err := read(answer)
	if err != nil {
		return nil, fmt.Errorf("evaluate the design's expressions row by row: %w", err)
	}
	if len(t.rows) != len(rows) {
		return nil, fmt.Errorf("evaluate the design's expressions row by row: %d rows came back for %d", len(t.rows), len(rows))
	}
	return t, nil
}

// texts gives the values of some expressions for each row, as one text.
func (e *evaluator) texts(ctx context.Context, exprs []string, rows [][]literal) ([]string, error) {
	quoted := make([]string, len(exprs))
	for i, x := range exprs {
		quoted[i] = "toString((" + x + "))"
	}
	other := *e
	other.exprs = []string{"1", "NULL", "array(" + strings.Join(quoted, ", ") + ")"}
	t, err := other.ask(ctx, rows)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(t.rows))
	for i, line := range t.rows {
		out[i] = line[2].text
	}
	return out, nil
}

// tuple writes a row as VALUES takes it.
func (e *evaluator) tuple(b *strings.Builder, r []literal) {
	b.WriteByte('(')
	for i, c := range e.use {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(r[c])
	}
	b.WriteByte(')')
}

func (e *evaluator) lensOf(line []value) lens {
	d := e.model.design
	l := lens{pass: truthy(line[0]), bucket: line[1]}
	n := 2
	for range d.Grain.Dimensions {
		l.dims = append(l.dims, line[n])
		n++
	}
	for range d.Metrics {
		l.metrics = append(l.metrics, metricLens{expr: line[n], where: truthy(line[n+1]), order: line[n+2]})
		n += 3
	}
	for range e.model.steady {
		l.steady += line[n].text + "\x00"
		n++
	}
	return l
}

func truthy(v value) bool { return !v.null && v.num != nil && v.num.Sign() != 0 }

// metricType gives the type of a metric's expression in the last answer.
func (e *evaluator) metricType(i int) designer.Type {
	return e.types[2+len(e.model.design.Grain.Dimensions)+3*i]
}

// calendarBucket computes the bucket of one calendar unit without the engine,
// to check its word on zones; false where the unit is not so plain.
func (m *model) calendarBucket(l literal) (string, bool) {
	if m.bucket.N != 1 || m.bucket.SubDay() || l == null {
		return "", false
	}
	t := m.types[m.time]
	var at time.Time
	if t.DateOnly() {
		day, err := time.Parse("2006-01-02", strings.Trim(l, "'"))
		if err != nil {
			return "", false
		}
		at = day
	} else {
		var sec int64
		if _, err := fmt.Sscan(strings.SplitN(strings.Trim(l, "'"), ".", 2)[0], &sec); err != nil {
			return "", false
		}
		at = time.Unix(sec, 0).In(m.zone)
	}
	y, mon, day := at.Date()
	switch m.bucket.Unit {
	case "week":
		day -= (int(at.Weekday()) + 6) % 7
	case "month":
		day = 1
	case "quarter":
		mon, day = (mon-1)/3*3+1, 1
	case "year":
		mon, day = 1, 1
	}
	return time.Date(y, mon, day, 0, 0, 0, 0, time.UTC).Format("2006-01-02"), true
}
