// Package designer decides which rollup answers a question rightly over data
// that changes, and says why. Values in, values out: no clock, no I/O, no HTTP.
package designer

// Feed says how changes arrive at a source.
type Feed string

const (
	Append              Feed = "append"
	AtLeastOnce         Feed = "at_least_once"
	Upsert              Feed = "upsert"
	Ledger              Feed = "ledger"
	Collapsing          Feed = "collapsing"
	VersionedCollapsing Feed = "versioned_collapsing"
)

// Feeds lists every feed, in the order in which they are offered.
var Feeds = []Feed{Append, AtLeastOnce, Upsert, Ledger, Collapsing, VersionedCollapsing}

// Design is the document a person reviews: what is asked of which source, and
// how the source behaves. Parse gives it checked and with defaults filled in.
type Design struct {
	Format     int        `json:"format"`
	Name       string     `json:"name"`
	Source     Source     `json:"source"`
	Filter     string     `json:"filter,omitempty"`
	Grain      Grain      `json:"grain"`
	Metrics    []Metric   `json:"metrics"`
	Stability  Stability  `json:"stability"`
	Freshness  string     `json:"freshness"`
	Pattern    string     `json:"pattern"`
	Tiers      []Tier     `json:"tiers,omitempty"`
	Backfill   Backfill   `json:"backfill"`
	Target     Target     `json:"target"`
	Deployment Deployment `json:"deployment"`
}

// Source is the table the rollup is built from, as introspection reads it.
type Source struct {
	Database    string   `json:"database"`
	Table       string   `json:"table"`
	Engine      string   `json:"engine"`
	OrderBy     []string `json:"order_by"`
	PartitionBy string   `json:"partition_by,omitempty"`
	Columns     []Column `json:"columns"`
	Feed        Feed     `json:"feed"`
	// Key identifies one logical row; by default it is the sorting key.
	Key     []string `json:"key,omitempty"`
	Version string   `json:"version,omitempty"`
	Deleted string   `json:"deleted,omitempty"`
	Sign    string   `json:"sign,omitempty"`
	// Tombstones says what the other columns of a delete row hold:
	// old_values, defaults or unknown. Upsert only.
	Tombstones string `json:"tombstones,omitempty"`
}

// Column is a source column with its ClickHouse type.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Grain is what one answer row stands for.
type Grain struct {
	Time       *Time       `json:"time,omitempty"`
	Dimensions []Dimension `json:"dimensions,omitempty"`
}

// Time is the bucket of a grain: Bucket is an interval such as "5 minute".
type Time struct {
	Name     string `json:"name"`
	Column   string `json:"column"`
	Bucket   string `json:"bucket"`
	Timezone string `json:"timezone"`
}

// Dimension is a named expression that answers are split by.
type Dimension struct {
	Name string `json:"name"`
	Expr string `json:"expr"`
}

// Metric is one aggregate the rollup must answer.
type Metric struct {
	Name        string   `json:"name"`
	Kind        string   `json:"kind"`
	Expr        string   `json:"expr,omitempty"`
	Where       string   `json:"where,omitempty"`
	Exact       *bool    `json:"exact,omitempty"`
	Level       *float64 `json:"level,omitempty"`
	OrderBy     string   `json:"order_by,omitempty"`
	K           int      `json:"k,omitempty"`
	Numerator   string   `json:"numerator,omitempty"`
	Denominator string   `json:"denominator,omitempty"`
}

// Metric kinds.
const (
	Count         = "count"
	Sum           = "sum"
	Avg           = "avg"
	Min           = "min"
	Max           = "max"
	CountDistinct = "count_distinct"
	Quantile      = "quantile"
	Last          = "last"
	TopK          = "top_k"
	Ratio         = "ratio"
)

// Kinds lists every metric kind, in the order in which they are offered.
var Kinds = []string{Count, Sum, Avg, Min, Max, CountDistinct, Quantile, Last, TopK, Ratio}

// IsExact reports whether the metric must be exact; it is unless the document
// says "exact": false.
func (m Metric) IsExact() bool { return m.Exact == nil || *m.Exact }

// Stability values.
const (
	Stable  = "stable"
	Mutable = "mutable"
	Unknown = "unknown"
)

// Stability says which values never change across the versions of one entity.
// Settles is how long after its time an entity can still arrive, be repeated
// or change.
type Stability struct {
	Time       string            `json:"time,omitempty"`
	Filter     string            `json:"filter,omitempty"`
	Dimensions map[string]string `json:"dimensions,omitempty"`
	Settles    string            `json:"settles,omitempty"`
}

// Tier is one resolution of a chain, from fine to coarse.
type Tier struct {
	Bucket string `json:"bucket"`
	TTL    string `json:"ttl,omitempty"`
}

// Backfill modes.
const (
	BackfillNone      = "none"
	BackfillOverlap   = "overlap"
	BackfillWatermark = "watermark"
	BackfillPause     = "pause"
)

// Backfill says how history reaches the target.
type Backfill struct {
	Mode   string `json:"mode"`
	Column string `json:"column,omitempty"`
	Value  string `json:"value,omitempty"`
}

// Target names what is created: the read view is <database>.<prefix>.
type Target struct {
	Database string `json:"database"`
	Prefix   string `json:"prefix"`
}

// Deployment says where the statements run.
type Deployment struct {
	OnCluster   string `json:"on_cluster,omitempty"`
	Replicated  bool   `json:"replicated,omitempty"`
	ShardingKey string `json:"sharding_key,omitempty"`
}
