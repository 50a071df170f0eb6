package pattern_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
	"github.com/rollsmith/rollsmith/problem"
)

// honest is a design that nothing is wrong with; each case below breaks it in
// one place.
const honest = `{
  "format": 1,
  "name": "daily",
  "source": {
    "database": "shop", "table": "orders",
    "engine": "ReplacingMergeTree(_version, _deleted)",
    "order_by": ["id"],
    "columns": [
      {"name": "id", "type": "UInt64"}, {"name": "at", "type": "DateTime"}, {"name": "day", "type": "Date"},
      {"name": "country", "type": "String"}, {"name": "amount", "type": "Decimal(18, 2)"}, {"name": "weight", "type": "Float64"},
      {"name": "seq", "type": "UInt64"}, {"name": "maybe", "type": "Nullable(UInt64)"}, {"name": "tags", "type": "Array(String)"},
      {"name": "_version", "type": "UInt64"}, {"name": "_deleted", "type": "UInt8"}, {"name": "sign", "type": "Int8"}
    ],
    "feed": "upsert", "tombstones": "defaults"
  },
  "filter": "country != 'test'",
  "grain": {
    "time": {"name": "day", "column": "at", "bucket": "1 day", "timezone": "Asia/Kathmandu"},
    "dimensions": [{"name": "country", "expr": "country"}]
  },
  "metrics": [
    {"name": "revenue", "kind": "sum", "expr": "amount"},
    {"name": "orders", "kind": "count"}
  ],
  "stability": {"time": "mutable", "dimensions": {"country": "mutable"}},
  "freshness": "insert",
  "pattern": "auto",
  "backfill": {"mode": "none"},
  "target": {"database": "shop", "prefix": "daily"}
}`

const (
	asAppend  = `"feed": "append"`
	asUpsert  = `"feed": "upsert", "tombstones": "defaults"`
	mergeTree = `"engine": "MergeTree"`
	replacing = `"engine": "ReplacingMergeTree(_version, _deleted)"`
	dimension = `[{"name": "country", "expr": "country"}]`
	revenue   = `{"name": "revenue", "kind": "sum", "expr": "amount"}`
)

// TestRefusals: whatever cannot be right is refused with a code, the field's
// path, the value that stood there, and what would do instead.
func TestRefusals(t *testing.T) {
	type edit = [2]string
	for _, c := range []struct {
		name        string
		edits       []edit
		code, field string
		value       string // part of what stands in Value or Message
	}{
		{"an unknown key at the top", []edit{{`"name": "daily",`, `"name": "daily", "colour": 1,`}}, "unknown-key", "colour", "line 3"},
		{"an unknown key inside", []edit{{`"bucket": "1 day"`, `"buckets": "1 day"`}}, "unknown-key", "grain.time.buckets", "line 18"},
		{"an unknown key in a list", []edit{{`"kind": "count"`, `"kind": "count", "distinct": true`}}, "unknown-key", "metrics[1].distinct", "line 23"},
		{"a key in other letters", []edit{{`"filter":`, `"Filter":`}}, "unknown-key", "Filter", "line 16"},
		{"a key twice", []edit{{`"pattern": "auto",`, `"pattern": "auto", "pattern": "direct",`}}, "repeated-key", "pattern", "line 27"},
		{"a string for a number", []edit{{`"format": 1`, `"format": "1"`}}, "wrong-type", "format", "string"},
		{"a number for a string", []edit{{`"table": "orders"`, `"table": 7`}}, "wrong-type", "source.table", "number"},
		{"another format", []edit{{`"format": 1`, `"format": 2`}}, "unknown-format", "format", "2"},
		{"an unknown kind", []edit{{`"kind": "count"`, `"kind": "median"`}}, "unknown-kind", "metrics[1].kind", "median"},
		{"an unknown feed", []edit{{`"feed": "upsert"`, `"feed": "cdc"`}}, "unknown-feed", "source.feed", "cdc"},
		{"an unknown pattern", []edit{{`"pattern": "auto"`, `"pattern": "magic"`}}, "unknown-pattern", "pattern", "magic"},
		{"an unknown bucket", []edit{{`"bucket": "1 day"`, `"bucket": "1 fortnight"`}}, "unknown-bucket", "grain.time.bucket", "fortnight"},
		{"a bucket of nothing", []edit{{`"bucket": "1 day"`, `"bucket": "0 day"`}}, "unknown-bucket", "grain.time.bucket", "0 day"},
		{"a bucket finer than the column", []edit{{`"column": "at", "bucket": "1 day"`, `"column": "day", "bucket": "1 hour"`}}, "bucket-finer-than-column", "grain.time.bucket", "1 hour"},
		{"an unknown zone", []edit{{`Asia/Kathmandu`, `Mars/Olympus`}}, "unknown-timezone", "grain.time.timezone", "Mars/Olympus"},
		{"an unknown time column", []edit{{`"column": "at"`, `"column": "created"`}}, "unknown-column", "grain.time.column", "created"},
		{"a time that is none", []edit{{`"column": "at"`, `"column": "country"`}}, "time-column-type", "grain.time.column", "country"},
		{"a type that is none", []edit{{`"Decimal(18, 2)"`, `"Money"`}}, "column-type", "source.columns[4].type", "Money"},
		{"a type with a second statement", []edit{{`"Decimal(18, 2)"`, `"UInt8) ENGINE = Log; DROP TABLE x --"`}}, "column-type", "source.columns[4].type", "DROP"},
		{"two columns of one name", []edit{{`{"name": "seq"`, `{"name": "id"`}}, "repeated-name", "source.columns[6].name", "id"},
		{"two answers of one name", []edit{{`"name": "orders", "kind"`, `"name": "country", "kind"`}}, "repeated-name", "metrics[1].name", "country"},
		{"a time named as a dimension", []edit{{`"name": "day", "column": "at"`, `"name": "country", "column": "at"`}}, "repeated-name", "grain.dimensions[0].name", "country"},
		{"an empty name", []edit{{`"name": "orders", "kind"`, `"name": "", "kind"`}}, "missing-name", "metrics[1].name", ""},
		{"a name of two lines", []edit{{`"name": "orders", "kind"`, `"name": "a\nb", "kind"`}}, "bad-name", "metrics[1].name", "a\nb"},
		{"no metrics", []edit{{revenue + ",", ""}, {`{"name": "orders", "kind": "count"}`, ""}}, "missing-metrics", "metrics", ""},
		{"a sum of nothing", []edit{{`"kind": "sum", "expr": "amount"`, `"kind": "sum"`}}, "missing-expr", "metrics[0].expr", ""},
		{"a sum of text", []edit{{`"kind": "sum", "expr": "amount"`, `"kind": "sum", "expr": "country"`}}, "metric-type", "metrics[0].expr", "country"},
		{"a quantile of text", []edit{{`"kind": "sum", "expr": "amount"`, `"kind": "quantile", "level": 0.5, "expr": "country"`}}, "metric-type", "metrics[0].expr", "country"},
		{"a quantile of a wide date", []edit{{`"kind": "sum", "expr": "amount"`, `"kind": "quantile", "level": 0.5, "expr": "toDate32(day)"`}}, "metric-type", "metrics[0].expr", "Date32"},
		{"a quantile without a level", []edit{{`"kind": "sum"`, `"kind": "quantile"`}}, "missing-level", "metrics[0].level", ""},
		{"a level outside", []edit{{`"kind": "sum"`, `"kind": "quantile", "level": 95`}}, "level-out-of-range", "metrics[0].level", "95"},
		{"a level on a sum", []edit{{`"kind": "sum"`, `"kind": "sum", "level": 0.5`}}, "part-not-of-kind", "metrics[0].level", "0.5"},
		{"a last without an order", []edit{{`"kind": "sum"`, `"kind": "last"`}}, "missing-order-by", "metrics[0].order_by", ""},
		{"a top of none", []edit{{`"kind": "sum"`, `"kind": "top_k"`}}, "missing-k", "metrics[0].k", ""},
		{"a top of minus one", []edit{{`"kind": "sum"`, `"kind": "top_k", "k": -1`}}, "k-out-of-range", "metrics[0].k", "-1"},
		{"a ratio of an unknown metric", []edit{{revenue, `{"name": "r", "kind": "ratio", "numerator": "profit", "denominator": "orders"}`}}, "unknown-metric", "metrics[0].numerator", "profit"},
		{"a ratio of itself", []edit{{revenue, `{"name": "r", "kind": "ratio", "numerator": "orders", "denominator": "r"}`}}, "ratio-of-ratio", "metrics[0].denominator", "r"},
		{"a ratio of texts", []edit{{revenue, `{"name": "c", "kind": "max", "expr": "country"}, {"name": "r", "kind": "ratio", "numerator": "c", "denominator": "orders"}`}}, "metric-type", "metrics[1].numerator", "c"},
		{"no version", []edit{{replacing, mergeTree}, {`"order_by": ["id"]`, `"order_by": ["id"], "key": ["id"]`}}, "missing-version", "source.version", ""},
		{"no delete flag", []edit{{asUpsert, `"feed": "ledger"`}, {replacing, `"engine": "ReplacingMergeTree(_version)"`}}, "missing-deleted", "source.deleted", ""},
		{"no sign", []edit{{asUpsert, `"feed": "collapsing"`}, {replacing, mergeTree}}, "missing-sign", "source.sign", ""},
		{"no version of a versioned one", []edit{{asUpsert, `"feed": "versioned_collapsing", "sign": "sign"`}, {replacing, mergeTree}}, "missing-version", "source.version", ""},
		{"no key", []edit{{asUpsert, `"feed": "at_least_once"`}, {replacing, mergeTree}}, "missing-key", "source.key", ""},
		{"an unknown version", []edit{{`"feed": "upsert"`, `"version": "rev", "feed": "upsert"`}}, "unknown-column", "source.version", "rev"},
		{"a sign without its feed", []edit{{replacing, `"engine": "CollapsingMergeTree(sign)"`}, {`"feed": "upsert"`, `"version": "_version", "feed": "upsert"`}}, "engine-contradicts-feed", "source.feed", "upsert"},
		{"a sum already", []edit{{replacing, `"engine": "SummingMergeTree"`}, {asUpsert, asAppend}}, "engine-contradicts-feed", "source.feed", "append"},
		{"a key that merges lose", []edit{{`"order_by": ["id"]`, `"order_by": ["country"], "key": ["country", "id"]`}}, "key-finer-than-sorting-key", "source.key[1]", "id"},
		{"a key that cancelling loses", []edit{{`"order_by": ["id"]`, `"order_by": ["country"], "key": ["country", "id"]`}, {replacing, `"engine": "CollapsingMergeTree(sign)"`}, {asUpsert, `"feed": "collapsing"`}}, "key-finer-than-sorting-key", "source.key[1]", "id"},
		{"a delete flag that is text", []edit{{replacing, `"engine": "ReplacingMergeTree(_version)"`}, {`"feed": "upsert"`, `"deleted": "country", "feed": "upsert"`}}, "deleted-type", "source.deleted", "country"},
		{"a delete flag that can be NULL", []edit{{replacing, `"engine": "ReplacingMergeTree(_version)"`}, {`"feed": "upsert"`, `"deleted": "maybe", "feed": "upsert"`}}, "deleted-type", "source.deleted", "maybe"},
		{"a sign that has none", []edit{{asUpsert, `"feed": "collapsing", "sign": "_deleted"`}, {replacing, mergeTree}, {`"order_by": ["id"]`, `"order_by": ["id"], "key": ["id"]`}}, "sign-type", "source.sign", "_deleted"},
		{"a version that can be NULL", []edit{{replacing, mergeTree}, {`"order_by": ["id"]`, `"order_by": ["id"], "key": ["id"], "version": "maybe"`}}, "version-type", "source.version", "maybe"},
		{"tombstones that cannot be", []edit{{asUpsert, `"feed": "ledger", "tombstones": "defaults"`}}, "tombstones-without-upsert", "source.tombstones", "defaults"},
		{"tombstones nobody knows", []edit{{`"tombstones": "defaults"`, `"tombstones": "some"`}}, "unknown-tombstones", "source.tombstones", "some"},
		{"stability of an unknown dimension", []edit{{`"dimensions": {"country": "mutable"}`, `"dimensions": {"land": "stable"}`}}, "unknown-dimension", "stability.dimensions.land", "land"},
		{"an unknown stability", []edit{{`"time": "mutable"`, `"time": "often"`}}, "unknown-stability", "stability.time", "often"},
		{"a settling that is no time", []edit{{`"stability": {`, `"stability": {"settles": "soon", `}}, "unknown-interval", "stability.settles", "soon"},
		{"a freshness that is no time", []edit{{`"freshness": "insert"`, `"freshness": "fast"`}}, "unknown-interval", "freshness", "fast"},
		{"a target that would be the source", []edit{{`"prefix": "daily"`, `"prefix": "or"`}, {`"table": "orders"`, `"table": "or_entities"`}}, "target-is-source", "target.prefix", "or_entities"},
		{"a prefix too long for a file's name", []edit{{`"prefix": "daily"`, `"prefix": "` + strings.Repeat("ж", 60) + `"`}}, "bad-name", "target.prefix", "ж"},
		{"a target that is the source", []edit{{`"prefix": "daily"`, `"prefix": "orders"`}}, "target-is-source", "target.prefix", "orders"},

		{"a filter that is no condition", []edit{{`country != 'test'`, `country`}}, "expr-type", "filter", "country"},
		{"a filter of an unknown column", []edit{{`country != 'test'`, `land != 'test'`}}, "expr-rejected", "filter", "land"},
		{"a filter that does not end", []edit{{`country != 'test'`, `(country != 'test'`}}, "expr-syntax", "filter", "country"},
		{"a filter with a subquery", []edit{{`country != 'test'`, `id IN (SELECT 1)`}}, "expr-subquery", "filter", "SELECT"},
		{"a filter that asks the clock", []edit{{`country != 'test'`, `at > now()`}}, "expr-not-row", "filter", "now"},
		{"a dimension that aggregates", []edit{{dimension, `[{"name": "country", "expr": "max(country)"}]`}}, "expr-aggregate", "grain.dimensions[0].expr", "max"},
		{"a dimension that is a list", []edit{{dimension, `[{"name": "country", "expr": "tags"}]`}}, "expr-type", "grain.dimensions[0].expr", "tags"},
		{"a dimension with an alias", []edit{{dimension, `[{"name": "country", "expr": "country AS x"}]`}}, "expr-", "grain.dimensions[0].expr", "AS"},
		{"two expressions in one", []edit{{dimension, `[{"name": "country", "expr": "country, id"}]`}}, "expr-not-one", "grain.dimensions[0].expr", "id"},
		{"a metric of chance", []edit{{`"expr": "amount"`, `"expr": "rand()"`}}, "expr-not-row", "metrics[0].expr", "rand"},

		{"tiers without a time", []edit{{`"time": {"name": "day", "column": "at", "bucket": "1 day", "timezone": "Asia/Kathmandu"},`, ``}, {`"time": "mutable", `, ``}, {`"freshness"`, `"tiers": [{"bucket": "1 hour"}], "freshness"`}}, "tiers-without-time", "tiers", ""},
		{"weeks into months", []edit{{`"1 day"`, `"1 month"`}, {`"freshness"`, `"tiers": [{"bucket": "1 week"}, {"bucket": "1 month"}], "freshness"`}}, "tiers-do-not-nest", "tiers[1].bucket", "1 month"},
		{"half hours of a quarter-hour zone", []edit{{`"freshness"`, `"tiers": [{"bucket": "30 minute"}, {"bucket": "1 day"}], "freshness"`}}, "tiers-do-not-nest", "tiers[1].bucket", "1 day"},
		{"tiers from coarse to fine", []edit{{`"1 day"`, `"1 hour"`}, {`"freshness"`, `"tiers": [{"bucket": "1 day"}, {"bucket": "1 hour"}], "freshness"`}}, "tiers-do-not-nest", "tiers[1].bucket", "1 hour"},
		{"a last tier that is not the grain", []edit{{`"freshness"`, `"tiers": [{"bucket": "1 hour"}], "freshness"`}}, "last-tier-is-not-grain", "tiers[0].bucket", "1 hour"},
		{"an unknown tier", []edit{{`"freshness"`, `"tiers": [{"bucket": "often"}], "freshness"`}}, "unknown-bucket", "tiers[0].bucket", "often"},
		{"a tier kept for no time", []edit{{`"freshness"`, `"tiers": [{"bucket": "1 hour", "ttl": "ever"}], "freshness"`}}, "unknown-interval", "tiers[0].ttl", "ever"},
		{"tiers of a pattern without states", []edit{{`"pattern": "auto"`, `"pattern": "replacing"`}, {`"freshness"`, `"tiers": [{"bucket": "1 hour"}, {"bucket": "1 day"}], "freshness"`}}, "tiers-without-states", "tiers", "1 hour"},

		{"an unknown backfill", []edit{{`"mode": "none"`, `"mode": "later"`}}, "unknown-backfill", "backfill.mode", "later"},
		{"a watermark without a column", []edit{{`"mode": "none"`, `"mode": "watermark", "value": "7"`}}, "unknown-column", "backfill.column", ""},
		{"a watermark without a value", []edit{{`"mode": "none"`, `"mode": "watermark", "column": "seq"`}}, "missing-watermark", "backfill.value", ""},
		{"a watermark that can be NULL", []edit{{`"mode": "none"`, `"mode": "watermark", "column": "maybe", "value": "7"`}}, "watermark-nullable", "backfill.column", "maybe"},
		{"a watermark that is nobody's", []edit{{`"mode": "none"`, `"mode": "pause", "column": "seq"`}}, "watermark-not-used", "backfill.mode", "pause"},
		{"a watermark on the event's time", []edit{{`"mode": "none"`, `"mode": "watermark", "column": "at", "value": "2024-01-01 00:00:00"`}}, "watermark-is-event-time", "backfill.column", "at"},
		{"a watermark that is no value of its column", []edit{{`"mode": "none"`, `"mode": "watermark", "column": "seq", "value": "soon"`}}, "watermark-value", "backfill.value", "soon"},
		{"a watermark beyond its column", []edit{{`"mode": "none"`, `"mode": "watermark", "column": "_deleted", "value": "256"`}}, "watermark-value", "backfill.value", "256"},
		{"a watermark of half a moment", []edit{{`"name": "seq", "type": "UInt64"`, `"name": "seq", "type": "DateTime64(3)"`}, {`"mode": "none"`, `"mode": "watermark", "column": "seq", "value": "2024-01"`}}, "watermark-value", "backfill.value", "2024-01"},
		{"a sorting key beside the key", []edit{{`"order_by": ["id"]`, `"order_by": ["country"], "key": ["id"]`}}, "key-finer-than-sorting-key", "source.key[0]", "id"},
		{"overlap into totals", []edit{{asUpsert, asAppend}, {replacing, mergeTree}, {`"mode": "none"`, `"mode": "overlap"`}}, "overlap-counts-twice", "backfill.mode", "overlap"},
		{"a watermark under cancel rows", []edit{{asUpsert, `"feed": "ledger", "deleted": "_deleted"`}, {replacing, `"engine": "ReplacingMergeTree(_version)"`}, {`"mode": "none"`, `"mode": "watermark", "column": "seq", "value": "7"`}}, "watermark-loses-cancelled", "backfill.mode", "watermark"},
		{"a sharding key that an update changes", []edit{{`"prefix": "daily"}`, `"prefix": "daily"}, "deployment": {"on_cluster": "main", "sharding_key": "cityHash64(country)"}`}}, "sharding-key-not-entity", "deployment.sharding_key", "country"},
		{"a sharding key of chance", []edit{{`"prefix": "daily"}`, `"prefix": "daily"}, "deployment": {"on_cluster": "main", "sharding_key": "rand()"}`}}, "sharding-key-not-entity", "deployment.sharding_key", "rand"},
		{"a sharding key that is text", []edit{{`"prefix": "daily"}`, `"prefix": "daily"}, "deployment": {"on_cluster": "main", "sharding_key": "country"}`}}, "expr-type", "deployment.sharding_key", "country"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := honest
			for _, e := range c.edits {
				if !strings.Contains(text, e[0]) {
					t.Fatalf("the honest design has no %s", e[0])
				}
				text = strings.ReplaceAll(text, e[0], e[1])
			}
			p := refusal(t, text)
			if p == nil {
				t.Fatal("it was not refused")
			}
			if (p.Code != c.code && !(strings.HasSuffix(c.code, "-") && strings.HasPrefix(p.Code, c.code))) || !strings.HasPrefix(p.Field, c.field) {
				t.Errorf("refused as %s at %s, want %s at %s: %v", p.Code, p.Field, c.code, c.field, p)
			}
			if c.value != "" && !strings.Contains(p.Value, c.value) && !strings.Contains(p.Message, c.value) {
				t.Errorf("neither value nor message holds %q: %v", c.value, p)
			}
			if p.Message == "" || p.Hint == "" || p.Kind != problem.Invalid {
				t.Errorf("message, hint and kind are for a person: %#v", p)
			}
		})
	}
	if p := refusal(t, honest); p != nil {
		t.Errorf("the honest design is refused: %v", p)
	}
}

// refusal takes a document all the way to a decision; nil where nothing is
// against it.
func refusal(t *testing.T, text string) *problem.Error {
	t.Helper()
	err := func() error {
		d, err := designer.Parse([]byte(text))
		if err != nil {
			return err
		}
		facts, err := engine.Analyse(t.Context(), d)
		if err != nil {
			return err
		}
		r, err := designer.Resolve(d, facts)
		if err != nil {
			return err
		}
		decision, err := pattern.Decide(r)
		if err == nil {
			designer.Bundle(decision)
		}
		return err
	}()
	if err == nil {
		return nil
	}
	p, ok := problem.As(err)
	if !ok {
		t.Fatalf("not a problem: %v", err)
	}
	return p
}

// TestNamedPatterns: of every feed and pattern, what is refused and what is not.
// The metrics are a sum, a distinct count, or both; nothing else is known.
func TestNamedPatterns(t *testing.T) {
	feeds := map[designer.Feed][]string{
		designer.Append:              {`"feed": "append", "key": ["id"]`, mergeTree},
		designer.AtLeastOnce:         {`"feed": "at_least_once"`, `"engine": "ReplacingMergeTree"`},
		designer.Upsert:              {`"feed": "upsert"`, replacing},
		designer.Ledger:              {`"feed": "ledger", "deleted": "_deleted"`, `"engine": "ReplacingMergeTree(_version)"`},
		designer.Collapsing:          {`"feed": "collapsing"`, `"engine": "CollapsingMergeTree(sign)"`},
		designer.VersionedCollapsing: {`"feed": "versioned_collapsing"`, `"engine": "VersionedCollapsingMergeTree(sign, _version)"`},
	}
	sum, distinct, float := `"kind": "sum", "expr": "amount"`, `"kind": "count_distinct", "expr": "country"`, `"kind": "avg", "expr": "weight"`
	// Per pattern and metric, the feeds for which it is right.
	right := map[string]map[string][]designer.Feed{
		"direct":      {sum: designer.Feeds, distinct: designer.Feeds, float: designer.Feeds},
		"summing":     {sum: {designer.Append}, float: {designer.Append}},
		"aggregating": {sum: {designer.Append}, distinct: {designer.Append, designer.AtLeastOnce}, float: {designer.Append}},
		"ledger":      {sum: {designer.Ledger}},
		"signed":      {sum: {designer.Collapsing, designer.VersionedCollapsing}},
		"replacing":   {sum: designer.Feeds, distinct: designer.Feeds, float: designer.Feeds},
		"refreshable": {},
		"sealed":      {},
		"projection":  {sum: {designer.Append}, distinct: {designer.Append}, float: {designer.Append}},
	}
	for id, by := range right {
		for _, metric := range []string{sum, distinct, float} {
			for feed, edits := range feeds {
				t.Run(fmt.Sprintf("%s over %s, %s", id, feed, metric), func(t *testing.T) {
					text := strings.NewReplacer(asUpsert, edits[0], replacing, edits[1], `"pattern": "auto"`, `"pattern": "`+id+`"`, sum, metric, `{"name": "orders", "kind": "count"}`, `{"name": "m", `+metric+`}`).Replace(honest)
					p := refusal(t, text)
					want := false
					for _, f := range by[metric] {
						want = want || f == feed
					}
					if (p == nil) != want {
						t.Fatalf("right: %v, want %v: %v", p == nil, want, p)
					}
					if p != nil && (p.Field != "pattern" || p.Value != id || p.Code == "" || p.Hint == "" || p.Message == "") {
						t.Errorf("refused without what a person needs: %#v", p)
					}
				})
			}
		}
	}
}
