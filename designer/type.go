package designer

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Type is a ClickHouse data type as the engine names it.
type Type string

// wrapped gives T of "wrapper(T)".
func (t Type) wrapped(wrapper string) (Type, bool) {
	s := strings.TrimSpace(string(t))
	if strings.HasPrefix(s, wrapper+"(") && strings.HasSuffix(s, ")") {
		return Type(s[len(wrapper)+1 : len(s)-1]), true
	}
	return t, false
}

// Bare gives the type without LowCardinality and Nullable.
func (t Type) Bare() Type {
	if in, ok := t.wrapped("LowCardinality"); ok {
		t = in
	}
	if in, ok := t.wrapped("Nullable"); ok {
		t = in
	}
	return t
}

// Full gives the type without LowCardinality: what aggregate states are made of.
func (t Type) Full() Type {
	if in, ok := t.wrapped("LowCardinality"); ok {
		return in
	}
	return t
}

// Nullable reports whether the type admits NULL.
func (t Type) Nullable() bool {
	_, ok := t.Full().wrapped("Nullable")
	return ok
}

// OrNull gives the type that also admits NULL.
func (t Type) OrNull() Type {
	if t.Nullable() {
		return t
	}
	if in, ok := t.wrapped("LowCardinality"); ok {
		return "LowCardinality(Nullable(" + in + "))"
	}
	return "Nullable(" + t + ")"
}

// Family gives the type's name without its parameters: Decimal, DateTime64, Enum8.
func (t Type) Family() string {
	name, _, _ := strings.Cut(string(t.Bare()), "(")
	return strings.TrimSpace(name)
}

var intType = regexp.MustCompile(`^(U?)Int(8|16|32|64|128|256)$`)

// Float reports whether sums of this type round.
func (t Type) Float() bool {
	f := t.Family()
	return f == "Float32" || f == "Float64" || f == "BFloat16"
}

// Integer reports whether the type is an integer or Bool.
func (t Type) Integer() bool { return intType.MatchString(t.Family()) || t.Family() == "Bool" }

// Decimal reports whether the type is a Decimal.
func (t Type) Decimal() bool { return strings.HasPrefix(t.Family(), "Decimal") }

// Numeric reports whether values of the type can be added up.
func (t Type) Numeric() bool { return t.Integer() || t.Float() || t.Decimal() }

// Temporal reports whether the type is a point in time.
func (t Type) Temporal() bool { return t.DateOnly() || t.DateTime() }

// DateOnly reports whether the type is a calendar day.
func (t Type) DateOnly() bool { f := t.Family(); return f == "Date" || f == "Date32" }

// DateTime reports whether the type is a moment.
func (t Type) DateTime() bool { f := t.Family(); return f == "DateTime" || f == "DateTime64" }

// roomyDigits is the widest Decimal whose sums stay in 38 digits: ten thousand
// million of the greatest value fit. sum() itself wraps in silence.
const roomyDigits = 28

// Sum gives the type of our sums over this type, as ClickHouse has it: 64 bits
// for narrower integers, 38 digits for Decimals, Float64. Decimals that leave no
// room in 38 digits are added up in 76.
func (t Type) Sum() Type {
	m := intType.FindStringSubmatch(t.Family())
	switch {
	case t.Float():
		return "Float64"
	case t.Family() == "Bool":
		return "UInt64"
	case m != nil && (m[2] == "128" || m[2] == "256"):
		return Type(m[0])
	case m != nil:
		return Type(m[1] + "Int64")
	case t.Decimal():
		precision, scale := t.decimal()
		if precision > roomyDigits {
			return Type(fmt.Sprintf("Decimal(76, %d)", scale))
		}
		return Type(fmt.Sprintf("Decimal(38, %d)", scale))
	}
	return t
}

// tight reports whether sum() over the type would be of the type itself, so that
// a few great values overflow it.
func (t Type) tight() bool {
	precision, _ := t.decimal()
	return t.Decimal() && precision > roomyDigits && precision <= 38
}

// Signed gives the type of the same width that also holds negative sums.
func (t Type) Signed() Type { return Type(strings.TrimPrefix(string(t), "U")) }

var digits = regexp.MustCompile(`\d+`)

// decimal gives precision and scale of Decimal(P, S) and Decimal32(S) and its kin.
func (t Type) decimal() (precision, scale int) {
	bare := string(t.Bare())
	_, args, _ := strings.Cut(bare, "(")
	n := digits.FindAllString(args, -1)
	num := func(i int) int {
		if i < len(n) {
			v, _ := strconv.Atoi(n[i])
			return v
		}
		return 0
	}
	switch t.Family() {
	case "Decimal32":
		return 9, num(0)
	case "Decimal64":
		return 18, num(0)
	case "Decimal128":
		return 38, num(0)
	case "Decimal256":
		return 76, num(0)
	}
	if len(n) == 0 {
		return 10, 0
	}
	return num(0), num(1)
}

// reads reports whether the text is a value of a number's or a time's type, in
// the text form that a CAST takes. Texts of other types are not looked into.
func (t Type) reads(text string) bool {
	m := intType.FindStringSubmatch(t.Family())
	switch {
	case m != nil:
		n, ok := new(big.Int).SetString(text, 10)
		bits, _ := strconv.Atoi(m[2])
		if m[1] == "" {
			bits--
		}
		return ok && (m[1] == "" || n.Sign() >= 0) && n.BitLen() <= bits
	case t.Decimal(), t.Float():
		_, err := strconv.ParseFloat(text, 64)
		return err == nil
	case t.DateOnly():
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case t.DateTime():
		_, err := time.Parse(time.DateTime, text) // a fraction may follow
		return err == nil
	}
	return true
}

// Zoned reports whether a moment's type names its time zone.
func (t Type) Zoned() bool { return t.DateTime() && strings.Contains(string(t.Bare()), "'") }
