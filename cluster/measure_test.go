package cluster

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/designer"
)

// measured introspects and measures a table as the reader whose settings are
// locked, and prints its findings without times.
func measured(t *testing.T, db, table string) *Measurement {
	t.Helper()
	c := as(t, "locked", Native)
	in, err := c.Introspect(context.Background(), db, table)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Measure(context.Background(), in.Source)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Missing) > 0 {
		t.Errorf("missing: %v", m.Missing)
	}
	for _, f := range m.Findings {
		if f.Basis.SQL == "" || f.Basis.Confidence == "" || f.Basis.Sample == "" {
			t.Errorf("%s rests on nothing: %+v", f.Code, f.Basis)
		}
	}
	return m
}

func finding(m *Measurement, code string) string {
	for _, f := range m.Findings {
		if f.Code == code {
			return f.Text
		}
	}
	return ""
}

func TestMeasureAnUpsertTable(t *testing.T) {
	db := scratch(t)
	do(t, db,
		`CREATE TABLE DB.orders (id UInt64, at DateTime, country String, amount Nullable(UInt32), buyer_id UInt64, response_id UInt64, v UInt64, d UInt8, inserted_at DateTime)
		ENGINE = ReplacingMergeTree(v, d) PARTITION BY toYYYYMM(at) ORDER BY id`,
		"SYSTEM STOP MERGES DB.orders",
		"INSERT INTO DB.orders SELECT number, '2026-01-10 00:00:00', 'de', if(number < 7, NULL, 1), number % 50, number, 1, 0, now() - 864000 FROM numbers(1000)",
		"INSERT INTO DB.orders SELECT number, '2026-01-10 00:00:00', if(number < 40, 'fr', 'de'), 2, number % 50, number, 2, 0, now() - 7200 FROM numbers(100)",
		"INSERT INTO DB.orders SELECT number, '2026-01-10 00:00:00', if(number < 40, 'fr', 'de'), 2, number % 50, number, 2, 0, now() - 7200 FROM numbers(30)", // delivered again
		"INSERT INTO DB.orders SELECT number, '2026-02-10 00:00:00', 'de', 3, number % 50, number, 3, 0, now() FROM numbers(500, 5)",                           // moved to another month
		"INSERT INTO DB.orders SELECT number, '1970-01-01 00:00:00', '', NULL, 0, 0, 4, 1, now() FROM numbers(900, 20)",
	)
	m := measured(t, db, "orders")
	changed := map[string]ColumnChange{}
	for _, col := range m.Changes.Columns {
		changed[col.Name] = col
	}
	for name, want := range map[string]ColumnChange{
		"at": {"at", 5, designer.Mutable}, "country": {"country", 40, designer.Mutable}, "amount": {"amount", 105, designer.Mutable},
		"buyer_id": {"buyer_id", 0, designer.Stable}, "response_id": {"response_id", 0, designer.Stable},
	} {
		if diff := cmp.Diff(want, changed[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got, want := m.History.History, (History{Keys: 1000, Rows: 1155, Several: 125, Repeats: 30, Updates: 105, Cancels: 20, Differ: 20, Tombstones: 20, Blank: 20}); got != want {
		t.Errorf("history = %+v", got)
	}
	if s := m.Partitions; s.Keys != 1000 || s.Spread != 25 || s.Live != 5 {
		t.Errorf("partitions = %+v", s)
	}
	if s := m.Shared; len(s) != 2 || s[0].Name != "buyer_id" || s[0].OneToOne || s[0].Shared != 50 || !s[1].OneToOne {
		t.Errorf("shared = %+v", s)
	}
	if n := m.Nulls; n.Columns[0].Nulls != 7 {
		t.Errorf("nulls = %+v", n)
	}
	var curve []string
	for _, b := range m.Duplicates.Buckets {
		curve = append(curve, fmt.Sprintf("%s %d/%d", b.Label, b.Rows, b.Keys))
	}
	if diff := cmp.Diff([]string{"under 10 minutes 25/25", "1 to 6 hours 130/100", "7 to 30 days 1000/1000"}, curve); diff != "" {
		t.Errorf("curve (-want +got):\n%s", diff)
	}
	if m.Duplicates.By != "inserted_at" || m.Duplicates.Settled != "7 day" {
		t.Errorf("by %s, settled %q", m.Duplicates.By, m.Duplicates.Settled)
	}
	for _, code := range []string{"changes", "partitions", "redelivery", "duplicates", "shared-buyer_id", "nulls", "tombstones"} {
		if finding(m, code) == "" {
			t.Errorf("no finding %s", code)
		}
	}
}

func TestMeasureALedger(t *testing.T) {
	db := scratch(t)
	do(t, db,
		"CREATE TABLE DB.pay (id UInt64, amount Int64, v UInt64, d UInt8) ENGINE = ReplacingMergeTree(v, d) ORDER BY id",
		"SYSTEM STOP MERGES DB.pay",
		"INSERT INTO DB.pay SELECT number, 10, 1, 0 FROM numbers(100)",
		"INSERT INTO DB.pay SELECT number, if(number < 3, 11, 10), 2, 1 FROM numbers(60)", // three cancel other values
		"INSERT INTO DB.pay SELECT number, 20, 3, 0 FROM numbers(50)",
		"INSERT INTO DB.pay SELECT number, 30, 3, 0 FROM numbers(90, 4)",  // four without a cancel row
		"INSERT INTO DB.pay SELECT number, 30, 2, 1 FROM numbers(200, 2)", // two cancel nothing
	)
	m := measured(t, db, "pay")
	want := History{Keys: 102, Rows: 216, Several: 64, Updates: 4, Returned: 50, Cancels: 60, Equal: 57, Differ: 3, Orphans: 2, Tombstones: 12, TombOld: 10}
	if m.Source.Feed != designer.Ledger || m.History.History != want {
		t.Errorf("%s, history = %+v", m.Source.Feed, m.History.History)
	}
	if finding(m, "ledger-gaps") == "" || finding(m, "ledger-cancels") == "" {
		t.Errorf("findings: %+v", m.Findings)
	}
	if !m.Duplicates.ByParts || m.Duplicates.Advice == "" || len(m.Duplicates.Buckets) != 1 || m.Duplicates.Buckets[0].Rows != 216 {
		t.Errorf("duplicates by part age: %+v", m.Duplicates)
	}
}

func TestMeasureACollapsingTable(t *testing.T) {
	db := scratch(t)
	do(t, db,
		"CREATE TABLE DB.c (id UInt64, amount Int64, sign Int8) ENGINE = CollapsingMergeTree(sign) ORDER BY id",
		"SYSTEM STOP MERGES DB.c",
		"INSERT INTO DB.c SELECT number, 10, 1 FROM numbers(100)",
		"INSERT INTO DB.c SELECT number, 10, -1 FROM numbers(40)",
		"INSERT INTO DB.c SELECT number, 20, 1 FROM numbers(30)",
		"INSERT INTO DB.c SELECT number, 20, 1 FROM numbers(90, 3)",   // three changed without a cancel row
		"INSERT INTO DB.c SELECT number, 99, -1 FROM numbers(50, 2)",  // two cancel other values
		"INSERT INTO DB.c SELECT number, 10, -1 FROM numbers(200, 5)", // five cancel nothing
	)
	m := measured(t, db, "c")
	m.Signs.Basis = Basis{}
	if want := (SignFacts{Keys: 105, Live: 85, Gone: 12, Uncancel: 3, Negative: 5, Mismatch: 2}); *m.Signs != want {
		t.Errorf("signs = %+v", *m.Signs)
	}
}

func TestMeasureAnAppendTable(t *testing.T) {
	db := scratch(t)
	do(t, db,
		"CREATE TABLE DB.e (at DateTime, event_id UInt64, n Nullable(UInt8), __n UInt8 DEFAULT 0) ENGINE = MergeTree ORDER BY at",
		"INSERT INTO DB.e (at, event_id) SELECT toDateTime(1700000000) + number, number FROM numbers(1000)")
	m := measured(t, db, "e")
	if m.Changes != nil || m.History != nil || m.Shared != nil || m.Duplicates.Buckets[0].Factor != 1 || m.Duplicates.Settled != "0 second" {
		t.Errorf("measured %+v", m)
	}
}

func TestStabilityIsSuggestedWithExamples(t *testing.T) {
	db := scratch(t)
	do(t, db,
		"CREATE TABLE DB.`o o` (id UInt64, at DateTime, `cou ntry` String, status Nullable(String), v UInt64) ENGINE = ReplacingMergeTree(v) ORDER BY id",
		"SYSTEM STOP MERGES DB.`o o`",
		"INSERT INTO DB.`o o` SELECT number, toDateTime(1700000000) + number, 'de', NULL, 1 FROM numbers(100)",
		"INSERT INTO DB.`o o` SELECT number, toDateTime(1700000000) + number, 'de', 'paid', 2 FROM numbers(40)",
	)
	c := as(t, "locked", HTTP)
	in, err := c.Introspect(context.Background(), db, "o o")
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Stability(context.Background(), in.Source, Named{"time", "toStartOfDay(at)"}, Named{"filter", "status != 'test'"}, Named{"country", "cou ntry"}, Named{"status", "status"})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range got {
		lines = append(lines, fmt.Sprintf("%s %s %d/%d %s", s.Name, s.Suggest, s.Changed, s.Several, s.Basis.Confidence))
	}
	if diff := cmp.Diff([]string{"time stable 0/40 medium", "filter mutable 40/40 high", "country stable 0/40 medium", "status mutable 40/40 high"}, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ex := got[3].Examples; len(ex) != fewExamples || strings.Join(ex[0].Values, ">") != "NULL>paid" {
		t.Errorf("examples = %+v", ex)
	}
	do(t, db, "SYSTEM START MERGES DB.`o o`", "OPTIMIZE TABLE DB.`o o` FINAL")
	got, err = c.Stability(context.Background(), in.Source, Named{"status", "status"})
	if err != nil || got[0].Suggest != designer.Unknown || got[0].Basis.Confidence != Low {
		t.Errorf("after merges: %+v, %v", got, err)
	}
}

func TestGroupsPerBlock(t *testing.T) {
	db := scratch(t)
	do(t, db,
		"CREATE TABLE DB.e (at DateTime, device UInt64, n UInt8) ENGINE = MergeTree ORDER BY at",
		"SYSTEM STOP MERGES DB.e",
		"INSERT INTO DB.e SELECT toDateTime('2026-01-01 00:00:00') + number, number % 10, 1 FROM numbers(1000)",
		"INSERT INTO DB.e SELECT toDateTime('2026-01-02 00:00:00') + number, number % 10, 1 FROM numbers(500)")
	c := as(t, "locked", Native)
	in, err := c.Introspect(context.Background(), db, "e")
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.GroupsPerBlock(context.Background(), in.Source, []string{"toStartOfHour(at)", "device"})
	if err != nil || b.Blocks != 2 || b.Rows != 750 || b.Groups != 10 || b.Reduction() != 75 {
		t.Errorf("%+v, %v", b, err)
	}
}
