package designer_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

var everyType = []designer.Type{
	"Int8", "Int16", "Int32", "Int64", "Int128", "Int256", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128", "UInt256", "Bool", "Float32", "Float64", "BFloat16",
	"Decimal(9, 2)", "Decimal(18, 4)", "Decimal(38, 10)", "Decimal(76, 3)", "Decimal32(3)", "Decimal64(3)", "Decimal128(3)", "Decimal256(3)", "Decimal(10)", "Decimal",
	"Date", "Date32", "DateTime", "DateTime('Asia/Kolkata')", "DateTime64(3)", "DateTime64(6, 'UTC')", "String", "FixedString(5)", "UUID", "IPv4", "IPv6",
	"Enum8('a' = 1, 'it\\'s, (odd)' = 2)", "Enum16('x' = -300)",
	"Nullable(Int32)", "Nullable(Decimal(9, 2))", "Nullable(Bool)", "Nullable(DateTime64(3, 'UTC'))", "Nullable(String)", "Nullable(Float32)",
	"LowCardinality(String)", "LowCardinality(Nullable(String))", "LowCardinality(FixedString(3))", "LowCardinality(UInt16)", "LowCardinality(Nullable(Date))", "LowCardinality(Nullable(UInt64))",
}

// named gives each type as the engine names it.
func named(t *testing.T, types []designer.Type) []string {
	t.Helper()
	var parts []string
	for _, x := range types {
		parts = append(parts, "toTypeName(defaultValueOfTypeName("+ddl.Literal(string(x))+"))")
	}
	return column[string](t, "SELECT arrayJoin(["+strings.Join(parts, ", ")+"]) SETTINGS allow_suspicious_low_cardinality_types = 1")
}

// TestTypesAreTheEngines: what Type says of a type is what the engine does.
func TestTypesAreTheEngines(t *testing.T) {
	ask := func(format string, keep func(designer.Type) bool, say func(designer.Type) designer.Type) {
		t.Helper()
		var want, got []string
		var said []designer.Type
		for _, x := range everyType {
			if keep(x) {
				expr := strings.ReplaceAll(format, "?", "defaultValueOfTypeName("+ddl.Literal(string(x))+")")
				want = append(want, column[string](t, "SELECT toTypeName("+expr+") FROM numbers(1) SETTINGS allow_suspicious_low_cardinality_types = 1")...)
				said = append(said, say(x))
			}
		}
		got = named(t, said)
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
			t.Errorf("%s (-engine +designer):\n%s", format, diff)
		}
	}
	all := func(designer.Type) bool { return true }
	roomy := func(x designer.Type) bool {
		return x.Numeric() && !strings.HasPrefix(string(x), "Decimal(38") && !strings.HasPrefix(string(x), "Decimal128")
	}
	ask("sum(?)", roomy, func(x designer.Type) designer.Type {
		if x.Nullable() {
			return x.Bare().Sum().OrNull()
		}
		return x.Bare().Sum()
	})
	ask("assumeNotNull(toNullable(?))", func(x designer.Type) bool { return !strings.HasPrefix(string(x), "LowCardinality") }, designer.Type.Bare)
	ask("toNullable(?)", all, designer.Type.OrNull)
	ask("materialize(CAST(?, toTypeName(?)))", all, func(x designer.Type) designer.Type { return x })
}

// TestTypeFamilies tells what a type is good for.
func TestTypeFamilies(t *testing.T) {
	type says struct{ Float, Integer, Decimal, Temporal, DateOnly, DateTime, Nullable, Zoned bool }
	for typ, want := range map[designer.Type]says{
		"UInt64":                                 {Integer: true},
		"Bool":                                   {Integer: true},
		"LowCardinality(Nullable(UInt64))":       {Integer: true, Nullable: true},
		"Nullable(Float32)":                      {Float: true, Nullable: true},
		"BFloat16":                               {Float: true},
		"Decimal(9, 2)":                          {Decimal: true},
		"Nullable(Decimal64(2))":                 {Decimal: true, Nullable: true},
		"Date32":                                 {Temporal: true, DateOnly: true},
		"DateTime":                               {Temporal: true, DateTime: true},
		"DateTime64(3)":                          {Temporal: true, DateTime: true},
		"Nullable(DateTime64(3, 'Asia/Tokyo'))":  {Temporal: true, DateTime: true, Nullable: true, Zoned: true},
		"Enum8('Nullable(' = 1)":                 {},
		"String":                                 {},
		"Array(Nullable(UInt8))":                 {},
		"IPv4":                                   {},
		"LowCardinality(DateTime('Asia/Tokyo'))": {Temporal: true, DateTime: true, Zoned: true},
	} {
		got := says{typ.Float(), typ.Integer(), typ.Decimal(), typ.Temporal(), typ.DateOnly(), typ.DateTime(), typ.Nullable(), typ.Zoned()}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", typ, diff)
		}
	}
}
