package proof

import (
	"math/big"
	"testing"

	"github.com/rollsmith/rollsmith/designer"
)

func num(n int64) value { return ratValue(new(big.Rat).SetInt64(n)) }

func lenses(values ...value) []metricLens {
	out := make([]metricLens, len(values))
	for i, v := range values {
		out[i] = metricLens{expr: v, order: num(int64(i))}
	}
	return out
}

// The evaluator is the second opinion on every proof, so its own answers are
// held against values worked out by hand.
func TestAggregates(t *testing.T) {
	half, ninth := 0.5, 0.9
	for _, c := range []struct {
		name   string
		metric designer.Metric
		kind   designer.Type
		in     []metricLens
		want   value
	}{
		{"count counts rows", designer.Metric{Kind: designer.Count}, "", lenses(nullValue, num(1)), num(2)},
		{"count of an expression skips NULL", designer.Metric{Kind: designer.Count, Expr: "x"}, "Nullable(Int8)", lenses(nullValue, num(1)), num(1)},
		{"sum of nothing is 0", designer.Metric{Kind: designer.Sum}, "Int8", nil, num(0)},
		{"sum of nothing but NULL is NULL", designer.Metric{Kind: designer.Sum}, "Nullable(Int8)", lenses(nullValue), nullValue},
		{"sum is wider than its values", designer.Metric{Kind: designer.Sum}, "Int8", lenses(num(127), num(127)), num(254)},
		{"sum overflows as 64 bits do", designer.Metric{Kind: designer.Sum}, "Int64", lenses(num(1<<62), num(1<<62)), num(-1 << 63)},
		{"min", designer.Metric{Kind: designer.Min}, "Int8", lenses(num(3), num(-2)), num(-2)},
		{"max of nothing is NULL", designer.Metric{Kind: designer.Max}, "Int8", nil, nullValue},
		{"distinct", designer.Metric{Kind: designer.CountDistinct}, "Int8", lenses(num(3), num(3), nullValue), num(1)},
		{"median takes the upper one", designer.Metric{Kind: designer.Quantile, Level: &half}, "Int8", lenses(num(4), num(1), num(3), num(2)), num(3)},
		{"0.9 of ten", designer.Metric{Kind: designer.Quantile, Level: &ninth}, "Int8", lenses(num(1), num(2), num(3), num(4), num(5), num(6), num(7), num(8), num(9), num(10)), num(10)},
		{"last may be NULL", designer.Metric{Kind: designer.Last}, "Nullable(Int8)", lenses(num(1), nullValue), nullValue},
	} {
		t.Run(c.name, func(t *testing.T) {
			cell, _ := aggregate(c.metric, c.kind, c.in)
			if !cell.fits(c.want) {
				t.Errorf("%s does not fit: %s is wanted", c.want, cell.text)
			}
			if cell.fits(num(987654)) {
				t.Error("anything fits")
			}
		})
	}
}

func list(values ...value) value { return value{items: append([]value{}, values...)} }

func TestTopKTakesTiesInAnyOrder(t *testing.T) {
	c := topK(2, []value{num(1), num(1), num(2), num(3)})
	for _, ok := range []value{list(num(1), num(2)), list(num(1), num(3))} {
		if !c.fits(ok) {
			t.Errorf("%v does not fit", ok.items)
		}
	}
	for _, bad := range []value{list(num(2), num(1)), list(num(1)), list(num(1), num(1)), list(num(1), num(2), num(3)), nullValue} {
		if c.fits(bad) {
			t.Errorf("%v fits", bad.items)
		}
	}
	if none := topK(2, nil); !none.fits(list()) || none.fits(nullValue) {
		t.Error("a list of nothing is empty, not NULL")
	}
}

func TestSameIsExactWhereNothingRounds(t *testing.T) {
	big1 := float64(1 << 53)
	exact := num(1<<53 + 1)
	if same(exact, value{float: &big1, text: "9007199254740992"}, false) {
		t.Error("a Float64 that lost a digit is taken for the exact sum")
	}
	if !same(exact, value{float: &big1}, true) {
		t.Error("a rounded sum within a billionth is refused")
	}
	zero := num(0)
	if same(zero, nullValue, false) || same(nullValue, zero, true) {
		t.Error("NULL and 0 are taken for the same")
	}
}
