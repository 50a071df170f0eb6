package sandbox

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/problem"
)

var shopColumns = []designer.Column{
	{Name: "id", Type: "UInt64"}, {Name: "c", Type: "String"}, {Name: "lc", Type: "LowCardinality(String)"},
	{Name: "d", Type: "DateTime"}, {Name: "dz", Type: "DateTime('Europe/Berlin')"}, {Name: "d64", Type: "DateTime64(3)"},
	{Name: "day", Type: "Date"}, {Name: "n", Type: "Nullable(Int32)"}, {Name: "ok", Type: "Bool"},
	{Name: "amount", Type: "Decimal(18, 2)"}, {Name: "arr", Type: "Array(Int32)"}, {Name: "tup", Type: "Tuple(a Int32, b String)"},
	{Name: "a b`c\\d", Type: "Int8"}, {Name: "x (alias y)", Type: "Int8"}, {Name: "from", Type: "UInt8"}, {Name: "cost$", Type: "Int8"},
	{Name: "e", Type: "Enum8('$a$, `z` Int8' = 1, 'it''s' = 2)"}, {Name: "nested.x", Type: "Array(Int8)"},
}

// design is a document that uses one expression in one role.
func design(role designer.Role, text string) *designer.Design {
	d := &designer.Design{Source: designer.Source{Columns: shopColumns}}
	switch role {
	case designer.RoleFilter:
		d.Filter = text
	case designer.RoleDimension:
		d.Grain.Dimensions = []designer.Dimension{{Name: "x", Expr: text}}
	case designer.RoleMetric:
		d.Metrics = []designer.Metric{{Name: "x", Kind: designer.Sum, Expr: text}}
	case designer.RoleOrder:
		d.Metrics = []designer.Metric{{Name: "x", Kind: designer.Last, OrderBy: text}}
	case designer.RoleKey:
		d.Source.Key = []string{text}
	case designer.RolePartition:
		d.Source.PartitionBy = text
	case designer.RoleShard:
		d.Deployment.ShardingKey = text
	}
	return d
}

func TestAnalyseLearnsTypesColumnsAndZone(t *testing.T) {
	e := start(t, Options{})
	for _, c := range []struct {
		role    designer.Role
		text    string
		typ     string
		columns string
		zone    bool
	}{
		{designer.RoleDimension, "c", "String", "c", false},
		{designer.RoleDimension, "upper(lc)", "LowCardinality(String)", "lc", false},
		{designer.RoleDimension, "'all'", "String", "", false},
		{designer.RoleDimension, "`a b\\`c\\\\d` + 1", "Int16", "a b`c\\d", false},
		{designer.RoleDimension, "`x (alias y)`", "Int8", "x (alias y)", false},
		{designer.RoleDimension, "`cost$`", "Int8", "cost$", false},
		{designer.RoleDimension, "tup.a", "Int32", "tup", false},
		{designer.RoleDimension, "tupleElement(tup, 'b')", "String", "tup", false},
		{designer.RoleDimension, "length(`nested.x`)", "UInt64", "nested.x", false},
		{designer.RoleDimension, "e", "Enum8('$a$, `z` Int8' = 1, 'it\\'s' = 2)", "e", false},
		{designer.RoleMetric, "if(ok, amount, 0)", "Decimal(18, 2)", "amount,ok", false},
		{designer.RoleMetric, "n::Nullable(Int64)", "Nullable(Int64)", "n", false},
		{designer.RoleMetric, "arraySum(x -> x + id, arr)", "Int64", "arr,id", false},
		{designer.RoleMetric, "CASE WHEN c = 'a' THEN 1 ELSE n END", "Nullable(Int32)", "c,n", false},
		{designer.RoleFilter, "c != 'it''s' AND (id IN (1, 2, 3) OR n IS NULL)", "UInt8", "c,id,n", false},
		{designer.RoleFilter, "n > 3", "Nullable(UInt8)", "n", false},
		{designer.RoleFilter, "c = '-- ; /* $x$ #'", "UInt8", "c", false},
		{designer.RoleFilter, "ok", "Bool", "ok", false},
		{designer.RoleFilter, "toYear(day) = 2024", "UInt8", "day", false},
		{designer.RoleOrder, "d64", "DateTime64(3)", "d64", false},
		{designer.RoleKey, "cityHash64(id)", "UInt64", "id", false},
		{designer.RolePartition, "(toYYYYMM(day), c)", "Tuple(UInt32, String)", "c,day", false},
		{designer.RoleShard, "rand()", "UInt32", "", false},

		{designer.RoleDimension, "toHour(d)", "UInt8", "d", true},
		{designer.RoleDimension, "toHour(dz)", "UInt8", "dz", false},
		{designer.RoleDimension, "toHour(d, 'UTC')", "UInt8", "d", false},
		{designer.RoleDimension, "toHour(toTimeZone(d, 'Asia/Tokyo'))", "UInt8", "d", false},
		{designer.RoleDimension, "toString(d64)", "String", "d64", true},
		{designer.RoleDimension, "formatDateTime(d, '%Y')", "String", "d", true},
		{designer.RoleDimension, "formatDateTime(d, '%Y', 'UTC')", "String", "d", false},
		{designer.RoleDimension, "toDate(d)", "Date", "d", true},
		{designer.RoleDimension, "CAST(d, 'Date')", "Date", "d", true},
		{designer.RoleDimension, "d::String", "String", "d", true},
		{designer.RoleDimension, "d::UInt32", "UInt32", "d", false},
		{designer.RoleDimension, "toStartOfInterval(d, INTERVAL 1 HOUR)", "DateTime", "d", true},
		{designer.RoleDimension, "toDateTime(c)", "DateTime", "c", true},
		{designer.RoleDimension, "toDateTime(c, 'UTC')", "DateTime('UTC')", "c", false},
		{designer.RoleDimension, "toDate(id)", "Date", "id", true},
		{designer.RoleDimension, "fromUnixTimestamp64Milli(n::Int64)", "DateTime64(3)", "n", false},
		{designer.RoleDimension, "toDate(fromUnixTimestamp64Milli(id::Int64))", "Date", "id", true},
		{designer.RoleDimension, "toDate(fromUnixTimestamp64Milli(id::Int64, 'UTC'))", "Date", "id", false},
		{designer.RoleMetric, "toUnixTimestamp(d)", "UInt32", "d", false},
		{designer.RoleMetric, "dateDiff('second', d, d + INTERVAL 1 HOUR, 'UTC')", "Int64", "d", false},
		{designer.RoleMetric, "dateDiff('second', d, d64)", "Int64", "d,d64", false},
		{designer.RoleMetric, "date_diff('day', d, dz)", "Int64", "d,dz", true},
		{designer.RoleFilter, "d > dz", "UInt8", "d,dz", false},
		{designer.RoleFilter, "d > '2024-01-01 00:00:00'", "UInt8", "d", true},
		{designer.RoleFilter, "d > toDateTime('2024-01-01 00:00:00', 'UTC')", "UInt8", "d", false},
		{designer.RoleFilter, "dz > '2024-01-01 00:00:00'", "UInt8", "dz", false},
		{designer.RoleFilter, "d + INTERVAL 1 DAY > dz", "UInt8", "d,dz", true},
	} {
		t.Run(c.text, func(t *testing.T) {
			d := design(c.role, c.text)
			facts, err := e.Analyse(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			got := facts.Exprs[d.Expressions()[0].Path]
			want := designer.ExprFact{Type: c.typ, ImplicitZone: c.zone}
			if c.columns != "" {
				want.Columns = strings.Split(c.columns, ",")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// refused are expressions that must not pass, in the role they are tried in.
var refused = []struct {
	role designer.Role
	text string
	code string
}{
	{designer.RoleDimension, "c) , (c", "expr-syntax"},
	{designer.RoleDimension, "c, c", "expr-not-one"},
	{designer.RoleDimension, "1; DROP TABLE x", "expr-not-one"},
	{designer.RoleDimension, "c FROM system.one", "expr-syntax"},
	{designer.RoleDimension, "(select 1)", "expr-subquery"},
	{designer.RoleFilter, "id in (select 1)", "expr-subquery"},
	{designer.RoleFilter, "id in (select 1 union all select 2)", "expr-subquery"},
	{designer.RoleFilter, "exists(select 1)", "expr-not-row"},
	{designer.RoleFilter, "id = any (select 1)", "expr-subquery"},
	{designer.RoleFilter, "id in system.one", "expr-subquery"},
	{designer.RoleFilter, "id in shop", "expr-rejected"},
	{designer.RoleDimension, "c -- ", "expr-not-one"},
	{designer.RoleDimension, "c /*", "expr-not-one"},
	{designer.RoleDimension, "c /* */", "expr-not-one"},
	{designer.RoleDimension, "1 # ", "expr-not-one"},
	{designer.RoleDimension, "'open", "expr-not-one"},
	{designer.RoleDimension, "$a$c$a$", "expr-not-one"},
	{designer.RoleDimension, "‘c’", "expr-not-one"},
	{designer.RoleDimension, "c AS b", "expr-alias"},
	{designer.RoleDimension, "c b", "expr-syntax"},
	{designer.RoleDimension, "(id AS b) + b", "expr-alias"},
	{designer.RoleDimension, "'x' AS b", "expr-alias"},
	{designer.RoleDimension, "@@version", "expr-not-row"},
	{designer.RoleDimension, "*", "expr-not-one"},
	{designer.RoleDimension, "COLUMNS('c')", "expr-not-one"},
	{designer.RoleDimension, "DISTINCT c", "expr-syntax"},
	{designer.RoleDimension, "c LIMIT 1", "expr-syntax"},
	{designer.RoleDimension, "c SETTINGS max_threads = 1", "expr-syntax"},
	{designer.RoleDimension, "c INTO OUTFILE '/tmp/x'", "expr-syntax"},
	{designer.RoleDimension, "WITH 1 AS x SELECT x", "expr-syntax"},
	{designer.RoleDimension, "{x:UInt8}", "expr-syntax"},
	{designer.RoleDimension, "x -> x", "expr-rejected"},
	{designer.RoleDimension, "colour", "expr-rejected"},
	{designer.RoleDimension, "_table", "expr-rejected"},
	{designer.RoleDimension, "source.c", "expr-rejected"},
	{designer.RoleDimension, "noSuchFunction(c)", "expr-rejected"},
	{designer.RoleDimension, "now()", "expr-not-row"},
	{designer.RoleDimension, "TODAY()", "expr-not-row"},
	{designer.RoleDimension, "current_timestamp", "expr-not-row"},
	{designer.RoleDimension, "toDate(now64())", "expr-not-row"},
	{designer.RoleDimension, "rand()", "expr-not-row"},
	{designer.RoleDimension, "rowNumberInBlock()", "expr-not-row"},
	{designer.RoleDimension, "dictGet('a', 'b', id)", "expr-not-row"},
	{designer.RoleDimension, "joinGet('a', 'b', id)", "expr-not-row"},
	{designer.RoleDimension, "currentUser()", "expr-not-row"},
	{designer.RoleDimension, "hostName()", "expr-not-row"},
	{designer.RoleDimension, "getSetting('max_threads')", "expr-not-row"},
	{designer.RoleDimension, "file('/etc/hostname')", "expr-not-row"},
	{designer.RoleDimension, "sleep(3)", "expr-not-row"},
	{designer.RoleDimension, "arrayJoin(arr)", "expr-not-row"},
	{designer.RoleMetric, "sum(id)", "expr-aggregate"},
	{designer.RoleMetric, "countIf(id > 3)", "expr-aggregate"},
	{designer.RoleMetric, "row_number() OVER ()", "expr-window"},
	{designer.RoleMetric, "sum(id) OVER (PARTITION BY c)", "expr-window"},
	{designer.RoleMetric, "arr", "expr-type"},
	{designer.RoleMetric, "tup", "expr-type"},
	{designer.RoleMetric, "NULL", "expr-type"},
	{designer.RoleDimension, "map('a', id)", "expr-type"},
	{designer.RoleDimension, "INTERVAL 1 DAY", "expr-type"},
	{designer.RoleFilter, "id", "expr-type"},
	{designer.RoleFilter, "c", "expr-type"},
	{designer.RoleOrder, "1", "expr-constant"},
	{designer.RoleKey, "'x'", "expr-constant"},
	{designer.RoleKey, "id, c", "expr-not-one"},
	{designer.RolePartition, "id, c", "expr-not-one"},
	{designer.RolePartition, "arrayMap(x -> x, arr)", "expr-type"},
	{designer.RoleShard, "c", "expr-type"},
	{designer.RoleShard, "now()", "expr-not-row"},
}

func TestAnalyseRefusesWhatIsNotOneScalarOfTheRow(t *testing.T) {
	e := start(t, Options{})
	before := value(t, e, "SELECT toString(count()) FROM system.tables")
	for _, c := range refused {
		t.Run(c.text, func(t *testing.T) {
			d := design(c.role, c.text)
			_, err := e.Analyse(context.Background(), d)
			p, ok := problem.As(err)
			if !ok || p.Kind != problem.Invalid {
				t.Fatalf("got %v, want a refusal", err)
			}
			if p.Field != d.Expressions()[0].Path || p.Value != c.text || p.Code != c.code {
				t.Errorf("field %q, value %q, code %q (want %q): %s", p.Field, p.Value, p.Code, c.code, p)
			}
			if strings.Contains(p.Message, "source_") || strings.Contains(p.Message, "EXPLAIN") || strings.Contains(p.Message, "null(") {
				t.Errorf("message shows our own statement: %s", p.Message)
			}
			t.Log(p)
		})
	}
	if after := value(t, e, "SELECT toString(count()) FROM system.tables"); after != before {
		t.Errorf("%s tables before, %s after", before, after)
	}
}

func TestAnalyseNamesTheCulpritAmongMany(t *testing.T) {
	e := start(t, Options{})
	for _, pair := range [][2]string{
		{"plus(id", "1), id"},           // together two expressions
		{"$a$", "c || '$a$'"},           // together one string
		{"id -- ", "c"},                 // a comment that would swallow the next
		{"(id", "c)"},                   // together one tuple
		{"id), (c", "c"},                // more columns than expressions
		{"id /* ", " */ + 1"},           // a comment over both
		{"'", "', 'x"},                  // a string over both
		{"id\n), (c", "c"},              // the same with a line break
		{"tuple(id), sleep(3)", "'ok'"}, // two in one
	} {
		t.Run(pair[0]+" & "+pair[1], func(t *testing.T) {
			d := design(designer.RoleDimension, "c")
			for i, text := range pair {
				d.Grain.Dimensions = append(d.Grain.Dimensions, designer.Dimension{Name: fmt.Sprint(i), Expr: text})
			}
			_, err := e.Analyse(context.Background(), d)
			p, ok := problem.As(err)
			if !ok || p.Kind != problem.Invalid {
				t.Fatalf("got %v, want a refusal", err)
			}
			if p.Field != "grain.dimensions[1].expr" {
				t.Errorf("blamed %s", p)
			}
		})
	}
}

func TestAnalyseRefusesColumnsAndZones(t *testing.T) {
	e := start(t, Options{})
	for _, typ := range []string{"UInt65", "", "Nullable", "Nullable(Array(UInt8))", "UInt8, `y` String", "UInt8 DEFAULT 3", "UInt8 ALIAS 3", "Enum8('a", "UInt8 -- ", "UInt8) ENGINE = Null --", "UInt8 CODEC(ZSTD)"} {
		t.Run(typ, func(t *testing.T) {
			d := design(designer.RoleFilter, "id = 1")
			d.Source.Columns = []designer.Column{{Name: "id", Type: "UInt64"}, {Name: "y", Type: typ}, {Name: "z", Type: "String"}}
			_, err := e.Analyse(context.Background(), d)
			if p, ok := problem.As(err); !ok || p.Field != "source.columns[1].type" || p.Code != "column-type" {
				t.Errorf("got %v", err)
			}
		})
	}
	d := design(designer.RoleFilter, "id = 1")
	d.Grain.Time = &designer.Time{Name: "day", Column: "d", Bucket: "1 day", Timezone: "Europe/Atlantis"}
	_, err := e.Analyse(context.Background(), d)
	if p, ok := problem.As(err); !ok || p.Field != "grain.time.timezone" {
		t.Errorf("zone: got %v", err)
	}
}

func TestAnalyseOfDeadEngineSaysSo(t *testing.T) {
	e := start(t, Options{})
	if err := killGroup(e.cmd.Process); err != nil {
		t.Fatal(err)
	}
	wantDone(t, e)
	_, err := e.Analyse(context.Background(), design(designer.RoleFilter, "id = 1"))
	wantProblem(t, err, "stopped")
}

func BenchmarkAnalyse(b *testing.B) {
	e, err := Start(context.Background(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	d := design(designer.RoleFilter, "c != 'test'")
	d.Source.Key, d.Source.OrderBy, d.Source.PartitionBy = []string{"`id`"}, []string{"`id`"}, "toYYYYMM(d)"
	d.Grain.Dimensions = []designer.Dimension{{Name: "c", Expr: "upper(c)"}, {Name: "n", Expr: "n"}}
	for _, x := range []string{"amount", "id", "n", "if(ok, amount, 0)"} {
		d.Metrics = append(d.Metrics, designer.Metric{Expr: x, Where: "ok"})
	}
	for b.Loop() {
		if _, err := e.Analyse(context.Background(), d); err != nil {
			b.Fatal(err)
		}
	}
}
