package proof

import (
	"github.com/rollsmith/rollsmith/designer"
)

// cellMetric is one column of the evidence.
type cellMetric struct {
	name    string
	metrics []designer.Metric
}

func approximate() *bool       { no := false; return &no }
func level(l float64) *float64 { return &l }

// cellMetrics are the kinds of metrics, each over columns that updates change.
var cellMetrics = []cellMetric{
	{"count", []designer.Metric{{Name: "rows", Kind: designer.Count}}},
	{"sum", []designer.Metric{{Name: "revenue", Kind: designer.Sum, Expr: "amount"}}},
	{"sum of floats", []designer.Metric{{Name: "load", Kind: designer.Sum, Expr: "weight"}}},
	{"avg", []designer.Metric{{Name: "mean", Kind: designer.Avg, Expr: "quantity", Where: "amount > 1"}}},
	{"min", []designer.Metric{{Name: "least", Kind: designer.Min, Expr: "quantity"}}},
	{"max", []designer.Metric{{Name: "most", Kind: designer.Max, Expr: "amount"}}},
	{"count_distinct", []designer.Metric{{Name: "users", Kind: designer.CountDistinct, Expr: "user_id"}}},
	{"count_distinct, approximate", []designer.Metric{{Name: "users_about", Kind: designer.CountDistinct, Expr: "user_id", Exact: approximate()}}},
	{"quantile", []designer.Metric{{Name: "upper", Kind: designer.Quantile, Expr: "amount", Level: level(0.75)}}},
	{"quantile, approximate", []designer.Metric{{Name: "median_about", Kind: designer.Quantile, Expr: "amount", Level: level(0.5), Exact: approximate()}}},
	{"last", []designer.Metric{{Name: "latest", Kind: designer.Last, Expr: "quantity", OrderBy: "user_id"}}},
	{"top_k", []designer.Metric{{Name: "often", Kind: designer.TopK, Expr: "user_id", K: 2}}},
	{"ratio", []designer.Metric{{Name: "share", Kind: designer.Ratio, Numerator: "pieces", Denominator: "paid"},
		{Name: "pieces", Kind: designer.Sum, Expr: "quantity"}, {Name: "paid", Kind: designer.Count, Where: "status = 'paid'"}}},
}

// cellDesign is the design behind cells: a daily rollup of orders.
func cellDesign(feed designer.Feed, stable bool, metrics []cellMetric) *designer.Design {
	stability := designer.Mutable
	if stable {
		stability = designer.Stable
	}
	d := &designer.Design{
		Format: 1, Name: string(feed),
		Source: designer.Source{Database: "shop", Table: "orders", Engine: "MergeTree", OrderBy: []string{"id"},
			PartitionBy: "toYYYYMM(created_at)", Feed: feed, Key: []string{"id"},
			Columns: []designer.Column{
				{Name: "id", Type: "UInt64"}, {Name: "created_at", Type: "DateTime"}, {Name: "country", Type: "LowCardinality(String)"},
				{Name: "status", Type: "Enum8('new' = 1, 'paid' = 2, 'test' = 3)"}, {Name: "amount", Type: "Decimal(18, 2)"},
				{Name: "quantity", Type: "Nullable(Int32)"}, {Name: "weight", Type: "Float64"}, {Name: "user_id", Type: "UInt32"},
			}},
		Filter: "status != 'test'",
		Grain:  designer.Grain{Time: &designer.Time{Name: "day", Column: "created_at", Bucket: "1 day", Timezone: "Europe/Berlin"}, Dimensions: []designer.Dimension{{Name: "country", Expr: "country"}}},
		Stability: designer.Stability{Time: stability, Filter: stability,
			Dimensions: map[string]string{"country": stability}, Settles: "3 day"},
		Freshness: "10 minute",
		Target:    designer.Target{Database: "rollups", Prefix: "orders_daily"},
	}
	for _, m := range metrics {
		d.Metrics = append(d.Metrics, m.metrics...)
	}
	s := &d.Source
	add := func(name, kind string) { s.Columns = append(s.Columns, designer.Column{Name: name, Type: kind}) }
	switch feed {
	case designer.Upsert:
		s.Engine, s.Version, s.Deleted = "ReplacingMergeTree(version, deleted)", "version", "deleted"
		add("version", "UInt64")
		add("deleted", "UInt8")
	case designer.Ledger:
		s.Engine, s.Version, s.Deleted = "ReplacingMergeTree(version)", "version", "deleted"
		add("version", "UInt64")
		add("deleted", "UInt8")
	case designer.Collapsing:
		s.Engine, s.Sign = "CollapsingMergeTree(sign)", "sign"
		add("sign", "Int8")
	case designer.VersionedCollapsing:
		s.Engine, s.Sign, s.Version = "VersionedCollapsingMergeTree(sign, version)", "sign", "version"
		add("sign", "Int8")
		add("version", "UInt64")
	case designer.AtLeastOnce:
		s.Engine = "ReplacingMergeTree"
	}
	d.Normalise()
	return d
}
