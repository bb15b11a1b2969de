package transform

import (
	"math"
	"testing"
)

// TestSmallPartMean compares the mean loss of the small part of a cut, whose terms e^{iy}-1-iy rest
// on it, with a sum of its own on a finer grid: it must be known to the error that is claimed where
// the small part is a tiny share of the tilted law, too.
func TestSmallPartMean(t *testing.T) {
	tiny := 0
	for _, f := range []Phase{{Q: 0.5, Sigma: 1, Count: 1}, {Q: 0.9, Sigma: 0.5, Count: 1}, {Q: 0.999, Sigma: 0.3, Count: 2}, {Q: 0.1, Sigma: 0.4, Count: 3}, {Q: 0.01, Sigma: 2, Count: 1}} {
		for _, c := range []float64{0.1, 1, 4, 15} {
			for _, x0 := range []float64{-1, 0.5, 1.5, 3} {
				k := cut{small, x0, cutWidth(f.Sigma, 1)}
				s, ok := newTilted(f, &Meter{}, Remove, c, 40, k)
				if !ok {
					continue
				}
				w := &Law{Phase: f}
				log := func(x float64) float64 {
					return (c+1)*w.lossAt(x) - x*x/(2*f.Sigma*f.Sigma) + k.logShare(x)
				}
				h := f.Sigma * math.Min(f.Sigma, 1) / 64
				lo, hi, top := -12*f.Sigma, 1+c+12*f.Sigma, math.Inf(-1)
				for j := math.Floor(lo / h); j*h < hi; j++ {
					top = math.Max(top, log(j*h))
				}
				var mass, sum float64
				for j := math.Floor(lo / h); j*h < hi; j++ {
					p := math.Exp(log(j*h) - top)
					mass += p
					sum += p * w.lossAt(j*h)
				}
				want := sum / mass
				whole, _ := newTilted(f, &Meter{}, Remove, c, 40, uncut)
				if s.logM < whole.logM-20 {
					tiny++
				}
				slop := 1e-13 * (s.sd + math.Abs(want)) * (1 + c/f.Sigma) // of this sum: exponents are rounded
				if gap := math.Abs(s.mean - want); gap > s.errMean+slop {
					t.Errorf("%+v, c %g, cut at %g: mean %.15g, want %.15g: %.2g off, at most %.2g claimed", f, c, x0, s.mean, want, gap, s.errMean)
				}
			}
		}
	}
	if tiny < 5 {
		t.Errorf("only %d small parts of less than e^-20", tiny)
	}
}
