package lineintegral

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// size returns the size of the integrand g A(x)^{a+1} A(-x)^{-a} ρ(x) of M(a) at x+iy, divided by
// e^scale, in plain floats.
func (c lawCase) size(x, y, scale float64) float64 {
	z, s2 := complex(x, y), complex(c.Noise*c.Noise, 0)
	ratio := func(z complex128) complex128 {
		return cmplx.Log(complex(1-c.Rate, 0) + complex(c.Rate, 0)*cmplx.Exp((2*z-1)/(2*s2)))
	}
	log := complex(c.a+1, 0)*ratio(z) - complex(c.a, 0)*ratio(-z) - z*z/(2*s2) - complex(scale, 0)
	if c.cut.some() {
		log -= cmplx.Exp((z - complex(c.cut.At, 0)) / complex(c.cut.Width, 0))
	}
	return math.Exp(real(log)) / (c.Noise * math.Sqrt(2*math.Pi))
}

// area returns the integral of size over x, by a fine sum.
func (c lawCase) area(y, scale float64) (sum float64) {
	step := 0.02 * c.Noise
	if c.cut.some() {
		step = min(step, 0.05*c.cut.Width)
	}
	for x := -12*c.Noise - 1; x < 12*c.Noise+2*c.a+1; x += step {
		sum += step * c.size(x, y, scale)
	}
	return sum
}

// TestReplacedSizes compares the bounds of replaced.go with what they bound: the sizes on the far
// line, the points left out, and the error of the rule on the real line. A bound without the growth
// lies below some of them.
func TestReplacedSizes(t *testing.T) {
	tight := 0
	for _, p := range []Phase{{0.01, 1, 1}, {0.3, 0.5, 1}, {0.5, 0.8, 1}, {0.9, 2, 1}, {0.5, 5, 1}} {
		for _, a := range []float64{0.3, 4, 30} {
			for _, cut := range []Cut{{}, {At: 6 * p.Noise, Width: 0.2 * p.Noise}, {At: 6 * p.Noise, Width: 0.9 * p.Noise}} {
				c := lawCase{Phase: p, dir: remove, a: a, cut: cut, replaced: true}
				r, ok := newRealLine(c.law(), remove, a, fine)
				if !ok && cut.Width > 0.3*p.Noise { // the rule on the real line is too coarse
					continue
				}
				if !ok {
					t.Fatalf("%+v: no real line", c)
				}
				near := c.area(0, r.scale)
				for _, share := range []float64{0.2, 0.6, 1} {
					b := share * min(1.5*p.Noise, 0.24*math.Pi*p.Noise*p.Noise)
					if cut.some() {
						b = share * min(b, 0.6*cut.Width)
					}
					theta := interval.Of(b).Div(r.square)
					lift := interval.Of(b).Mul(theta).Mul(half)
					step := 0.3 * b
					far := c.area(2*b, r.scale)
					got := r.ruleError(b, step, theta, lift) * math.Expm1(2*math.Pi*b/step)
					if got < (near+far)*(1-1e-9) {
						t.Errorf("%+v, b %g: the rule errs by %g, less than %g", c, b, got, near+far)
					}
					if got < 1.5*(near+far) {
						tight++
					}
					if cut.some() {
						if edge := r.edge(2 * b).Hi; edge < far*(1-1e-9) {
							t.Errorf("%+v, b %g: edge %g is below %g", c, b, edge, far)
						}
					}
					c.checkEnds(t, r, b, lift)
				}
				if !cut.some() {
					c.checkReal(t, r, near)
				}
			}
		}
	}
	if tight < 15 {
		t.Errorf("%d bounds of the rule are within a factor of 1.5", tight)
	}
}

// checkEnds compares leftOut with sums.
func (c lawCase) checkEnds(t *testing.T, r realLine, b float64, lift I) {
	t.Helper()
	theta := newAngle(interval.Of(b).Div(r.square))
	bend := one
	if c.cut.some() {
		bend = interval.Of(b).Div(interval.Of(c.cut.Width)).Cos()
	}
	step := 0.05 * c.Noise
	for _, lo := range []float64{-0.1, -0.5, -0.5 - c.Noise*c.Noise*numeric.Log(1/c.Rate-1), -4 * c.Noise} {
		if lo >= 0 {
			continue
		}
		for _, up := range []float64{0.5, 2, 5} {
			hi := c.a + 1 + c.a*c.Rate + up*c.Noise
			var sum float64
			for k := 1.0; k < 600; k++ {
				sum += step * (c.size(lo-k*step, b, r.scale) + c.size(hi+k*step, b, r.scale))
			}
			got := r.leftOut(remove, c.a, lo, hi, step, lift, theta, bend, 0, r.scale)
			if got < sum*(1-1e-9) {
				t.Errorf("%+v, b %g: points below %g and above %g have %g, bound %g", c, b, lo, hi, sum, got)
			}
		}
	}
}

// checkReal: the bound of the rule on the real line is that of some y, so it is not below the least
// of what these bound.
func (c lawCase) checkReal(t *testing.T, r realLine, near float64) {
	t.Helper()
	for _, step := range []float64{r.step, 4 * r.step, 12 * r.step} {
		r.step = step
		least := math.Inf(1)
		for _, f := range [...]float64{1, 0.6, 0.35, 0.2, 0.1, 0.05} {
			y := f * min(4*r.Noise, 0.9*math.Pi*r.Noise*r.Noise)
			least = min(least, 2*c.area(y, r.scale)/near/math.Expm1(2*math.Pi*y/step))
		}
		if got := r.relativeError(); got < least*(1-1e-9) {
			t.Errorf("%+v, step %g: the rule errs by %g, less than %g", c, step, got, least)
		}
	}
}

// TestReplacedVariation compares with the distance of the laws, from sums over their difference.
func TestReplacedVariation(t *testing.T) {
	for _, p := range []Phase{{0.01, 1, 1}, {0.3, 0.5, 1}, {0.9, 20, 1}} {
		var want float64
		for x := 0.0; x < 9*p.Noise+1; x += p.Noise / 2000 {
			a, b := (x-1)/p.Noise, (x+1)/p.Noise
			want += p.Rate * (math.Exp(-a*a/2) - math.Exp(-b*b/2)) / math.Sqrt(2*math.Pi) / 2000
		}
		got := Program{Phases: []Phase{p}, Replaced: true}.totalVariation()
		if got < want*(1-1e-3) || got > want*1.02 {
			t.Errorf("%+v: distance %g, want %g", p, got, want)
		}
	}
}
