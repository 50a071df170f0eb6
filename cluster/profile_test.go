package cluster

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/problem"
)

func TestEnginesAreReadApartFromReplication(t *testing.T) {
	for full, want := range map[string]Engine{
		"MergeTree ORDER BY id SETTINGS index_granularity = 8192":                            {Name: "MergeTree"},
		"ReplacingMergeTree(_version, _is_deleted) PARTITION BY x ORDER BY id":               {Name: "ReplacingMergeTree", Args: []string{"_version", "_is_deleted"}},
		"ReplicatedReplacingMergeTree('/ch/{uuid}/{shard}', '{replica}', ver) ORDER BY id":   {Name: "ReplacingMergeTree", Wrapper: "Replicated", Args: []string{"ver"}},
		"SharedVersionedCollapsingMergeTree('/ch/{uuid}/{shard}', '{replica}', sign, v)":     {Name: "VersionedCollapsingMergeTree", Wrapper: "Shared", Args: []string{"sign", "v"}},
		"ReplicatedMergeTree ORDER BY tuple()":                                               {Name: "MergeTree", Wrapper: "Replicated"},
		"SharedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY tuple()": {Name: "MergeTree", Wrapper: "Shared"},
		"Distributed('main', 'shop', 'orders_local', cityHash64(id, 'a,b'))":                 {Name: "Distributed", Args: []string{"'main'", "'shop'", "'orders_local'", "cityHash64(id, 'a,b')"}},
		"ReplacingMergeTree(`odd ), name`) ORDER BY id":                                      {Name: "ReplacingMergeTree", Args: []string{"`odd ), name`"}},
		"SummingMergeTree((a, b)) ORDER BY id":                                               {Name: "SummingMergeTree", Args: []string{"(a, b)"}},
		"":                                                                                   {},
	} {
		if diff := cmp.Diff(want, ParseEngine(full)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", full, diff)
		}
	}
	if got := ParseEngine("ReplacingMergeTree(`odd ), name`) ORDER BY id").Column(0); got != "odd ), name" {
		t.Errorf("column = %q", got)
	}
}

func TestClausesAreCutOut(t *testing.T) {
	full := "MergeTree PARTITION BY toYYYYMM(at) ORDER BY (id, `TTL`) TTL at + toIntervalDay(3) DELETE WHERE x = 'SETTINGS' SETTINGS index_granularity = 8192, a = 1"
	if got, want := clause(full, "TTL"), "at + toIntervalDay(3) DELETE WHERE x = 'SETTINGS'"; got != want {
		t.Errorf("TTL = %q, want %q", got, want)
	}
	if got, want := clause(full, "SETTINGS"), "index_granularity = 8192, a = 1"; got != want {
		t.Errorf("SETTINGS = %q, want %q", got, want)
	}
}

func TestProfileTellsATable(t *testing.T) {
	db := scratch(t)
	do(t, db,
		`CREATE TABLE DB.orders (id UInt64, at DateTime, country LowCardinality(String), amount Decimal(18, 2), v UInt64, d UInt8,
			INDEX by_country country TYPE set(10) GRANULARITY 2)
		ENGINE = ReplacingMergeTree(v, d) PARTITION BY toYYYYMM(at) PRIMARY KEY id ORDER BY (id, country) TTL at + INTERVAL 10 YEAR SETTINGS deduplicate_merge_projection_mode = 'rebuild'`,
		"ALTER TABLE DB.orders ADD PROJECTION by_day (SELECT toDate(at), count() GROUP BY toDate(at))",
		"SYSTEM STOP MERGES DB.orders",
		"INSERT INTO DB.orders SELECT number, toDateTime('2026-01-01 00:00:00') + number * 1000, 'de', 1, 1, 0 FROM numbers(10000)",
		"INSERT INTO DB.orders SELECT number, toDateTime('2026-01-01 00:00:00') + number * 1000, 'de', 2, 2, 0 FROM numbers(100)",
		"SYSTEM FLUSH LOGS",
		"CREATE TABLE DB.daily (day Date, n UInt64) ENGINE = SummingMergeTree ORDER BY day",
		"CREATE MATERIALIZED VIEW DB.feed TO DB.daily AS SELECT toDate(at) AS day, count() AS n FROM DB.orders GROUP BY day",
		"CREATE TABLE DB.monthly (month Date, n UInt64) ENGINE = SummingMergeTree ORDER BY month",
		"CREATE MATERIALIZED VIEW DB.feed2 TO DB.monthly AS SELECT toStartOfMonth(day) AS month, sum(n) AS n FROM DB.daily GROUP BY month",
	)
	for _, user := range []string{"default", "locked"} {
		p, err := as(t, user, Native).TableProfile(context.Background(), db, "orders")
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintln(p.Engine, p.SortingKey, p.PrimaryKey, p.PartitionKey, p.TTL, p.Rows, p.Parts.Parts, p.Parts.Unmerged, p.Parts.Partitions, len(p.Columns), p.Indexes[0].Name, p.Projections[0].Name, p.Inserts.From, p.Inserts.Blocks > 0)
		want := fmt.Sprintln("ReplacingMergeTree(v, d) [id country] [id] toYYYYMM(at) at + toIntervalYear(10) 10100 5 5 4 6 by_country by_day part_log true")
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", user, got, want)
		}
		if len(p.Missing) > 0 {
			t.Errorf("%s: missing %v", user, p.Missing)
		}
		var edges []string
		for _, e := range p.Lineage.Edges {
			edges = append(edges, strings.ReplaceAll(e.From+" "+e.Kind+" "+e.To, db+".", ""))
		}
		if diff := cmp.Diff([]string{"daily fires feed2", "feed writes daily", "feed2 writes monthly", "orders fires feed"}, edges); diff != "" {
			t.Errorf("edges (-want +got):\n%s", diff)
		}
	}
	down, err := as(t, "locked", HTTP).TableProfile(context.Background(), db, "feed2")
	if err != nil {
		t.Fatal(err)
	}
	levels := map[string]int{}
	for _, n := range down.Lineage.Nodes {
		levels[n.Name] = n.Level
	}
	if diff := cmp.Diff(map[string]int{"orders": -3, "feed": -2, "daily": -1, "feed2": 0, "monthly": 1}, levels); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	if down.Storage != db+".monthly" || down.StorageEngine.Name != "SummingMergeTree" || len(down.Hops) != 1 {
		t.Errorf("storage = %s, %v, hops %v", down.Storage, down.StorageEngine, down.Hops)
	}
}

func TestForbiddenSystemTablesCostAFeature(t *testing.T) {
	db := scratch(t)
	do(t, db, "CREATE TABLE DB.t (id UInt64) ENGINE = MergeTree ORDER BY id", "INSERT INTO DB.t VALUES (1)")
	c := as(t, "narrow", Native)
	p, err := c.TableProfile(context.Background(), db, "t")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Columns) != 1 || p.SortingKey[0] != "id" {
		t.Errorf("profile = %+v", p)
	}
	all := strings.Join(p.Missing, "\n")
	for _, word := range []string{"system.parts", "system.part_log", "GRANT SELECT"} {
		if !strings.Contains(all, word) {
			t.Errorf("missing does not speak of %s:\n%s", word, all)
		}
	}
	in, err := c.Introspect(context.Background(), db, "t")
	if err != nil || len(in.Missing) == 0 {
		t.Errorf("introspection of a table that may not be read: %v, missing %v", err, in)
	}
}

func TestAnAbsentTableIsNotFound(t *testing.T) {
	c := as(t, "default", Native)
	_, err := c.TableProfile(context.Background(), "nowhere", "'); DROP TABLE x --")
	if p, ok := problem.As(err); !ok || p.Kind != problem.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestTablesAreSearchedOnTheServer(t *testing.T) {
	db := scratch(t)
	for _, name := range []string{"orders", "orders_old", "Payments", "`100%`", "`under_score`", "`underXscore`"} {
		do(t, db, "CREATE TABLE DB."+name+" (id UInt64) ENGINE = ReplacingMergeTree ORDER BY id")
	}
	do(t, db, "INSERT INTO DB.orders_old SELECT number FROM numbers(1000)")
	c := as(t, "locked", HTTP)
	find := func(s Search) []string {
		s.Database = db
		list, err := c.Tables(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		found := []string{fmt.Sprint(list.Found)}
		for _, table := range list.Tables {
			found = append(found, table.Name)
		}
		return found
	}
	for want, s := range map[string]Search{
		"2 orders orders_old": {Text: "ORDERS"}, "1 100%": {Text: "0%"}, "1 under_score": {Text: "under_"}, "1 Payments": {Text: "pay"},
		"6 orders_old": {Sort: "rows", PerPage: 1}, "6 Payments": {PerPage: 1, Page: 1}, "0": {Text: "nothing'; --"},
		"6 100% Payments orders orders_old underXscore under_score": {Engine: "ReplacingMergeTree"}, "1 orders_old": {Text: "_old", Sort: "modified"},
	} {
		if got := strings.Join(find(s), " "); got != want {
			t.Errorf("%+v: got %q, want %q", s, got, want)
		}
	}
}

func TestViewsTellSourceAndTarget(t *testing.T) {
	db := scratch(t)
	do(t, db, "CREATE TABLE DB.a (x UInt64) ENGINE = MergeTree ORDER BY x", "CREATE TABLE DB.`TO b` (x UInt64) ENGINE = MergeTree ORDER BY x",
		"CREATE MATERIALIZED VIEW DB.v1 TO DB.`TO b` AS SELECT x FROM DB.a",
		"CREATE MATERIALIZED VIEW DB.v2 ENGINE = MergeTree ORDER BY x AS SELECT x FROM DB.a",
		"CREATE MATERIALIZED VIEW DB.v3 REFRESH EVERY 1 DAY TO DB.`TO b` AS SELECT x FROM DB.a")
	list, err := as(t, "locked", Native).Views(context.Background(), Search{Database: db})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range list.Views {
		got = append(got, strings.ReplaceAll(fmt.Sprint(v.Name, ": ", v.Source(), " > ", strings.SplitN(v.Target(), ".inner", 2)[0], v.InnerTarget, v.Refreshable), db+".", ""))
	}
	want := []string{"v1: a > TO b" + "false false", "v2: a > " + "true false", "v3:  > TO b" + "false true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
