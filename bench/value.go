package bench

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
	"github.com/rollsmith/rollsmith/problem"
)

// identify chooses the key columns that carry an entity's number: the first that
// can hold all of them, or several that can do so together.
func (g *generator) identify() error {
	e := g.in("entity")
	key := g.r.KeyColumns()
	if g.r.Source.Feed == designer.Append {
		return nil
	}
	for _, roomy := range []func(designer.Type) bool{func(t designer.Type) bool { return !t.Temporal() }, designer.Type.Temporal} {
		for _, name := range key {
			c := g.r.Source.Column(name)
			if roomy(designer.Type(c.Type)) && capacity(designer.Type(c.Type)) >= float64(g.size.Entities) {
				g.identity[name] = g.numbered(*c, e)
				return nil
			}
		}
	}
	room := 1.0
	for _, name := range key {
		c := g.r.Source.Column(name)
		if n := capacity(designer.Type(c.Type)); n > 1 && room < float64(g.size.Entities) {
			g.identity[name] = g.numbered(*c, fmt.Sprintf("(intDiv(%s, %d) %% %d)", e, int(room), int(n)))
			room *= n
		}
	}
	if room < float64(g.size.Entities) {
		return problem.Field("bench-size", "entities", fmt.Sprint(g.size.Entities), fmt.Sprintf("the key (%s) cannot tell so many entities apart", strings.Join(g.r.Source.Key, ", ")), fmt.Sprintf("%d at most", int(room)))
	}
	return nil
}

// capacity is how many values of a type numbered can make.
func capacity(t designer.Type) float64 {
	switch f := t.Family(); {
	case f == "Bool":
		return 2
	case t.Integer():
		bits, _ := strconv.Atoi(strings.TrimLeft(f, "UInt"))
		if !strings.HasPrefix(f, "U") {
			bits--
		}
		return math.Pow(2, float64(min(bits, 52)))
	case f == "String" || f == "UUID":
		return math.Pow(2, 52)
	case f == "FixedString":
		return math.Pow(10, float64(min(argument(t, 0), 15)))
	case t.Decimal():
		digits, scale := decimalOf(t)
		return math.Pow(10, float64(min(digits-scale, 15)))
	case t.DateTime():
		return 1e8
	case t.DateOnly():
		return 10_000
	}
	return 1
}

// numbered gives a value of the column's type that n determines and no other
// number below the type's capacity does.
func (g *generator) numbered(c designer.Column, n string) string {
	t := designer.Type(c.Type)
	text := ddl.Literal(c.Type)
	switch f := t.Family(); {
	case f == "String":
		return fmt.Sprintf("CAST(concat('id', toString(%s)), %s)", n, text)
	case f == "FixedString":
		return fmt.Sprintf("CAST(leftPad(toString(%s), %d, '0'), %s)", n, argument(t, 0), text)
	case f == "UUID":
		return fmt.Sprintf("CAST(reinterpretAsUUID(leftPad(hex(%s), 16, '0')), %s)", g.hash("'uuid'", n), text)
	case t.DateTime():
		return g.moment(c.Type, fmt.Sprintf("%d - %s", g.end, n), n)
	case t.DateOnly():
		return fmt.Sprintf("CAST(toDate(%s), %s)", n, text)
	}
	return fmt.Sprintf("CAST(%s, %s)", n, text)
}

// moment gives a number of seconds as a value of a temporal type; days, of one
// that holds days alone, so that it still grows.
func (g *generator) moment(t, seconds, days string) string {
	text := ddl.Literal(t)
	if designer.Type(t).DateOnly() {
		return fmt.Sprintf("CAST(toDate(%d + %s), %s)", g.start/86400, days, text)
	}
	return fmt.Sprintf("CAST(toDateTime(%s), %s)", seconds, text)
}

// value gives a believable value of a column from a hash; change is the number
// of the version that it last changed in.
func (g *generator) value(c designer.Column, h, change string) string {
	t := designer.Type(c.Type).Bare()
	if !g.r.TimeIsColumn() && slices.Contains(g.r.TimeColumns(), c.Name) && (t.Numeric() || t.Family() == "String") {
		return g.written(c, t, h, change)
	}
	if list := g.palette(c, t); len(list) > 0 {
		return fmt.Sprintf("arrayElement([%s], 1 + %s %% %d)", strings.Join(list, ", "), h, len(list))
	}
	switch f := t.Family(); {
	case t.Temporal():
		return g.time(c, t, h, change)
	case f == "Bool":
		return h + " % 2"
	case t.Integer():
		return fmt.Sprintf("%s %% %d", h, g.spread(c.Name, capacity(t)))
	case t.Float():
		return fmt.Sprintf("(%s %% 100000) / 100", h)
	case t.Decimal():
		digits, scale := decimalOf(t)
		whole := int64(math.Pow(10, float64(min(max(digits-scale, 0), 3))))
		return fmt.Sprintf("CAST((%s %% %d) / 100, %s)", h, whole*100, ddl.Literal(string(t)))
	case f == "String":
		return fmt.Sprintf("concat('v', toString(%s %% %d))", h, g.spread(c.Name, 1000))
	case f == "FixedString":
		return fmt.Sprintf("leftPad(toString(%s %% 1000), %d, '0')", h, argument(t, 0))
	case f == "UUID":
		return fmt.Sprintf("reinterpretAsUUID(leftPad(hex(%s), 16, '0'))", h)
	case f == "IPv4":
		return fmt.Sprintf("toIPv4(toUInt32(%s %% 65536))", h)
	}
	return "defaultValueOfTypeName(" + ddl.Literal(c.Type) + ")" // arrays, maps, tuples, JSON: of no weight to the question
}

// spread is how many values a column takes: a dimension's few, others as many as
// an attribute of the entity would.
func (g *generator) spread(column string, room float64) int {
	for _, x := range g.r.Dims {
		if slices.Contains(x.Columns, column) {
			return max(int(min(float64(g.card), room)), 1)
		}
	}
	if room < 1<<20 {
		return max(int(min(room, 1000)), 1)
	}
	return max(g.size.Entities/5, 100)
}

// time spreads moments over the buckets: entities come in the order of their
// time, and one that moves goes to the bucket before.
func (g *generator) time(c designer.Column, t designer.Type, h, change string) string {
	at := g.seconds(c, h, change)
	if t.DateOnly() {
		return "toDate(toDateTime(" + at + "))"
	}
	return "toDateTime(" + at + ")"
}

// seconds gives such a moment as seconds since 1970.
func (g *generator) seconds(c designer.Column, h, change string) string {
	at := fmt.Sprintf("%d + intDiv(%s * %d, %d) - %s %% %d", g.start, g.in("entity"), g.end-g.start, g.size.Entities, h, min(g.bucket, 86400))
	if slices.Contains(g.r.TimeColumns(), c.Name) && change != "0" {
		at += fmt.Sprintf(" - if(%s > 0, %d, 0)", change, g.bucket)
	}
	return at
}

// fractions are the words by which an expression reads parts of a second.
var fractions = []struct {
	words *regexp.Regexp
	parts int64
}{
	{regexp.MustCompile(`(?i)nano|1e9\b|\b1000000000\b`), 1_000_000_000},
	{regexp.MustCompile(`(?i)micro|1e6\b|\b1000000\b`), 1_000_000},
	{regexp.MustCompile(`(?i)milli|1e3\b|\b1000\b`), 1_000},
}

// asNumber matches an expression that reads a text as a number of seconds.
var asNumber = regexp.MustCompile(`(?i)fromUnixTimestamp|toU?Int\d|toFloat|toDecimal|accurateCast`)

// written gives such a moment as the column of a time that is an expression has
// it: as a number of seconds or parts of one, or as text.
func (g *generator) written(c designer.Column, t designer.Type, h, change string) string {
	text := g.r.Grain.Time.Column
	at, parts := g.seconds(c, h, change), int64(1)
	if t.Family() == "String" && !asNumber.MatchString(text) {
		return "toString(toDateTime(" + at + ", " + ddl.Literal(g.r.Zone.Name) + "))"
	}
	for _, f := range fractions {
		if f.words.MatchString(text) {
			parts = f.parts
			break
		}
	}
	number := fmt.Sprintf("toInt64(%s) * %d", at, parts)
	if parts > 1 {
		number += fmt.Sprintf(" + %s %% %d", h, parts)
	}
	if t.Family() == "String" {
		return "toString(" + number + ")"
	}
	return fmt.Sprintf("CAST(%s, %s)", number, ddl.Literal(string(t)))
}

var (
	textLiteral   = regexp.MustCompile(`'(?:[^'\\]|\\.|'')*'`)
	numberLiteral = regexp.MustCompile(`(^|[^\w.'])(\d{1,9})\b`)
)

// palette gives the values of a column that the design's own conditions name,
// with as many others, so that a filter keeps some rows and drops some. It is
// empty for columns that no condition compares with a literal.
func (g *generator) palette(c designer.Column, t designer.Type) []string {
	var list []string
	for _, x := range g.r.Expressions() {
		if x.Role != designer.RoleFilter && x.Role != designer.RoleDimension || !slices.Contains(g.r.Facts.Exprs[x.Path].Columns, c.Name) {
			continue
		}
		switch f := t.Family(); {
		case f == "String" || f == "Enum8" || f == "Enum16":
			list = append(list, textLiteral.FindAllString(x.Text, 8)...)
		case t.Integer() && f != "Bool" && x.Role == designer.RoleFilter:
			for _, m := range numberLiteral.FindAllStringSubmatch(x.Text, 8) {
				if n, _ := strconv.ParseFloat(m[2], 64); n < capacity(t) {
					list = append(list, m[2])
				}
			}
		}
	}
	switch f := t.Family(); {
	case f == "Enum8" || f == "Enum16":
		list = textLiteral.FindAllString(string(t), -1)
	case f == "String" && (len(list) > 0 || g.spread(c.Name, 1000) < 1000):
		enough := 4
		if few := g.spread(c.Name, 1000); few < 1000 {
			enough = few
		}
		for i := 0; len(list) < max(enough, 2); i++ {
			list = append(list, fmt.Sprintf("'v%d'", i))
		}
	case len(list) > 0:
		for i := range 3 {
			list = append(list, fmt.Sprint(i))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// argument gives the i-th number in a type's parentheses.
func argument(t designer.Type, i int) int {
	_, inside, _ := strings.Cut(strings.TrimSuffix(string(t.Bare()), ")"), "(")
	parts := strings.Split(inside, ",")
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(parts[i]))
	return n
}

// decimalOf gives a Decimal's digits and scale, however it is written.
func decimalOf(t designer.Type) (digits, scale int) {
	if width, ok := map[string]int{"Decimal32": 9, "Decimal64": 18, "Decimal128": 38, "Decimal256": 76}[t.Family()]; ok {
		return width, argument(t, 0)
	}
	return argument(t, 0), argument(t, 1)
}
