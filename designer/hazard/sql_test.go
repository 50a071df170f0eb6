package hazard

import (
	"strings"
	"testing"
)

func TestParsePrintsOneForm(t *testing.T) {
	for _, c := range []struct{ name, sql, want string }{
		{"operators bind as in ClickHouse", "SELECT a + b * 2 - -3", "SELECT (a + (b * 2)) - -3"},
		{"between is two comparisons", "SELECT 1 FROM t WHERE a BETWEEN 1 AND 2 AND b", "SELECT 1 FROM t WHERE ((a >= 1) AND (a <= 2)) AND b"},
		{"CASE is multiIf", "SELECT CASE WHEN a THEN 1 ELSE 2 END", "SELECT multiIf(a, 1, 2)"},
		{"CASE with a subject compares", "SELECT CASE s WHEN 'x' THEN 1 END", "SELECT multiIf(s = 'x', 1, NULL)"},
		{"a cast is a cast however it is written", "SELECT a::Decimal(18, 2), CAST(a AS UInt8), CAST(a, 'UInt8')", "SELECT CAST(a, 'Decimal(18, 2)'), CAST(a, 'UInt8'), CAST(a, 'UInt8')"},
		{"FILTER is If", "SELECT sum(a) FILTER (WHERE b)", "SELECT sumIf(a, b)"},
		{"parameters of an aggregate", "SELECT quantile(0.9)(x)", "SELECT quantile(0.9)(x)"},
		{"intervals", "SELECT now() - INTERVAL 1 DAY, INTERVAL '2 hours'", "SELECT now() - toIntervalDay(1), toIntervalHour(2)"},
		{"comments and quotes", "SELECT `a b` /* ; */, 'it''s' -- x\n, \"c\"", "SELECT a b, 'it\\'s', c"},
		{"tuples, arrays and their elements", "SELECT (1, 2).1, [1, 2][1], t.1", "SELECT tupleElement(tuple(1, 2), 1), arrayElement(array(1, 2), 1), tupleElement(t, 1)"},
		{"windows", "SELECT row_number() OVER (PARTITION BY a ORDER BY b) AS r", "SELECT row_number() OVER (…)"},
		{"count of everything", "SELECT count(*), count(DISTINCT a)", "SELECT count(), count(DISTINCT a)"},
		{"lambdas", "SELECT arrayMap(x -> x + 1, a)", "SELECT arrayMap(x -> x + 1, a)"},
		{"IN with a subquery", "SELECT a FROM t WHERE a GLOBAL NOT IN (SELECT b FROM u)", "SELECT a FROM t WHERE a NOT IN (SELECT b FROM u)"},
		{"words that are keywords elsewhere", "SELECT sum(rows) AS rows, type, comment AS step, date, t.to, `from` FROM t GROUP BY type", "SELECT sum(rows), type, comment, date, t.to, from FROM t GROUP BY type"},
		{"FROM first", "FROM t SELECT a", "SELECT a FROM t"},
		{"joins, samples, limits and settings", "SELECT a FROM t AS x FINAL SAMPLE 1/10 GLOBAL ANY LEFT JOIN u AS y USING (id) PREWHERE a WHERE b GROUP BY a WITH TOTALS HAVING count() > 1 ORDER BY a DESC NULLS LAST LIMIT 1 BY a LIMIT 5, 10 SETTINGS max_threads = 1 FORMAT JSON", "SELECT a FROM t WHERE b GROUP BY a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, err := ParseSelect(c.sql)
			if err != nil {
				t.Fatal(err)
			}
			if got := q.String(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestParseRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, sql := range []string{"", "SELECT", "SELECT FROM", "INSERT INTO t VALUES (1)", "SELECT a FROM t WHERE", "SELECT (a", "SELECT a b c", strings.Repeat("(", 5000) + "1"} {
		if q, err := ParseSelect(sql); err == nil {
			t.Errorf("%q is read as %s", sql, q)
		}
	}
}

func TestSplitLeavesQuotesAndCommentsWhole(t *testing.T) {
	got := Split("SELECT ';' -- ; \n; ;/* ; */ SELECT `a;b`;\n-- nothing\n")
	if len(got) != 2 || !strings.HasPrefix(got[0], "SELECT ';'") || !strings.HasSuffix(got[1], "`a;b`") {
		t.Errorf("split into %q", got)
	}
}

func TestAggregatesComeApart(t *testing.T) {
	for name, want := range map[string]string{
		"sumIf": "sum If", "uniqExactMergeState": "uniqExact Merge State", "argMax": "argMax", "countStateIf": "count State If",
		"sumMapMerge": "sumMap Merge", "quantileTDigestState": "quantileTDigest State", "sumArgMax": "sum ArgMax", "maxSimpleState": "max SimpleState", "SUM": "sum",
	} {
		a, ok := aggregate(call(name, column("x")))
		if got := strings.TrimSpace(a.base + " " + strings.Join(a.combos, " ")); !ok || got != want {
			t.Errorf("%s comes apart as %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"toDate", "If", "State", "summary", "arraySum"} {
		if a, ok := aggregate(call(name)); ok {
			t.Errorf("%s is taken for the aggregate %s", name, a.base)
		}
	}
}

func TestAliasesExpandOnce(t *testing.T) {
	q, err := ParseSelect("WITH a + 1 AS b SELECT toDate(at) AS at, sum(x) AS x, b AS c FROM (SELECT at, y * 2 AS x, a FROM t AS i WHERE i.k = 1) AS o WHERE o.x > 0 GROUP BY 1")
	if err != nil {
		t.Fatal(err)
	}
	f := flatten(q, nil, 0)
	got := printList(f.outputs) + " | " + printList(f.filters) + " | " + printList(f.group)
	if want := "toDate(at), sum(y * 2), a + 1 | k = 1, (y * 2) > 0 | toDate(at)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEnginesAreRead(t *testing.T) {
	e := ParseEngine("ReplicatedReplacingMergeTree('/clickhouse/{shard}/t', '{replica}', ver, gone) PARTITION BY toYYYYMM(at) PRIMARY KEY id ORDER BY (id, toDate(at)) TTL at + toIntervalDay(30) SETTINGS index_granularity = 8192, storage_policy = 'hot'")
	got := e.Kind + " " + printList(e.args) + " | " + e.partitionBy.String() + " | " + printList(e.orderBy) + " | " + printList(e.ttl) + " | " + e.settings["storage_policy"]
	if want := "ReplacingMergeTree ver, gone | toYYYYMM(at) | id, toDate(at) | at + toIntervalDay(30) | hot"; got != want || !e.Replicated {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// FuzzAudit puts any text wherever a person can put one: nothing may panic.
func FuzzAudit(f *testing.F) {
	for _, s := range []string{
		"SELECT toDate(at) AS day, sum(x) AS x FROM d.t FINAL WHERE y > 0 GROUP BY day HAVING x > 1",
		"SELECT uniqMerge(x) FROM d.r GROUP BY ALL UNION ALL SELECT * FROM d.t JOIN d.r USING (a)",
		"CREATE MATERIALIZED VIEW d.m REFRESH EVERY 1 DAY APPEND TO d.r (`a` UInt8) EMPTY AS SELECT 1 AS a",
		"CREATE TABLE d.t (a UInt8 DEFAULT 1, INDEX i a TYPE minmax) ENGINE = MergeTree ORDER BY a TTL a GROUP BY a SET b = max(b), c = 1",
		"INSERT INTO d.r (a) SELECT count() FROM d.t; DROP VIEW d.v; ALTER TABLE d.t DELETE WHERE 1",
		"AggregateFunction(quantile(0.5), Nullable(DateTime('UTC')))", "`", "'\\", "(((", "x ->", "a.1.2.b.*",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := &Catalog{DefaultDB: "d", Tables: []*Table{
			{DB: "d", Name: "t", Engine: ParseEngine(text), Columns: []Column{{Name: "at", Type: "DateTime"}, {Name: "x", Type: text}, {Name: "is_deleted", Type: "UInt8"}}},
			{DB: "d", Name: "r", Engine: ParseEngine("SummingMergeTree ORDER BY day"), Columns: []Column{{Name: "day", Type: "Date"}, {Name: "x", Type: text, Default: text}}},
		}, Definitions: []*Definition{
			{DB: "d", Name: "v", Materialized: true, Select: text, TargetDB: "d", TargetName: "r"},
			{DB: "d", Name: "w", Materialized: true, Select: "SELECT toDate(at) AS day, sum(x) AS x FROM d.t GROUP BY day", TargetDB: "d", TargetName: "r"},
		}}
		Audit(c, Input{Queries: Split(text), Scripts: Split(text)})
	})
}
