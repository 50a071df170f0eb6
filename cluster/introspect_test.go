package cluster

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/designer"
)

// feeds are tables as people have them, how their rows arrive, and what has to
// be made of them. Merges are off, so that the rows stay as inserted.
var feeds = []struct {
	name    string
	engine  string // from the columns on
	inserts []string
	want    designer.Source // feed, key, version, deleted, sign, tombstones
	codes   []string        // evidence that has to be there
	not     []string
}{
	{
		name:    "events in a MergeTree",
		engine:  "(at DateTime, user UInt64, amount UInt32) ENGINE = MergeTree ORDER BY (user, at)",
		inserts: []string{"SELECT toDateTime(1700000000) + number, number % 100, number FROM numbers(2000)"},
		want:    designer.Source{Feed: designer.Append},
		codes:   []string{"engine-append", "probe-no-repeats"},
	},
	{
		name:    "a device log that repeats itself",
		engine:  "(event_id UInt64, at DateTime, v Float64, imported_at DateTime) ENGINE = MergeTree ORDER BY at",
		inserts: []string{"SELECT number, toDateTime(1700000000) + number % 7, number / 3, 1 FROM numbers(1000)", "SELECT number, toDateTime(1700000000) + number % 7, number / 3, 2 FROM numbers(50)"},
		want:    designer.Source{Feed: designer.AtLeastOnce, Key: []string{"event_id"}},
		codes:   []string{"probe-repeats", "probe-key"},
	},
	{
		name:    "an unversioned ReplacingMergeTree",
		engine:  "(id UInt64, n UInt32, r UInt8 DEFAULT 0) ENGINE = ReplacingMergeTree ORDER BY id",
		inserts: []string{"(id, n) SELECT number, 1 FROM numbers(100)", "(id, n) SELECT number, 1 FROM numbers(10)"},
		want:    designer.Source{Feed: designer.AtLeastOnce, Key: []string{"id"}},
		codes:   []string{"engine-replacing-unversioned", "probe-repeats"},
	},
	{
		name:    "an unversioned ReplacingMergeTree whose rows change",
		engine:  "(id UInt64, n UInt32, r UInt8 DEFAULT 0) ENGINE = ReplacingMergeTree ORDER BY id",
		inserts: []string{"(id, n) SELECT number, 1 FROM numbers(100)", "(id, n) SELECT number, 2 FROM numbers(10)"},
		want:    designer.Source{Feed: designer.AtLeastOnce, Key: []string{"id"}},
		codes:   []string{"probe-changed-without-version"},
	},
	{
		name:   "orders upserted, deletes with defaults",
		engine: "(id UInt64, country String, amount UInt32, _version UInt64, _is_deleted UInt8) ENGINE = ReplacingMergeTree(_version, _is_deleted) ORDER BY id",
		inserts: []string{"SELECT number, 'de', 10, 1, 0 FROM numbers(100)", "SELECT number, 'fr', 12, 2, 0 FROM numbers(40)",
			"SELECT number, '', 0, 3, 1 FROM numbers(20)"},
		want:  designer.Source{Feed: designer.Upsert, Key: []string{"id"}, Version: "_version", Deleted: "_is_deleted", Tombstones: "defaults"},
		codes: []string{"engine-version", "engine-deleted", "probe-updates", "tombstones-defaults"},
	},
	{
		name:   "orders upserted, deletes with old values, flag known by name only",
		engine: "(id UInt64, country String, _version UInt64, is_deleted Bool) ENGINE = ReplacingMergeTree(_version) ORDER BY id",
		inserts: []string{"SELECT number, 'de', 1, false FROM numbers(100)", "SELECT number, 'fr', 2, false FROM numbers(40)",
			"SELECT number, 'fr', 3, true FROM numbers(20)"},
		want:  designer.Source{Feed: designer.Upsert, Key: []string{"id"}, Version: "_version", Deleted: "is_deleted", Tombstones: "old_values"},
		codes: []string{"connector-altinity", "connector-deleted", "tombstones-old-values"},
	},
	{
		name:   "payments as a ledger",
		engine: "(id UInt64, amount Int64, ver UInt64, del UInt8) ENGINE = ReplacingMergeTree(ver, del) ORDER BY id",
		inserts: []string{"SELECT number, 10, 1, 0 FROM numbers(100)", "SELECT number, 10, 2, 1 FROM numbers(60)",
			"SELECT number, 20, 3, 0 FROM numbers(50)"},
		want:  designer.Source{Feed: designer.Ledger, Key: []string{"id"}, Version: "ver", Deleted: "del"},
		codes: []string{"probe-ledger"},
		not:   []string{"probe-ledger-gaps"},
	},
	{
		name:   "a ledger of which one update lacks its cancel row",
		engine: "(id UInt64, amount Int64, ver UInt64, del UInt8) ENGINE = ReplacingMergeTree(ver, del) ORDER BY id",
		inserts: []string{"SELECT number, 10, 1, 0 FROM numbers(100)", "SELECT number, 10, 2, 1 FROM numbers(60)",
			"SELECT number, 20, 3, 0 FROM numbers(61)"},
		want:  designer.Source{Feed: designer.Ledger, Key: []string{"id"}, Version: "ver", Deleted: "del"},
		codes: []string{"probe-ledger", "probe-ledger-gaps"},
	},
	{
		name:   "a ledger whose cancel rows were removed on insert",
		engine: "(id UInt64, amount Int64, ver UInt64, del UInt8) ENGINE = ReplacingMergeTree(ver, del) ORDER BY id",
		inserts: []string{"SELECT number, 10, 1, 0 FROM numbers(100)",
			"SELECT number % 60, if(number < 60, 10, 20), if(number < 60, 2, 3), number < 60 FROM numbers(120)"},
		want:  designer.Source{Feed: designer.Upsert, Key: []string{"id"}, Version: "ver", Deleted: "del", Tombstones: "unknown"},
		codes: []string{"probe-updates", "probe-blind-spot"},
	},
	{
		name:    "a merged table that no longer tells",
		engine:  "(id UInt64, amount Int64, ver UInt64, del UInt8) ENGINE = ReplacingMergeTree(ver, del) ORDER BY id",
		inserts: []string{"SELECT number, 10, 1, 0 FROM numbers(100)"},
		want:    designer.Source{Feed: designer.Upsert, Key: []string{"id"}, Version: "ver", Deleted: "del", Tombstones: "unknown"},
		codes:   []string{"probe-merged-away", "tombstones-unseen"},
	},
	{
		name:    "a collapsing table",
		engine:  "(id UInt64, amount Int64, sign Int8) ENGINE = CollapsingMergeTree(sign) ORDER BY id",
		inserts: []string{"SELECT number, 10, 1 FROM numbers(100)"},
		want:    designer.Source{Feed: designer.Collapsing, Key: []string{"id"}, Sign: "sign"},
		codes:   []string{"engine-collapsing"},
	},
	{
		name:    "a versioned collapsing table",
		engine:  "(id UInt64, amount Int64, sign Int8, ver UInt32) ENGINE = VersionedCollapsingMergeTree(sign, ver) ORDER BY id",
		inserts: []string{"SELECT number, 10, 1, 1 FROM numbers(100)"},
		want:    designer.Source{Feed: designer.VersionedCollapsing, Key: []string{"id"}, Sign: "sign", Version: "ver"},
		codes:   []string{"engine-versioned-collapsing"},
	},
	{
		name:    "a PeerDB mirror",
		engine:  "(id UInt64, v String, _peerdb_synced_at DateTime64(9), _peerdb_is_deleted UInt8, _peerdb_version UInt64) ENGINE = ReplacingMergeTree(_peerdb_version) ORDER BY id",
		inserts: []string{"SELECT number, 'a', now64(9), 0, 1 FROM numbers(30)", "SELECT number, 'b', now64(9), 0, 2 FROM numbers(20)", "SELECT number, '', now64(9), 1, 3 FROM numbers(15)"},
		want:    designer.Source{Feed: designer.Upsert, Key: []string{"id"}, Version: "_peerdb_version", Deleted: "_peerdb_is_deleted", Tombstones: "defaults"},
		codes:   []string{"connector-peerdb", "connector-peerdb-pitfall", "connector-deleted"},
	},
	{
		name:    "an Altinity sink with _sign",
		engine:  "(id UInt64, v String, _version UInt64, _sign Int8) ENGINE = ReplacingMergeTree(_version) ORDER BY id",
		inserts: []string{"SELECT number, 'a', 1, 1 FROM numbers(30)"},
		want:    designer.Source{Feed: designer.Upsert, Key: []string{"id"}, Version: "_version", Tombstones: "unknown"},
		codes:   []string{"connector-altinity", "deleted-sign"},
	},
	{
		name:    "a Fivetran table",
		engine:  "(id UInt64, v Nullable(String), _fivetran_synced DateTime64(3), _fivetran_deleted Bool) ENGINE = ReplacingMergeTree(_fivetran_synced) ORDER BY id",
		inserts: []string{"SELECT number, 'a', toDateTime64(1700000000, 3), false FROM numbers(30)"},
		want:    designer.Source{Feed: designer.Upsert, Key: []string{"id"}, Version: "_fivetran_synced", Deleted: "_fivetran_deleted", Tombstones: "unknown"},
		codes:   []string{"connector-fivetran", "connector-deleted"},
	},
	{
		name:    "Debezium with a flag that is text",
		engine:  "(id UInt64, v String, __lsn UInt64, __deleted String) ENGINE = ReplacingMergeTree(__lsn) ORDER BY id",
		inserts: []string{"SELECT number, 'a', 1, 'false' FROM numbers(30)"},
		want:    designer.Source{Feed: designer.Upsert, Key: []string{"id"}, Version: "__lsn", Tombstones: "unknown"},
		codes:   []string{"connector-debezium", "deleted-not-flag"},
	},
	{
		name:    "Supabase history",
		engine:  "(id UInt64, v String, cdc_operation String, cdc_lsn UInt64) ENGINE = MergeTree ORDER BY (id, cdc_lsn)",
		inserts: []string{"SELECT number, 'a', 'INSERT', number FROM numbers(30)"},
		want:    designer.Source{Feed: designer.Append},
		codes:   []string{"connector-supabase-history", "connector-supabase-history-pitfall"},
	},
	{
		name:    "an AggregatingMergeTree",
		engine:  "(day Date, n SimpleAggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree ORDER BY day",
		inserts: []string{"SELECT toDate('2026-01-01'), 1 FROM numbers(3)"},
		want:    designer.Source{Feed: designer.Append},
		codes:   []string{"source-merges-values"},
	},
	{
		name:    "an empty table",
		engine:  "(id UInt64, ver UInt64) ENGINE = ReplacingMergeTree(ver) ORDER BY id",
		inserts: nil,
		want:    designer.Source{Feed: designer.Upsert, Key: []string{"id"}, Version: "ver", Tombstones: "unknown"},
		codes:   []string{"probe-empty", "no-deleted"},
	},
}

func TestFeedsAreInferredWithEvidence(t *testing.T) {
	db := scratch(t)
	c := as(t, "locked", Native)
	for i, f := range feeds {
		t.Run(f.name, func(t *testing.T) {
			table := "t" + strings.Repeat("x", i)
			do(t, db, "CREATE TABLE DB."+table+" "+f.engine, "SYSTEM STOP MERGES DB."+table)
			for _, rows := range f.inserts {
				do(t, db, "INSERT INTO DB."+table+" "+rows)
			}
			in, err := c.Introspect(context.Background(), db, table)
			if err != nil {
				t.Fatal(err)
			}
			got := designer.Source{Feed: in.Source.Feed, Key: in.Source.Key, Version: in.Source.Version, Deleted: in.Source.Deleted, Sign: in.Source.Sign, Tombstones: in.Source.Tombstones}
			if diff := cmp.Diff(f.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var codes []string
			for _, e := range in.Evidence {
				codes = append(codes, e.Code)
				if strings.HasPrefix(e.Code, "probe-") && e.SQL == "" && e.Code != "probe-failed" {
					t.Errorf("%s has no query", e.Code)
				}
			}
			for _, code := range f.codes {
				if !slices.Contains(codes, code) {
					t.Errorf("no evidence %s in %v", code, codes)
				}
			}
			for _, code := range f.not {
				if slices.Contains(codes, code) {
					t.Errorf("evidence %s in %v", code, codes)
				}
			}
			if len(in.Missing) > 0 {
				t.Errorf("missing: %v", in.Missing)
			}
		})
	}
}

func TestSourceIsReadThroughWhatStandsBefore(t *testing.T) {
	db := scratch(t)
	do(t, db,
		"CREATE TABLE DB.`odd ``name` (`a b` UInt64, `select` String, n Nullable(Decimal(18, 2)), twice UInt64 ALIAS `a b` * 2, m UInt64 MATERIALIZED `a b` + 1) ENGINE = ReplacingMergeTree(`a b`) PARTITION BY intDiv(`a b`, 10) ORDER BY (`select`, cityHash64(`select`, 1))",
		"CREATE TABLE DB.buffered AS DB.`odd ``name` ENGINE = Buffer("+db+", 'odd `name', 1, 10, 100, 10, 100, 10, 100)",
		"CREATE MATERIALIZED VIEW DB.mv TO DB.`odd ``name` AS SELECT 1 AS `a b`, 'x' AS `select`, toNullable(toDecimal64(1, 2)) AS n FROM system.one",
	)
	want := designer.Source{
		Database: db, Table: "odd `name", Engine: "ReplacingMergeTree(`a b`)",
		OrderBy: []string{"select", "cityHash64(`select`, 1)"}, PartitionBy: "intDiv(`a b`, 10)",
		Columns: []designer.Column{{Name: "a b", Type: "UInt64"}, {Name: "select", Type: "String"}, {Name: "n", Type: "Nullable(Decimal(18, 2))"}, {Name: "m", Type: "UInt64"}},
		Feed:    designer.Upsert, Key: []string{"select", "cityHash64(`select`, 1)"}, Version: "a b", Tombstones: "unknown",
	}
	c := as(t, "locked", HTTP)
	for _, table := range []string{"odd `name", "buffered", "mv"} {
		in, err := c.Introspect(context.Background(), db, table)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, in.Source); diff != "" {
			t.Errorf("%s (-want +got):\n%s", table, diff)
		}
	}
}

func TestTablesThatKeepNoRowsSaySo(t *testing.T) {
	db := scratch(t)
	do(t, db,
		"CREATE TABLE DB.nothing (id UInt64) ENGINE = Null",
		"CREATE VIEW DB.looking AS SELECT number AS id FROM system.numbers",
		"CREATE TABLE DB.memory (id UInt64) ENGINE = Memory")
	for table, code := range map[string]string{"nothing": "engine-unknown", "looking": "engine-unknown", "memory": "engine-unknown"} {
		in, err := as(t, "locked", Native).Introspect(context.Background(), db, table)
		if err != nil {
			t.Fatal(err)
		}
		said := false
		for _, e := range in.Evidence {
			said = said || e.Code == code && e.Confidence == Low
		}
		if !said || in.Source.Feed != designer.Append {
			t.Errorf("%s: %+v", table, in)
		}
	}
}

func TestConnectorsAreTold(t *testing.T) {
	columns := func(names ...string) (all []designer.Column) {
		for _, n := range names {
			all = append(all, designer.Column{Name: n, Type: "UInt64"})
		}
		return all
	}
	replacing := Engine{Name: "ReplacingMergeTree"}
	for want, c := range map[string]struct {
		engine  Engine
		columns []designer.Column
	}{
		"peerdb":           {replacing, columns("id", "_peerdb_version", "_peerdb_is_deleted")},
		"supabase":         {replacing, columns("id", "_etl_version", "_etl_deleted")},
		"supabase-history": {Engine{Name: "MergeTree"}, columns("id", "cdc_operation", "cdc_lsn")},
		"altinity":         {replacing, columns("id", "_version", "_sign")},
		"fivetran":         {replacing, columns("id", "_fivetran_synced")},
		"airbyte":          {replacing, columns("id", "_airbyte_raw_id", "_airbyte_extracted_at")},
		"debezium":         {replacing, columns("id", "__deleted")},
		"singer":           {replacing, columns("id", "_sdc_batched_at")},
		"":                 {Engine{Name: "MergeTree"}, columns("id", "_version", "_sign")},
	} {
		if got, _ := recognise(c.engine, c.columns); got.id != want {
			t.Errorf("%v was taken for %q, want %q", c.columns, got.id, want)
		}
	}
}

func TestBracketsAroundAKeyAreNoPartOfIt(t *testing.T) {
	db := scratch(t)
	do(t, db, "CREATE TABLE DB.one (id UInt64, b UInt8, v UInt32) ENGINE = ReplacingMergeTree(v) PARTITION BY (b) ORDER BY (id)")
	in, err := as(t, "locked", Native).Introspect(context.Background(), db, "one")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(append(append(in.Source.OrderBy, in.Source.Key...), in.Source.PartitionBy), " ")
	if want := "id id b"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
