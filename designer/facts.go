package designer

import "fmt"

// TimePath is the path of the grain's time in a document.
const TimePath = "grain.time.column"

// Role says what an expression of the document is for, and so what its type
// may be.
type Role string

const (
	RoleFilter    Role = "filter"    // filter, where: a condition (UInt8, Bool, or Nullable of these)
	RoleTime      Role = "time"      // grain.time.column: the moment that a bucket is cut from
	RoleDimension Role = "dimension" // one scalar value an answer is split by
	RoleMetric    Role = "metric"    // one scalar value that is aggregated
	RoleOrder     Role = "order"     // metrics[].order_by: a comparable scalar
	RoleKey       Role = "key"       // source.order_by and source.key entries
	RolePartition Role = "partition" // source.partition_by (a tuple is allowed)
	RoleShard     Role = "shard"     // deployment.sharding_key (rand() is allowed and judged later)
)

// Expression is one SQL expression of a document and the path of its field.
type Expression struct {
	Path string
	Text string
	Role Role
}

// Expressions lists every SQL expression of the document, in document order.
// An entry of source.order_by, source.key or source.partition_by, or a
// grain.time.column, that is exactly a column's name is given quoted, as that
// column.
func (d *Design) Expressions() []Expression {
	var out []Expression
	add := func(role Role, text, format string, args ...any) {
		if text != "" {
			out = append(out, Expression{fmt.Sprintf(format, args...), text, role})
		}
	}
	for i, e := range d.Source.OrderBy {
		add(RoleKey, d.Source.keyText(e), "source.order_by[%d]", i)
	}
	for i, e := range d.Source.Key {
		add(RoleKey, d.Source.keyText(e), "source.key[%d]", i)
	}
	add(RolePartition, d.Source.keyText(d.Source.PartitionBy), "source.partition_by")
	add(RoleFilter, d.Filter, "filter")
	if t := d.Grain.Time; t != nil {
		add(RoleTime, d.Source.keyText(t.Column), TimePath)
	}
	for i, x := range d.Grain.Dimensions {
		add(RoleDimension, x.Expr, "grain.dimensions[%d].expr", i)
	}
	for i, m := range d.Metrics {
		add(RoleMetric, m.Expr, "metrics[%d].expr", i)
		add(RoleFilter, m.Where, "metrics[%d].where", i)
		add(RoleOrder, m.OrderBy, "metrics[%d].order_by", i)
	}
	add(RoleShard, d.Deployment.ShardingKey, "deployment.sharding_key")
	return out
}

// ExprFact is what the engine's own parser says of one expression.
type ExprFact struct {
	Type    string   // result type as the engine names it, e.g. "Nullable(Decimal(18, 2))"
	Columns []string // source columns it depends on, sorted, each once
	// ImplicitZone is set where the value depends on the time zone of whoever
	// asks: a zone-less DateTime turned into text or a calendar field.
	ImplicitZone bool
}

// Facts is what an engine learned of a document's expressions, by their path.
// An Analyse function (package sandbox, or a connected cluster) makes it: it
// refuses with a problem.Error (kind Invalid, the field's path, the value, the
// engine's own words and position) whatever is not exactly one scalar
// expression over the source's columns, has the wrong type for its role, or
// depends on anything but the row (now(), rand(), dictGet, currentUser, …).
// It also refuses column types that the engine does not know
// ("source.columns[3].type") and an unknown zone ("grain.time.timezone").
type Facts struct {
	Exprs map[string]ExprFact
	// Engine is the version of the server that parsed them, e.g. "26.7.2.1".
	Engine string
}
