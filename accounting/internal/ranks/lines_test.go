package ranks

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/selection/baserun"
)

// With p = 0 the profile allows p' = δ(e) for every e of the list and no less, however small: δ + e^e·0, and
// 1 - (1-δ) e^-e >= δ as e >= 0.
func TestRankLinesKeepASmallDelta(t *testing.T) {
	for _, delta := range []float64{1e-3, 1e-17, 1e-40, 1e-300} {
		known := []baserun.Point{pointAt(0, 4*delta), pointAt(1e-9, 2*delta), pointAt(1, delta)}
		if got := mostAt0(known); got < delta || got > delta*(1+1e-14) {
			t.Errorf("δ = %g: p' <= %g, want δ", delta, got)
		}
		if got := mostAt0(known[:1]); got < 4*delta || got > 4*delta*(1+1e-14) {
			t.Errorf("δ(0) = %g alone: p' <= %g, want δ(0)", 4*delta, got)
		}
	}
}

func mostAt0(known []baserun.Point) float64 {
	pieces := newRankLines(known).pieces()
	up, _ := pieces[len(pieces)-1].at(0)
	return up
}

func pointAt(e, delta float64) baserun.Point {
	return baserun.Point{E: e, X: math.Exp(e), Delta: delta}
}
