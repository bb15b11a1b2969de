package transform

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

// TestTrimLeft compares what a trim says it leaves out with what it leaves out at least: g is below
// 1/e above x0. Where the example joins nearly every step and σ is small, the search for x0 starts
// far too low.
func TestTrimLeft(t *testing.T) {
	trims := 0
	for _, sigma := range []float64{0.03, 0.06, 0.1, 0.12, 0.2, 0.5, 1, 5} {
		for _, q := range []float64{1e-6, 0.01, 0.5, 0.9, 0.999998, 1 - 1e-12} {
			for _, count := range []float64{1, 3, 100} {
				for _, logLeft := range []float64{-20, -26, -60, -300} {
					p := &MGF{Meter: &Meter{}}
					for _, f := range []Phase{{Q: q, Sigma: sigma, Count: count, Replaced: count == 3}, {Q: 0.3, Sigma: 1, Count: 1}} {
						p.Laws = append(p.Laws, NewLaw(f, TailFor(f.Count), math.Inf(1), p.Meter))
					}
					trim := NewTrim(p, logLeft)
					if trim == nil {
						continue
					}
					trims++
					x0 := trim.cuts[0].x0
					with := numeric.Log(q) + numeric.LogNormalCDF((1-x0)/sigma)
					least := numeric.Log((1-1/math.E)*count) + numeric.Add(with, math.Log1p(-q)+numeric.LogNormalCDF(-x0/sigma))
					if trim.LogLeft < least {
						t.Errorf("σ %g, q %g, %g steps: leaves out e^%g, truly at least e^%g", sigma, q, count, trim.LogLeft, least)
					}
				}
			}
		}
	}
	if trims < 300 {
		t.Errorf("only %d trims", trims)
	}
}
