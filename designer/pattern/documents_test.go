package pattern_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/rollsmith/rollsmith/designer"
)

// universe is every column a random source may have. A column has one type
// wherever it occurs, so that what the engine says of an expression is true of
// every document that holds it.
var universe = []designer.Column{
	{Name: "id", Type: "UInt64"}, {Name: "tenant", Type: "UInt32"}, {Name: "device id", Type: "String"}, {Name: "uuid", Type: "UUID"},
	{Name: "at", Type: "DateTime"}, {Name: "at_ms", Type: "DateTime64(3, 'UTC')"}, {Name: "day", Type: "Date"}, {Name: "day32", Type: "Date32"},
	{Name: "maybe_at", Type: "Nullable(DateTime('Europe/Berlin'))"}, {Name: "at_us", Type: "DateTime64(6)"},
	{Name: "country", Type: "LowCardinality(String)"}, {Name: "region", Type: "LowCardinality(Nullable(String))"},
	{Name: "status", Type: `Enum8('new' = 1, 'paid' = 2, 'test' = 3, 'it\'s' = 4)`}, {Name: "plan", Type: "Nullable(Enum16('free' = 1, 'gold' = -300))"},
	{Name: "amount", Type: "Decimal(18, 2)"}, {Name: "tax", Type: "Nullable(Decimal(9, 4))"}, {Name: "huge", Type: "Decimal(76, 10)"}, {Name: "wide", Type: "Decimal(38, 6)"},
	{Name: "n8", Type: "Int8"}, {Name: "u8", Type: "UInt8"}, {Name: "n32", Type: "Nullable(Int32)"}, {Name: "u16", Type: "UInt16"}, {Name: "i64", Type: "Int64"},
	{Name: "u64", Type: "UInt64"}, {Name: "i128", Type: "Int128"}, {Name: "u256", Type: "UInt256"},
	{Name: "f32", Type: "Float32"}, {Name: "f64", Type: "Nullable(Float64)"}, {Name: "flag", Type: "Bool"}, {Name: "maybe flag", Type: "Nullable(Bool)"},
	{Name: "code", Type: "FixedString(4)"}, {Name: "ip4", Type: "IPv4"}, {Name: "ip6", Type: "Nullable(IPv6)"}, {Name: "name", Type: "Nullable(String)"},
	{Name: "select", Type: "Int32"}, {Name: "we`ird", Type: "UInt16"}, {Name: `back\slash`, Type: "String"}, {Name: "ümlaut", Type: "Int64"},
	{Name: `quo"te'd`, Type: "Nullable(String)"}, {Name: "r_time", Type: "UInt8"}, {Name: "rows", Type: "UInt32"}, {Name: "tags", Type: "Array(String)"},
	{Name: "_version", Type: "UInt64"}, {Name: "v32", Type: "UInt32"}, {Name: "changed at", Type: "DateTime64(6, 'UTC')"}, {Name: "vtext", Type: "String"},
	{Name: "_deleted", Type: "UInt8"}, {Name: "sign", Type: "Int8"}, {Name: "seq", Type: "UInt64"}, {Name: "inserted", Type: "DateTime64(3, 'UTC')"},
}

// term is an expression with the columns that it needs.
type term struct {
	text    string
	columns []string
}

func t(text string, columns ...string) term { return term{text, columns} }

// Conditions for filters and where.
var conditions = []term{
	t("status != 'test'", "status"), t("amount > 1", "amount"), t("country IN ('a', 'b')", "country"), t("n32 > 0", "n32"), t("flag", "flag"),
	t("`maybe flag`", "maybe flag"), t("region = 'a'", "region"), t("u8 % 2 = 0", "u8"), t("isNotNull(name)", "name"), t("`select` >= 0", "select"),
	t("`we``ird` < 100", "we`ird"), t("`back\\\\slash` != ''", `back\slash`), t("plan = 'gold' OR u16 > 2", "plan", "u16"), t("tax >= 0.5", "tax"),
	t("`device id` LIKE '%a%'", "device id"), t("if(flag, 1, NULL)", "flag"), t("has(tags, 'a')", "tags"), t("name NOT IN ('a', 'b')", "name"),
	t("\"quo\"\"te'd\" = 'it''s'", `quo"te'd`), t("toYear(at_ms, 'UTC') > 2000", "at_ms"), t("`ümlaut` > -3", "ümlaut"),
}

// Dimensions: what an answer is split by.
var dimensions = []term{
	t("country", "country"), t("region", "region"), t("status", "status"), t("plan", "plan"), t("upper(country)", "country"), t("flag", "flag"),
	t("`maybe flag`", "maybe flag"), t("`device id`", "device id"), t("substring(`device id`, 1, 1)", "device id"), t("u8", "u8"), t("u16 % 3", "u16"),
	t("n32", "n32"), t("code", "code"), t("ip4", "ip4"), t("ip6", "ip6"), t("uuid", "uuid"), t("`select`", "select"), t("`we``ird` % 3", "we`ird"),
	t("`back\\\\slash`", `back\slash`), t("`ümlaut`", "ümlaut"), t("r_time", "r_time"), t("name", "name"), t("ifNull(name, '')", "name"), t("day", "day"),
	t("day32", "day32"), t("toStartOfHour(at_ms, 'UTC')", "at_ms"), t("amount > 1", "amount"), t("tax", "tax"), t("if(flag, country, NULL)", "flag", "country"),
	t("concat(country, '!')", "country"), t("(tenant)", "tenant"), t("tenant", "tenant"), t("\"quo\"\"te'd\"", `quo"te'd`), t("length(tags)", "tags"),
	t("multiIf(amount < 0, 'loss', amount = 0, 'none', 'gain')", "amount"), t("toLowCardinality(ifNull(region, 'none'))", "region"), t("id % 2", "id"),
	t("at_ms", "at_ms"), t("maybe_at", "maybe_at"), t("lower(hex(code))", "code"), t("rows", "rows"),
}

// Numbers can be added up.
var numbers = []term{
	t("amount", "amount"), t("tax", "tax"), t("huge", "huge"), t("wide", "wide"), t("n8", "n8"), t("u8", "u8"), t("n32", "n32"), t("u16", "u16"), t("i64", "i64"), t("u64", "u64"),
	t("i128", "i128"), t("u256", "u256"), t("f32", "f32"), t("f64", "f64"), t("flag", "flag"), t("`maybe flag`", "maybe flag"), t("amount * 2", "amount"),
	t("n32 + u8", "n32", "u8"), t("`ümlaut`", "ümlaut"), t("toDecimal64(u16, 2)", "u16"), t("`select`", "select"), t("length(`device id`)", "device id"), t("rows", "rows"),
	t("if(status = 'paid', amount, 0)", "status", "amount"), t("if(flag, amount, NULL)", "flag", "amount"), t("r_time", "r_time"), t("negate(`we``ird`)", "we`ird"), t("u64 * 2", "u64"),
}

// Times and orders.
var moments = []term{
	t("at", "at"), t("at_ms", "at_ms"), t("at_us", "at_us"), t("day", "day"), t("day32", "day32"), t("maybe_at", "maybe_at"), t("seq", "seq"), t("id", "id"), t("inserted", "inserted"),
	t("n32", "n32"), t("toUnixTimestamp(at)", "at"), t("uuid", "uuid"), t("amount", "amount"), t("name", "name"),
}

// Values: anything one value can be.
var values = slices.Concat(numbers, dimensions[:len(dimensions)-4], moments)

var timeColumns = []string{"at", "at", "at_ms", "at_ms", "day", "day32", "maybe_at", "at_us"}

var buckets = []string{
	"1 second", "15 second", "1 minute", "5 minute", "15 minute", "30 minute", "45 minute", "1 hour", "2 hour", "6 hour", "5 hour", "12 hour",
	"1 day", "1 day", "1 day", "2 day", "7 day", "1 week", "1 week", "2 week", "1 month", "1 month", "2 month", "1 quarter", "1 year", "2 year",
}

var zones = []string{"", "UTC", "UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "America/New_York", "Pacific/Apia", "America/St_Johns"}

// awkward names are what people call columns of an answer.
var awkward = []string{
	"country", "amount", "id", "at", "rows", "cancelled", "from", "select", "a b", "we`ird", `back\slash`, "it's", `quo"te`, "ümlaut", "день", "r_time", "_version", "sign", "n",
	"metric", "total", "p95", "buyers", "bucket", "rows_", "n_sum", "total_count", "r_dim1", "1st", "группа", "a.b", "tuple", "NULL", "sealed_to", "x_state", "🙂",
}

// maker draws one random document.
type maker struct {
	*rand.Rand
	d     *designer.Design
	used  []string
	taken map[string]bool
}

// document gives the design document of a seed, the same each time. Most are
// honest; some name a pattern, a mode or a tier that must be refused.
func document(seed uint64) *designer.Design {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 0xd0c)), d: &designer.Design{Format: 1}, taken: map[string]bool{}}
	m.source()
	m.grain()
	m.metrics()
	if m.one(3) {
		m.d.Filter = m.use(pick(m, conditions))
	}
	m.stability()
	m.delivery()
	m.columns()
	return m.d
}

func pick[T any](m *maker, from []T) T { return from[m.IntN(len(from))] }

// one is true once in n.
func (m *maker) one(n int) bool { return m.IntN(n) == 0 }

func (m *maker) use(x term) string {
	m.used = append(m.used, x.columns...)
	return x.text
}

// source picks feed, engine, keys, version and flags.
func (m *maker) source() {
	s := &m.d.Source
	s.Database, s.Table = "src", pick(m, []string{"orders", "events", "we`ird ta'ble", "select", "таблица", "a.b"})
	s.Feed = pick(m, designer.Feeds)
	key := pick(m, [][]string{{"id"}, {"id"}, {"id"}, {"tenant", "id"}, {"device id", "id"}, {"uuid"}, {"id", "at_ms"}, {"intDiv(id, 2)", "id"}, {"country", "id"}, {"we`ird", "device id"}})
	s.OrderBy = slices.Clone(key)
	for _, k := range key {
		m.use(keyTerm(k))
	}
	version := pick(m, []string{"_version", "_version", "v32", "changed at"})
	plain := m.one(4)
	switch s.Feed {
	case designer.Append:
		s.Engine = pick(m, []string{"MergeTree", "MergeTree()", "ReplicatedMergeTree('/t/{shard}', '{replica}')"})
		s.OrderBy = pick(m, [][]string{key, {"tenant"}, {}, {"toDate(at_ms, 'UTC')", "tenant"}})
		m.useKeys()
		if m.one(3) {
			s.Key = key
		}
	case designer.AtLeastOnce:
		s.Engine, s.Key = "ReplacingMergeTree", nil
		if plain {
			s.Engine, s.Key = "MergeTree", key
			s.OrderBy = pick(m, [][]string{{"tenant"}, key})
			m.useKeys()
		}
	case designer.Upsert, designer.Ledger:
		m.versioned(key, version, plain)
	case designer.Collapsing:
		s.Engine, s.Sign = "CollapsingMergeTree(sign)", "sign"
		if plain {
			s.Engine, s.Key = "MergeTree", key
		}
	case designer.VersionedCollapsing:
		s.Engine, s.Sign, s.Version = fmt.Sprintf("VersionedCollapsingMergeTree(sign, %s)", pick(m, []string{"_version", "v32"})), "sign", ""
		if plain {
			s.Engine, s.Key, s.Version = "MergeTree", key, "_version"
		}
		m.used = append(m.used, "_version", "v32")
	}
	if s.Sign != "" {
		m.used = append(m.used, "sign")
	}
	if m.one(3) {
		part := pick(m, []string{"toYYYYMM(at_ms)", "tenant % 2", "country", "toYYYYMM(day)", "id % 3", "(tenant % 2, flag)"})
		s.PartitionBy = part
		m.useKey(part)
	}
}

// versioned fills in a source whose entities have versions told by a column.
func (m *maker) versioned(key []string, version string, plain bool) {
	s := &m.d.Source
	m.used = append(m.used, version)
	engine := "ReplacingMergeTree(`" + version + "`)"
	if s.Feed == designer.Ledger || m.one(3) || plain {
		s.Version = version
	}
	if s.Feed == designer.Ledger || !m.one(3) {
		s.Deleted = "_deleted"
		m.used = append(m.used, "_deleted")
		if s.Feed == designer.Upsert && m.one(2) {
			engine = "ReplacingMergeTree(`" + version + "`, _deleted)"
			if m.one(2) {
				s.Deleted = ""
			}
		}
	}
	if m.one(5) {
		engine = "Replicated" + engine[:len("ReplacingMergeTree(")] + "'/t/{shard}', '{replica}', " + engine[len("ReplacingMergeTree("):]
	}
	s.Engine = engine
	switch {
	case plain:
		s.Engine, s.Key = "MergeTree", key
		if m.one(2) {
			s.OrderBy = []string{"tenant"}
			m.useKeys()
		}
	case m.one(5): // a finer sorting key
		s.Key, s.OrderBy = key, append(slices.Clone(key), "status")
		m.useKeys()
	}
	if s.Feed == designer.Upsert {
		s.Tombstones = pick(m, []string{"", "unknown", "defaults", "old_values", "old_values"})
	}
}

// keyTerm tells the columns of the key expressions above.
func keyTerm(k string) term {
	switch k {
	case "intDiv(id, 2)", "id % 3":
		return t(k, "id")
	case "toDate(at_ms, 'UTC')", "toYYYYMM(at_ms)":
		return t(k, "at_ms")
	case "toYYYYMM(day)":
		return t(k, "day")
	case "tenant % 2":
		return t(k, "tenant")
	case "(tenant % 2, flag)":
		return t(k, "tenant", "flag")
	}
	return t(k, k)
}

func (m *maker) useKey(k string) { m.use(keyTerm(k)) }

func (m *maker) useKeys() {
	for _, k := range m.d.Source.OrderBy {
		m.useKey(k)
	}
}

// free gives a name that no other column of the answer has: sometimes one that
// a source column has too.
func (m *maker) free(plain string) string {
	name := plain
	if m.one(2) {
		name = pick(m, awkward)
	}
	for m.taken[name] {
		name += "2"
	}
	m.taken[name] = true
	return name
}

func (m *maker) grain() {
	g := &m.d.Grain
	if !m.one(6) {
		column := pick(m, timeColumns)
		g.Time = &designer.Time{Name: m.free("time"), Column: column, Bucket: pick(m, buckets), Timezone: pick(m, zones)}
		if iv, _ := designer.ParseInterval(g.Time.Bucket); iv.SubDay() && (column == "day" || column == "day32") && !m.one(20) {
			g.Time.Bucket = "1 week"
		}
		if m.one(20) {
			g.Time.Name, m.taken["time"] = "", true
		}
		m.used = append(m.used, column)
	}
	for i := range pick(m, []int{0, 1, 1, 1, 2, 2, 3}) {
		g.Dimensions = append(g.Dimensions, designer.Dimension{Expr: m.use(pick(m, dimensions)), Name: m.free(fmt.Sprintf("dim %d", i))})
	}
}

func (m *maker) metrics() {
	kinds := designer.Kinds[:len(designer.Kinds)-1]
	if m.one(2) { // totals alone, so that the cheap patterns come up
		kinds = []string{designer.Count, designer.Sum, designer.Avg}
	} else if m.one(3) {
		kinds = []string{designer.Min, designer.Max, designer.CountDistinct, designer.Last}
	}
	for i := range 1 + m.IntN(4) {
		x := designer.Metric{Name: m.free(fmt.Sprintf("m%d", i)), Kind: pick(m, kinds)}
		m.fill(&x)
		if m.one(3) {
			x.Where = m.use(pick(m, conditions))
		}
		m.d.Metrics = append(m.d.Metrics, x)
	}
	if n := len(m.d.Metrics); m.one(4) {
		r := designer.Metric{Name: m.free("ratio"), Kind: designer.Ratio, Numerator: m.d.Metrics[m.IntN(n)].Name, Denominator: m.d.Metrics[m.IntN(n)].Name}
		m.d.Metrics = slices.Insert(m.d.Metrics, m.IntN(n+1), r)
	}
}

// fill gives a metric the parts of its kind.
func (m *maker) fill(x *designer.Metric) {
	no, level := false, pick(m, []float64{0.5, 0.9, 0.99, 0.25, 0.001})
	switch x.Kind {
	case designer.Count:
		if m.one(3) {
			x.Expr = m.use(pick(m, values))
		}
	case designer.Sum, designer.Avg:
		x.Expr = m.use(pick(m, numbers))
	case designer.Quantile:
		x.Expr, x.Level = m.use(pick(m, slices.Concat(numbers, moments[:6]))), &level
		if m.one(3) {
			x.Exact = &no
		}
	case designer.Last:
		x.Expr, x.OrderBy = m.use(pick(m, values)), m.use(pick(m, moments))
	case designer.TopK:
		x.Expr, x.K = m.use(pick(m, values)), 1+m.IntN(4)
	case designer.CountDistinct:
		x.Expr = m.use(pick(m, values))
		if m.one(3) {
			x.Exact = &no
		}
	default:
		x.Expr = m.use(pick(m, values))
	}
}

func (m *maker) stability() {
	d := m.d
	word := func() string {
		return pick(m, []string{"", designer.Stable, designer.Stable, designer.Mutable, designer.Unknown})
	}
	if d.Grain.Time != nil {
		d.Stability.Time = word()
	}
	if d.Filter != "" {
		d.Stability.Filter = word()
	}
	for _, x := range d.Grain.Dimensions {
		if w := word(); w != "" {
			if d.Stability.Dimensions == nil {
				d.Stability.Dimensions = map[string]string{}
			}
			d.Stability.Dimensions[x.Name] = w
		}
	}
	if m.one(3) {
		d.Stability.Settles = pick(m, []string{"1 day", "7 day", "2 hour", "1 month"})
	}
}

// delivery picks names, freshness, pattern, tiers, backfill and deployment.
func (m *maker) delivery() {
	d := m.d
	d.Name = pick(m, []string{"daily revenue", "odd na`me'\"\\", "x", "отчёт", "select", "rollup--1"})
	d.Target = designer.Target{Database: pick(m, []string{"", "", "roll ups", "цель"}), Prefix: pick(m, []string{"", "agg", "a.b", "we`ird"})}
	d.Freshness = pick(m, []string{"", "insert", "10 minute", "1 day"})
	if m.one(3) {
		d.Pattern = pick(m, pattern9)
	}
	if d.Grain.Time != nil && m.one(4) {
		m.tiers()
	}
	switch d.Backfill.Mode = pick(m, []string{"", "none", "pause", "overlap", "watermark"}); d.Backfill.Mode {
	case designer.BackfillWatermark:
		pair := pick(m, [][2]string{{"seq", "1000"}, {"seq", "1000"}, {"inserted", "2024-06-01 00:00:00"}, {"_version", "50"}, {"at_ms", "2024-01-01 00:00:00"}})
		d.Backfill.Column, d.Backfill.Value = pair[0], pair[1]
		m.used = append(m.used, pair[0])
	}
	if m.one(8) {
		d.Deployment = designer.Deployment{OnCluster: pick(m, []string{"", "main", "we`ird"}), Replicated: m.one(2)}
		if m.one(2) {
			d.Deployment.ShardingKey = m.use(pick(m, shardingKeys))
		}
	}
}

var shardingKeys = []term{t("cityHash64(id)", "id"), t("rand()"), t("cityHash64(country)", "country"), t("id", "id"), t("u64", "u64")}

var pattern9 = []string{"direct", "summing", "aggregating", "ledger", "signed", "replacing", "refreshable", "sealed", "projection"}

// tiers puts finer buckets in front of the grain's; they may or may not nest.
func (m *maker) tiers() {
	last := m.d.Grain.Time.Bucket
	for range 1 + m.IntN(2) {
		m.d.Tiers = append(m.d.Tiers, designer.Tier{Bucket: pick(m, []string{"1 minute", "5 minute", "15 minute", "1 hour", "1 day", "1 week", "1 month"}), TTL: pick(m, []string{"", "300 year", "200 year"})})
	}
	iv := func(t designer.Tier) int64 { x, _ := designer.ParseInterval(t.Bucket); return x.Seconds() }
	slices.SortFunc(m.d.Tiers, func(a, b designer.Tier) int { return int(iv(a) - iv(b)) })
	m.d.Tiers = append(m.d.Tiers, designer.Tier{Bucket: last})
}

// columns lists the columns that are used, some others, in any order.
func (m *maker) columns() {
	for _, c := range universe {
		if slices.Contains(m.used, c.Name) || m.one(12) {
			m.d.Source.Columns = append(m.d.Source.Columns, c)
		}
	}
	m.Shuffle(len(m.d.Source.Columns), func(i, j int) {
		c := m.d.Source.Columns
		c[i], c[j] = c[j], c[i]
	})
}
