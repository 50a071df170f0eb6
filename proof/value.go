package proof

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"net"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"github.com/rollsmith/rollsmith/designer"
)

// value is one value as the engine answered it, made comparable.
type value struct {
	null  bool
	text  string   // how a person reads it, and what tells values of a group apart
	num   *big.Rat // numbers but floats
	float *float64
	bytes []byte // order of what is ordered by its bytes
	at    *time.Time
	items []value // arrays
}

func (v value) String() string { return v.text }

var nullValue = value{null: true, text: "NULL"}

// valueOf makes a driver's value comparable. t is the column's type.
func valueOf(v any, t designer.Type) value {
	rv := reflect.ValueOf(v)
	for rv.Kind() == reflect.Pointer && rv.Type() != reflect.TypeFor[*big.Int]() {
		if rv.IsNil() {
			return nullValue
		}
		rv = rv.Elem()
	}
	if !rv.IsValid() {
		return nullValue
	}
	switch x := rv.Interface().(type) {
	case *big.Int:
		return ratValue(new(big.Rat).SetInt(x))
	case big.Int:
		return ratValue(new(big.Rat).SetInt(&x))
	case decimal.Decimal:
		return ratValue(x.Rat())
	case time.Time:
		return momentValue(x, t)
	case string:
		return stringValue(x, t)
	case []byte:
		return value{text: strconv.Quote(string(x)), bytes: x}
	case uuid.UUID:
		// ClickHouse orders UUIDs by their second half first.
		return value{text: x.String(), bytes: append(append([]byte{}, x[8:]...), x[:8]...)}
	case net.IP:
		b := []byte(x.To16())
		return value{text: x.String(), bytes: b}
	case bool:
		n := int64(0)
		if x {
			n = 1
		}
		r := ratValue(new(big.Rat).SetInt64(n))
		return r
	}
	return kindValue(rv, t)
}

func kindValue(rv reflect.Value, t designer.Type) value {
	switch rv.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return ratValue(new(big.Rat).SetInt64(rv.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return ratValue(new(big.Rat).SetInt(new(big.Int).SetUint64(rv.Uint())))
	case reflect.Float32, reflect.Float64:
		f := rv.Float()
		return value{text: strconv.FormatFloat(f, 'g', -1, 64), float: &f}
	case reflect.Slice, reflect.Array:
		inner, ok := arrayOf(t)
		if !ok {
			inner = t
		}
		out := value{items: []value{}}
		var words []string
		for i := range rv.Len() {
			item := valueOf(rv.Index(i).Interface(), inner)
			out.items = append(out.items, item)
			words = append(words, item.text)
		}
		out.text = "[" + strings.Join(words, ", ") + "]"
		return out
	}
	text := fmt.Sprint(rv.Interface())
	return value{text: text, bytes: []byte(text)}
}

func ratValue(r *big.Rat) value {
	text := r.RatString()
	if !r.IsInt() {
		text = strings.TrimRight(r.FloatString(40), "0")
	}
	return value{text: text, num: r}
}

func momentValue(at time.Time, t designer.Type) value {
	if t.DateOnly() {
		return value{text: at.Format("2006-01-02"), at: &at}
	}
	text := at.Format("2006-01-02 15:04:05.999999999")
	if at.Location() != time.UTC {
		text += at.Format(" -0700")
	}
	return value{text: text, at: &at}
}

func stringValue(s string, t designer.Type) value {
	if f := t.Family(); f == "Enum8" || f == "Enum16" {
		_, numbers := enumValues(t)
		order := make([]byte, 8)
		binary.BigEndian.PutUint64(order, uint64(numbers[s]+math.MaxInt32))
		return value{text: strconv.Quote(s), bytes: order}
	}
	return value{text: strconv.Quote(s), bytes: []byte(s)}
}

// real gives a number as Float64 holds it.
func (v value) real() (float64, bool) {
	switch {
	case v.float != nil:
		return *v.float, true
	case v.num != nil:
		f, _ := v.num.Float64()
		return f, true
	case v.at != nil:
		return float64(v.at.UnixNano()) / 1e9, true
	}
	return 0, false
}

// compare orders two values of one type.
func compare(a, b value) int {
	switch {
	case a.num != nil && b.num != nil:
		return a.num.Cmp(b.num)
	case a.at != nil && b.at != nil:
		return a.at.Compare(*b.at)
	case a.items != nil && b.items != nil:
		for i := range min(len(a.items), len(b.items)) {
			if c := compare(a.items[i], b.items[i]); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(a.items), len(b.items))
	}
	x, ok := a.real()
	y, ok2 := b.real()
	if ok && ok2 {
		return cmp.Compare(x, y)
	}
	return strings.Compare(string(a.bytes), string(b.bytes))
}

// same reports whether two values are equal: exactly, or, where floats are
// allowed, within a billionth.
func same(a, b value, rounded bool) bool {
	if a.null || b.null {
		return a.null && b.null
	}
	if rounded {
		x, ok := a.real()
		y, ok2 := b.real()
		return ok && ok2 && nearly(x, y)
	}
	if a.num != nil && b.float != nil {
		a, b = b, a
	}
	if a.float != nil && b.num != nil {
		if math.IsInf(*a.float, 0) || math.IsNaN(*a.float) {
			return false
		}
		return new(big.Rat).SetFloat64(*a.float).Cmp(b.num) == 0
	}
	if a.items != nil && b.items != nil {
		if len(a.items) != len(b.items) {
			return false
		}
		for i := range a.items {
			if !same(a.items[i], b.items[i], false) {
				return false
			}
		}
		return true
	}
	kind := func(v value) [4]bool { return [4]bool{v.num != nil, v.float != nil, v.at != nil, v.items != nil} }
	return kind(a) == kind(b) && compare(a, b) == 0
}

// nearly is the contract's tolerance for sums of floats: 1e-9, relative.
func nearly(x, y float64) bool {
	if x == y || (math.IsNaN(x) && math.IsNaN(y)) {
		return true
	}
	return math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
}

// table is an answer of the engine.
type table struct {
	names []string
	types []designer.Type
	rows  [][]value
}

// read takes a result set in.
func read(rows driver.Rows) (*table, error) {
	defer rows.Close()
	t := &table{names: rows.Columns()}
	for _, c := range rows.ColumnTypes() {
		t.types = append(t.types, designer.Type(c.DatabaseTypeName()))
	}
	kinds := rows.ColumnTypes()
	for rows.Next() {
		into := make([]any, len(kinds))
		for i, c := range kinds {
			into[i] = reflect.New(c.ScanType()).Interface()
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		line := make([]value, len(into))
		for i, v := range into {
			line[i] = valueOf(v, t.types[i])
		}
		t.rows = append(t.rows, line)
	}
	return t, rows.Err()
}

// plain gives a row for a person: a map of column names to texts.
func (t *table) plain() []map[string]string {
	out := make([]map[string]string, 0, len(t.rows))
	for _, r := range t.rows {
		line := map[string]string{}
		for i, v := range r {
			line[t.names[i]] = v.text
		}
		out = append(out, line)
	}
	return out
}
