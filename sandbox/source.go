package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/problem"
)

// source is the document's table as an expression sees it: columns without rows.
type source struct {
	names map[string]bool
	alias string // a name no expression can know
	from  string // " FROM null('structure') AS alias"
}

// source checks the columns and makes an empty table of them, by name only.
func (a *Analyst) source(ctx context.Context, columns []designer.Column) (*source, error) {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	s := &source{names: map[string]bool{}, alias: "source_" + hex.EncodeToString(random)}
	var parts []string
	for _, c := range columns {
		s.names[c.Name] = true
		parts = append(parts, ddl.Ident(c.Name)+" "+c.Type)
	}
	s.from = " FROM null(" + ddl.Literal(strings.Join(parts, ", ")) + ") AS " + s.alias
	if err := a.checkTypes(ctx, columns, s.from); err != nil {
		return nil, err
	}
	return s, nil
}

// checkTypes has every type parsed alone, then all described together, and looks
// for the culprit only where that fails.
func (a *Analyst) checkTypes(ctx context.Context, columns []designer.Column, from string) error {
	var texts []string
	for i, c := range columns {
		if err := guard(c.Type); err != nil {
			return typeProblem(i, c, err.Error())
		}
		texts = append(texts, ddl.Literal("CREATE TABLE t (x "+c.Type+"\n) ENGINE = Null"))
	}
	formatted, err := a.formatted(ctx, texts)
	if err != nil {
		return err
	}
	for i, text := range formatted {
		if text == "" {
			return typeProblem(i, columns[i], "it does not parse as a type")
		}
	}
	err = a.describe(ctx, columns, from)
	if err == nil {
		return nil
	}
	if _, ok := exceptionMessage(err); !ok && !errors.Is(err, errNotType) {
		return failed(err)
	}
	for i, c := range columns {
		alone := " FROM null(" + ddl.Literal(ddl.Ident(c.Name)+" "+c.Type) + ")"
		if err := a.describe(ctx, columns[i:i+1], alone); err != nil {
			return typeProblem(i, c, engineText(err, ""))
		}
	}
	return problem.Field("columns", "source.columns", "", "ClickHouse does not take these columns: "+engineText(err, ""), "")
}

// describe is nil when the engine sees exactly these columns and nothing beside
// their types.
func (a *Analyst) describe(ctx context.Context, columns []designer.Column, from string) error {
	rows, err := a.conn.Query(ctx, "DESCRIBE TABLE"+strings.TrimPrefix(from, " FROM"))
	if err != nil {
		return err
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		cells := make([]any, len(rows.Columns()))
		texts := make([]string, len(cells))
		for i := range cells {
			cells[i] = &texts[i]
		}
		if err := rows.Scan(cells...); err != nil {
			return err
		}
		if n >= len(columns) || texts[0] != columns[n].Name || strings.Join(texts[2:], "") != "" {
			return errNotType
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if n != len(columns) {
		return errNotType
	}
	return nil
}

var errNotType = errors.New("it is more than a type")

func typeProblem(i int, c designer.Column, why string) error {
	return problem.Field("column-type", fmt.Sprintf("source.columns[%d].type", i), c.Type,
		fmt.Sprintf("ClickHouse does not take this as the type of %s: %s", c.Name, why), "give the type as DESCRIBE TABLE prints it, such as Nullable(UInt64)")
}

// owner is the source column that a resolved name belongs to: itself, or the one
// whose part it is (tuple.field, array.size0).
func (s *source) owner(name string) string {
	for at := len(name); at > 0; at = strings.LastIndexByte(name[:at], '.') {
		if s.names[name[:at]] {
			return name[:at]
		}
	}
	return ""
}

// prepare reads once what the engine knows of functions and zones.
func (a *Analyst) prepare(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ready {
		return nil
	}
	var zones, functions []string
	var column string
	// The column was renamed in 2025; servers have one of the two.
	err := a.conn.QueryRow(ctx, "SELECT any(name), any(version()) FROM system.columns WHERE database = 'system' AND table = 'functions' AND name IN ('deterministic', 'is_deterministic')").Scan(&column, &a.version)
	if err != nil {
		return failed(err)
	}
	if column == "" {
		column = "1"
	}
	err = a.conn.QueryRow(ctx, "SELECT (SELECT groupArray(time_zone) FROM system.time_zones), groupArray(lower(name)) FROM system.functions WHERE NOT is_aggregate AND ifNull("+column+", 0) = 0").Scan(&zones, &functions)
	if err != nil {
		return failed(err)
	}
	a.zones, a.forbidden = map[string]bool{}, nameSet(neverInRow)
	for _, zone := range zones {
		a.zones[zone] = true
	}
	for _, name := range functions {
		a.forbidden[name] = true
	}
	a.ready = true
	return nil
}

// neverInRow are functions that engines call deterministic, or did in older
// versions, and whose value or effect is not the row's alone.
const neverInRow = `now now64 today yesterday rand rand32 rand64 randConstant generateUUIDv4 generateUUIDv7
	rowNumberInBlock rowNumberInAllBlocks blockNumber blockSize runningDifference runningAccumulate neighbor arrayJoin
	sleep sleepEachRow throwIf globalVariable file getSetting getMacro hostName currentUser currentDatabase
	joinGet joinGetOrNull dictGet dictHas version uptime timezone serverTimezone evalMLMethod catboostEvaluate
	partitionId getScalar __getScalar toColumnTypeName getSubcolumnNames exists globalIn globalNotIn grouping indexHint`

// shardFunctions may stand in a sharding key, where the domain judges them.
var shardFunctions = nameSet(`rand rand32 rand64 randConstant`)

// checkType says whether an expression's type fits its role.
func checkType(x designer.Expression, fact designer.ExprFact) error {
	bare := string(designer.Type(fact.Type).Bare())
	name, _, _ := strings.Cut(bare, "(")
	switch x.Role {
	case designer.RoleFilter:
		if bare != "UInt8" && bare != "Bool" {
			return refuse("expr-type", x, "a condition must be true or false, and this is "+fact.Type, "compare it with something, such as x > 0")
		}
		return nil
	case designer.RoleShard:
		if !integerType.MatchString(bare) {
			return refuse("expr-type", x, "a sharding key must be a whole number, and this is "+fact.Type, "hash it, such as cityHash64(x)")
		}
		return nil
	case designer.RoleTime:
		if !designer.Type(fact.Type).Temporal() {
			return refuse("time-column-type", x, "a bucket needs a time, and this is "+fact.Type, "an expression that gives a Date, Date32, DateTime or DateTime64, such as toDateTime(epoch), fromUnixTimestamp64Milli(ms) or parseDateTimeBestEffortOrNull(text)")
		}
		if len(fact.Columns) == 0 {
			return refuse("expr-constant", x, "this is the same for every row", "use a column of the source")
		}
		return nil
	case designer.RolePartition:
		if name == "Tuple" {
			return nil
		}
	case designer.RoleKey, designer.RoleOrder:
		if len(fact.Columns) == 0 {
			return refuse("expr-constant", x, "this is the same for every row", "use a column of the source")
		}
	}
	if notScalarType[name] || strings.HasPrefix(name, "Interval") {
		return refuse("expr-type", x, "one value is needed, and this is "+fact.Type, "take one element or one field of it, or turn it into text")
	}
	return nil
}

var (
	integerType   = regexp.MustCompile(`^U?Int\d+$`)
	notScalarType = map[string]bool{
		"Array": true, "Tuple": true, "Map": true, "Nested": true, "AggregateFunction": true, "Nothing": true,
		"JSON": true, "Object": true, "Dynamic": true, "Variant": true, "Set": true, "Function": true, "QBit": true,
		"Point": true, "Ring": true, "Polygon": true, "MultiPolygon": true, "LineString": true, "MultiLineString": true,
	}
)

// engineText is the engine's message without our statement around it: positions
// count from the expression's own start.
func engineText(err error, prefix string) string {
	exception, ok := exceptionMessage(err)
	if !ok {
		return err.Error()
	}
	text := ownStatement.ReplaceAllString(exception, "")
	text = expectations.ReplaceAllString(text, "")
	text = failedPosition.ReplaceAllStringFunc(text, func(match string) string {
		var at int
		if _, err := fmt.Sscanf(match, "failed at position %d", &at); err != nil || prefix == "" {
			return match
		}
		return fmt.Sprintf("failed at position %d", max(1, at-len(prefix)))
	})
	text = sourceName.ReplaceAllString(text, "the source")
	return strings.TrimSpace(strings.ReplaceAll(text, "\n", " "))
}

// exceptionMessage is what the engine itself said, if it said something.
func exceptionMessage(err error) (string, bool) {
	var exception *clickhouse.Exception
	if !errors.As(err, &exception) {
		return "", false
	}
	return exception.Message, true
}

var (
	failedPosition = regexp.MustCompile(`failed at position \d+`)
	expectations   = regexp.MustCompile(`(?s)( \(line \d+, col \d+\))?: [^:]*\. (Expected one of|Unmatched|Max).*$|(?s)\. Expected one of.*$`)
	ownStatement   = regexp.MustCompile(`(?s)[.:]? [Ii]n scope .* AS source_[0-9a-f]{16}`)
	sourceName     = regexp.MustCompile(`source_[0-9a-f]{16}`)
)
