package proof

import (
	"math"
	"testing"

	"github.com/rollsmith/rollsmith/designer"
)

// TestQuantileOfInfinities: an approximate quantile that is infinite is itself.
func TestQuantileOfInfinities(t *testing.T) {
	for _, sign := range []int{1, -1} {
		inf, level, exact := math.Inf(sign), 0.5, false
		v := value{float: &inf, text: "inf"}
		want, _ := quantile(designer.Metric{Kind: designer.Quantile, Level: &level, Exact: &exact}, []value{v, v})
		if !want.fits(v) {
			t.Errorf("%v is not %s", inf, want.text)
		}
	}
}
