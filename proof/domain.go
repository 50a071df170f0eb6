package proof

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rollsmith/rollsmith/designer"
)

// hostileStrings are few, so that entities share them, and ugly, so that a
// statement which quotes or compares badly is found.
var hostileStrings = []string{"", "a", "b", "A", " a", "é", "日本語", "it's", `back\slash`, "`tick`",
	"line\nbreak", "tab\there", "NULL", "0", "🙂", strings.Repeat("long ", 60)}

// domain gives the values a column may take. Bounded domains stay clear of
// overflow when a hundred of them are added up.
func domain(t designer.Type, bounded bool, times []time.Time) []literal {
	var out []literal
	switch bare := t.Bare(); {
	case bare.Family() == "Bool":
		out = []literal{"true", "false"}
	case bare.Integer():
		out = integers(bare, bounded)
	case bare.Float():
		out = floats(bounded)
	case bare.Decimal():
		out = decimals(bare)
	case bare.Temporal():
		for _, at := range times {
			out = append(out, moment(bare, at.In(zoneOf(bare))))
		}
	default:
		out = words(bare)
	}
	if t.Nullable() {
		out = append(out, null)
	}
	return out
}

func words(t designer.Type) []literal {
	var out []literal
	switch t.Family() {
	case "String":
		for _, s := range hostileStrings {
			out = append(out, quote(s))
		}
	case "FixedString":
		for _, s := range hostileStrings {
			if len(s) <= scaleOf(t) {
				out = append(out, quote(s))
			}
		}
	case "UUID":
		for _, n := range []string{"00000000", "00000001", "ffffffff", "7fffffff"} {
			out = append(out, quote(n+"-0000-4000-8000-000000000001"), quote("00000000-0000-4000-8000-0000"+n))
		}
	case "Enum8", "Enum16":
		out, _ = enumValues(t)
	case "IPv4":
		out = []literal{"'0.0.0.0'", "'10.0.0.1'", "'10.0.0.2'", "'255.255.255.255'"}
	case "IPv6":
		out = []literal{"'::'", "'::1'", "'2001:db8::1'", "'::ffff:10.0.0.1'"}
	default:
		if inner, ok := arrayOf(t); ok {
			one := domain(inner, true, nil)
			out = []literal{"[]"}
			for i := 0; i+1 < len(one) && i < 4; i++ {
				out = append(out, "["+one[i]+", "+one[i+1]+"]")
			}
			return out
		}
		out = []literal{zero(t)}
	}
	return out
}

var intPattern = regexp.MustCompile(`^(U?)Int(\d+)$`)

// intRange gives the least and the greatest value of an integer type.
func intRange(t designer.Type) (low, high *big.Int) {
	m := intPattern.FindStringSubmatch(t.Family())
	bits := 8
	signed := false
	if m != nil {
		bits, _ = strconv.Atoi(m[2])
		signed = m[1] == ""
	}
	one := big.NewInt(1)
	if signed {
		high = new(big.Int).Lsh(one, uint(bits-1))
		return new(big.Int).Neg(high), high.Sub(high, one)
	}
	high = new(big.Int).Lsh(one, uint(bits))
	return new(big.Int), high.Sub(high, one)
}

func integers(t designer.Type, bounded bool) []literal {
	low, high := intRange(t)
	out := []literal{}
	for _, n := range []int64{0, 1, 2, 3, 10, 100, -1, -7} {
		if v := big.NewInt(n); v.Cmp(low) >= 0 && v.Cmp(high) <= 0 {
			out = append(out, v.String())
		}
	}
	if bounded && high.BitLen() > 40 {
		// 2^10 of them still fit
		high = new(big.Int).Rsh(high, 10)
		low = new(big.Int).Quo(low, big.NewInt(1<<10))
	}
	out = append(out, high.String())
	if low.Sign() < 0 {
		out = append(out, low.String())
	}
	return out
}

// floats are of one sign, so that the truth itself is well-conditioned: what is
// off by more than a billionth is then the rollup's doing.
func floats(bounded bool) []literal {
	out := []literal{"0", "0.1", "0.2", "0.3", "1", "2.5", "1e-7", "123456.789", "1e15"}
	if !bounded {
		out = append(out, "-1", "-0.5", "1e300", "-1e300")
	}
	return out
}

var decimalArgs = regexp.MustCompile(`\d+`)

// precision gives the digits and the scale of a Decimal.
func precision(t designer.Type) (digits, scale int) {
	_, args, _ := strings.Cut(string(t.Bare()), "(")
	n := decimalArgs.FindAllString(args, -1)
	at := func(i int) int {
		if i < len(n) {
			v, _ := strconv.Atoi(n[i])
			return v
		}
		return 0
	}
	switch t.Family() {
	case "Decimal32":
		return 9, at(0)
	case "Decimal64":
		return 18, at(0)
	case "Decimal128":
		return 38, at(0)
	case "Decimal256":
		return 76, at(0)
	}
	if len(n) == 0 {
		return 10, 0
	}
	return at(0), at(1)
}

func decimals(t designer.Type) []literal {
	digits, scale := precision(t)
	whole := digits - scale
	frac := func(n int64) literal {
		if scale == 0 {
			return "'" + strconv.FormatInt(n, 10) + "'"
		}
		sign := ""
		if n < 0 {
			sign, n = "-", -n
		}
		return fmt.Sprintf("'%s0.%0*d'", sign, scale, n)
	}
	out := []literal{"'0'", frac(1), frac(3)}
	if whole > 0 {
		out = append(out, "'1'", "'2'", "'-1'", "'7'")
	}
	if whole > 4 {
		big := strings.Repeat("9", min(whole, digits-3))
		if digits > 38 {
			big = strings.Repeat("9", min(whole, 30))
		}
		out = append(out, "'1500'", "'"+big+"'", "'-"+big+"'")
	}
	return out
}

// keyValue gives the i-th value of a key column; different i give different
// values as far as the type has them.
func keyValue(t designer.Type, i int, base time.Time) literal {
	bare := t.Bare()
	switch {
	case bare.Family() == "Bool":
		return []literal{"true", "false"}[i%2]
	case bare.Integer():
		low, high := intRange(bare)
		switch i {
		case 5:
			return high.String()
		case 7:
			return low.String()
		}
		v := big.NewInt(int64(i))
		return v.Mod(v, high).String()
	case bare.Decimal():
		_, scale := precision(bare)
		if scale > 0 {
			return fmt.Sprintf("'0.%0*d'", scale, i)
		}
		return quote(strconv.Itoa(i))
	case bare.Float():
		return strconv.Itoa(i)
	case bare.DateOnly():
		return moment(bare, base.AddDate(0, 0, i))
	case bare.Temporal():
		return moment(bare, base.Add(time.Duration(i)*time.Second))
	}
	switch bare.Family() {
	case "String":
		if i < len(hostileStrings) {
			return quote(hostileStrings[i])
		}
		return quote("k" + strconv.Itoa(i))
	case "FixedString":
		s := strconv.FormatInt(int64(i), 36)
		return quote(s[:min(len(s), scaleOf(bare))])
	case "UUID":
		return quote(fmt.Sprintf("%08x-0000-4000-8000-%012x", i%3, i))
	case "IPv4":
		return quote(fmt.Sprintf("10.0.%d.%d", i/256%256, i%256))
	case "IPv6":
		return quote(fmt.Sprintf("2001:db8::%x", i+1))
	case "Enum8", "Enum16":
		if names, _ := enumValues(bare); len(names) > 0 {
			return names[i%len(names)]
		}
	}
	return zero(bare)
}

var (
	stringLiteral = regexp.MustCompile(`'((?:[^'\\]|\\.|'')*)'`)
	numberLiteral = regexp.MustCompile(`-?\b\d+(?:\.\d+)?\b`)
)

// mine finds, in the text of a condition, the values of a column's type that
// make it true or false: the literals and their neighbours.
func mine(text string, t designer.Type) []literal {
	var out []literal
	bare := t.Bare()
	plain := stringLiteral.ReplaceAllString(text, " ")
	for _, n := range numberLiteral.FindAllString(plain, -1) {
		out = append(out, around(bare, n)...)
	}
	for _, m := range stringLiteral.FindAllStringSubmatch(text, -1) {
		switch {
		case bare.Family() == "String":
			s := strings.NewReplacer("%", "", "_", "x").Replace(m[1])
			out = append(out, "'"+m[1]+"'", "'"+s+"'", "'"+s+"z'")
		case bare.Family() == "FixedString" && len(m[1]) <= scaleOf(bare):
			out = append(out, "'"+m[1]+"'")
		case bare.Temporal():
			for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02"} {
				if at, err := time.ParseInLocation(layout, m[1], zoneOf(bare)); err == nil {
					out = append(out, moment(bare, at), moment(bare, at.Add(-time.Second)), moment(bare, at.AddDate(0, 0, 1)))
				}
			}
		case bare.Numeric() && bare.Family() != "Bool":
			out = append(out, around(bare, m[1])...)
		}
	}
	return out
}

// around gives a number and its neighbours, as far as the type holds them.
func around(t designer.Type, n string) []literal {
	r, ok := new(big.Rat).SetString(n)
	if !ok || t.Family() == "Bool" {
		return nil
	}
	var out []literal
	for _, step := range []int64{0, 1, -1} {
		v := new(big.Rat).Add(r, new(big.Rat).SetInt64(step))
		switch {
		case t.Integer() && v.IsInt():
			if low, high := intRange(t); v.Num().Cmp(low) >= 0 && v.Num().Cmp(high) <= 0 {
				out = append(out, v.Num().String())
			}
		case t.Float():
			out = append(out, v.FloatString(6))
		case t.Decimal():
			digits, scale := precision(t)
			if s := v.FloatString(scale); len(strings.Trim(s, "-."))-1 <= digits {
				out = append(out, "'"+s+"'")
			}
		}
	}
	return out
}

// some picks n different values, or all of them where there are fewer.
func some(rng *rand.Rand, from []literal, n int) []literal {
	out := make([]literal, 0, n)
	for _, i := range rng.Perm(len(from)) {
		if len(out) == n {
			break
		}
		out = append(out, from[i])
	}
	return out
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// dateTimeStart and dateTimeEnd bound the moments that a DateTime holds in any
// zone.
var (
	dateTimeStart = time.Date(1970, 1, 3, 0, 0, 0, 0, time.UTC)
	dateTimeEnd   = time.Date(2105, 12, 30, 0, 0, 0, 0, time.UTC)
)
