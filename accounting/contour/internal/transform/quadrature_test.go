package transform

import (
	"math"
	"math/cmplx"
	"testing"
)

// TestRoundingOfSums adds up the terms p (e^{iy}-1-iy) of the same nodes one by one, each to its
// own relative precision, and compares: T times the difference is an error of log δ, so the model
// of rounding must hold it at the first points, too, where y is small.
func TestRoundingOfSums(t *testing.T) {
	term := func(y complex128) complex128 { // e^{iy}-1-iy
		if cmplx.Abs(y) > 1 {
			return cmplx.Exp(y*1i) - 1 - y*1i
		}
		sum := complex(1, 0)
		for k := 24; k >= 3; k-- {
			sum = 1 + sum*y*1i/complex(float64(k), 0)
		}
		return -y * y / 2 * sum
	}
	for _, f := range []Phase{{Q: 0.17, Sigma: 2.1, Count: 473}, {Q: 0.01, Sigma: 1, Count: 1000}, {Q: 0.5, Sigma: 1, Count: 50}, {Q: 0.9, Sigma: 3, Count: 20}, {Q: 0.05, Sigma: 0.6, Count: 200}, {Q: 0.3, Sigma: 5, Count: 3000}, {Q: 0.02, Sigma: 1.2, Count: 500, Replaced: true}, {Q: 0.6, Sigma: 3, Count: 80, Replaced: true}} {
		for _, dir := range []Direction{Remove, Add} {
			if f.Replaced && dir == Add {
				continue
			}
			for _, c := range []float64{0.3, 1.7, 8} {
				s, ok := newTilted(f, &Meter{}, dir, c, TailFor(f.Count), uncut)
				if !ok {
					continue
				}
				h := 0.2 / s.sd / math.Sqrt(f.Count)
				s.setStep(h)
				for j0 := 0; j0 < 6*block; j0 += block {
					var out [block]complex128
					t0 := (float64(j0) + 0.5) * h
					s.at(t0, out[:])
					for k, got := range out {
						at := t0 + float64(k)*h
						var want complex128
						for i := range s.radius {
							want += complex(s.pr[i], s.pi[i]) * term(complex(at*s.yr[i], at*s.yi[i]))
						}
						if off := cmplx.Abs(got - want); off > s.error(at) {
							t.Errorf("%+v, %v, c %g, point %d: %.3g off, claimed %.3g, of %.3g", f, dir, c, j0+k, off, s.error(at), cmplx.Abs(want))
						}
					}
				}
			}
		}
	}
}
