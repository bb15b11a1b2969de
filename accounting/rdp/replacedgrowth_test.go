package rdp

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

// TestReplacedGrowth compares the growth with the size of the integrand's first term on a line.
func TestReplacedGrowth(t *testing.T) {
	tight := 0
	for _, q := range []float64{0.001, 0.1, 0.5, 0.9} {
		for _, sigma := range []float64{0.5, 1, 3} {
			for _, order := range []float64{1.2, 4, 20} {
				s := replacedIntegral{q: q, logRate: numeric.Log(q), sigma: sigma, a: order - 1, inv: 1 / sigma / sigma}
				area := func(y float64) (sum float64) {
					for x := -14*sigma - 1; x < 14*sigma+2*order; x += sigma / 50 {
						z, s2 := complex(x, y), complex(sigma*sigma, 0)
						ratio := func(z complex128) complex128 {
							return complex(1-q, 0) + complex(q, 0)*cmplx.Exp((2*z-1)/(2*s2))
						}
						log := complex(order, 0)*cmplx.Log(ratio(z)) - complex(s.a, 0)*cmplx.Log(ratio(-z))
						sum += math.Exp(real(log-z*z/(2*s2))) / math.Sqrt(2*math.Pi) / 50
					}
					return sum
				}
				near := area(0)
				for _, theta := range []float64{0.2, 0.8, 1.5, 2.2, 3} {
					y := theta * sigma * sigma
					got, want := s.growth(y)+y*y*s.inv/2, numeric.Log(area(y)/near)
					if got < want-1e-9 {
						t.Errorf("q %g, σ %g, order %g, θ %g: growth %g, bound %g", q, sigma, order, theta, want, got)
					}
					if got < want+0.3 {
						tight++
					}
				}
			}
		}
	}
	if tight < 20 {
		t.Errorf("%d bounds are within a factor of e^0.3", tight)
	}
}
