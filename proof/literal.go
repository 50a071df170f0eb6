package proof

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/designer"
)

// A literal is a value as INSERT … VALUES takes it. Moments are written as
// seconds since 1970, which no session's time zone can move.
type literal = string

const null literal = "NULL"

// quote gives a string literal.
func quote(s string) literal {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range []byte(s) {
		switch r {
		case '\'', '\\':
			b.WriteByte('\\')
			b.WriteByte(r)
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		case 0:
			b.WriteString(`\0`)
		default:
			b.WriteByte(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// ident quotes a name.
func ident(s string) string {
	return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(s) + "`"
}

// moment gives the literal of an instant for a temporal type.
func moment(t designer.Type, at time.Time) literal {
	switch t.Family() {
	case "Date", "Date32":
		return quote(at.Format("2006-01-02"))
	case "DateTime64":
		scale := scaleOf(t)
		if scale == 0 {
			return strconv.FormatInt(at.Unix(), 10)
		}
		frac := fmt.Sprintf("%09d", at.Nanosecond())[:min(scale, 9)]
		return quote(strconv.FormatInt(at.Unix(), 10) + "." + frac)
	}
	return strconv.FormatInt(at.Unix(), 10)
}

var (
	scalePattern = regexp.MustCompile(`\(\s*(\d+)`)
	zonePattern  = regexp.MustCompile(`'([^']+)'`)
)

// scaleOf gives the digits after the second of a DateTime64.
func scaleOf(t designer.Type) int {
	if m := scalePattern.FindStringSubmatch(string(t.Bare())); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 3
}

// zoneOf gives the zone a moment's type names, or UTC.
func zoneOf(t designer.Type) *time.Location {
	if m := zonePattern.FindStringSubmatch(string(t.Bare())); m != nil {
		if zone, err := time.LoadLocation(m[1]); err == nil {
			return zone
		}
	}
	return time.UTC
}

// show gives a literal as a person reads it: moments as date and time.
func show(t designer.Type, l literal) string {
	if l == null || !t.DateTime() {
		return l
	}
	whole, frac, _ := strings.Cut(strings.Trim(l, "'"), ".")
	sec, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return l
	}
	text := time.Unix(sec, 0).In(zoneOf(t)).Format("2006-01-02 15:04:05")
	if frac != "" {
		text += "." + frac
	}
	return "'" + text + "'"
}

var enumPattern = regexp.MustCompile(`'((?:[^'\\]|\\.|'')*)'\s*(?:=\s*(-?\d+))?`)

// enumValues gives the names of an Enum with their numbers, in order.
func enumValues(t designer.Type) ([]literal, map[string]int64) {
	var names []literal
	numbers := map[string]int64{}
	next := int64(1)
	for _, m := range enumPattern.FindAllStringSubmatch(string(t.Bare()), -1) {
		if m[2] != "" {
			next, _ = strconv.ParseInt(m[2], 10, 64)
		}
		names = append(names, "'"+m[1]+"'")
		numbers[strings.NewReplacer(`\'`, `'`, `\\`, `\`, `''`, `'`).Replace(m[1])] = next
		next++
	}
	return names, numbers
}

// zero gives the default value of a type: what a tombstone's other columns may
// hold.
func zero(t designer.Type) literal {
	if t.Nullable() {
		return null
	}
	switch {
	case t.Numeric():
		if t.Family() == "Bool" {
			return "false"
		}
		return "0"
	case t.DateTime():
		return "0"
	}
	switch t.Family() {
	case "Date":
		return quote("1970-01-01")
	case "Date32":
		return quote("1970-01-01")
	case "UUID":
		return quote("00000000-0000-0000-0000-000000000000")
	case "IPv4":
		return quote("0.0.0.0")
	case "IPv6":
		return quote("::")
	case "Enum8", "Enum16":
		if names, _ := enumValues(t); len(names) > 0 {
			return names[0]
		}
	case "Array":
		return "[]"
	case "Map":
		return "{}"
	}
	return "''"
}

// writable reports whether the generator knows how to write values of a type;
// columns of other types are left out of inserts and take their default.
func writable(t designer.Type) bool {
	switch t.Family() {
	case "String", "FixedString", "UUID", "Date", "Date32", "DateTime", "DateTime64",
		"Enum8", "Enum16", "IPv4", "IPv6", "Bool":
		return true
	}
	if inner, ok := arrayOf(t); ok {
		return writable(inner)
	}
	return t.Numeric()
}

// arrayOf gives the element type of an Array.
func arrayOf(t designer.Type) (designer.Type, bool) {
	s := strings.TrimSpace(string(t))
	if strings.HasPrefix(s, "Array(") && strings.HasSuffix(s, ")") {
		return designer.Type(s[len("Array(") : len(s)-1]), true
	}
	return "", false
}
