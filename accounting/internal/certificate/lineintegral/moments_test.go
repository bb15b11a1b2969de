package lineintegral

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// lawCase is one phase tilted in one direction.
type lawCase struct {
	Phase
	dir direction
	a   float64
	cut Cut

	replaced bool
}

func (c lawCase) law() law {
	w := newLaw(c.Phase)
	w.cut, w.replaced = c.cut, c.replaced
	return w
}

func lawCases(t *testing.T) (all []lawCase, lines []realLine) {
	for _, p := range []Phase{{0.01, 1, 1}, {0.3, 0.5, 1}, {0.9, 4, 1}, {1e-4, 2, 1}, {0.5, 0.8, 1}} {
		for _, a := range []float64{0.3, 2, 12} {
			cut := Cut{At: 6 * p.Noise, Width: 0.2 * p.Noise}
			all = append(all, lawCase{p, remove, a, Cut{}, false}, lawCase{p, add, a, Cut{}, false}, lawCase{p, remove, a, cut, false})
			if a == 2 || p.Rate > 0.2 {
				all = append(all, lawCase{p, remove, a, Cut{}, true}, lawCase{p, remove, a, cut, true})
			}
		}
	}
	for _, c := range all {
		r, ok := newRealLine(c.law(), c.dir, c.a, fine)
		if !ok {
			t.Fatalf("%+v: no real line", c)
		}
		lines = append(lines, r)
	}
	return all, lines
}

// moment returns E g e^{(α+it)l}, E over N(0, σ²), by a fine sum over the real line in plain
// floats, for t/σ² up to 600.
func (c lawCase) moment(t float64) complex128 {
	var sum complex128
	alpha := complex(c.dir.order(c.a).Lo, t)
	step := 0.01 * c.Noise
	ratio := func(x float64) float64 {
		return numeric.Log(1 - c.Rate + c.Rate*math.Exp((2*x-1)/(2*c.Noise*c.Noise)))
	}
	for x := -18*c.Noise - c.a; x < 18*c.Noise+2*c.a+1; x += step {
		l := ratio(x)
		u := 0.0
		if c.cut.some() {
			u = math.Exp((x - c.cut.At) / c.cut.Width)
		}
		if c.replaced { // a loss of l - ratio(-x), with the density ρ e^{ratio(-x)}
			l -= ratio(-x)
			u -= ratio(-x)
		}
		sum += cmplx.Exp(alpha*complex(l, 0) - complex(x*x/(2*c.Noise*c.Noise)+u, 0))
	}
	return sum * complex(step/(c.Noise*math.Sqrt(2*math.Pi)), 0)
}

// TestMoments compares moments with sums over the real line, for accurate and for coarse nodes.
// The reference errs by 1e-11 of M(c).
func TestMoments(t *testing.T) {
	all, lines := lawCases(t)
	for i, c := range all {
		r := lines[i]
		whole := real(c.moment(0))
		if m := r.logM().Exp(); !(m.Lo <= whole*(1+1e-11) && m.Hi >= whole*(1-1e-11)) || m.Hi-m.Lo > 1e-10*whole {
			t.Errorf("%+v: M in [%.15g, %.15g], want %.15g", c, m.Lo, m.Hi, whole)
		}
		for _, spacing := range []float64{0.1, 2} {
			for _, tail := range []float64{35, 8, 3, 1} {
				m, ok := newMoments(r, spacing, 20, tail)
				if !ok && tail > 3 {
					t.Fatalf("%+v: no moments", c)
				}
				for j := 0; ok && j < 20; j++ {
					got, _ := m.next()
					if j%6 != 0 {
						continue
					}
					want := c.moment((float64(j)+0.5)*spacing)/complex(whole, 0) - 1
					if far := cmplx.Abs(complex(got.Re, got.Im) - want); far > got.Rad+3e-11 {
						t.Errorf("%+v, tail %g, point %d of distance %g: off by %g, radius %g", c, tail, j, spacing, far, got.Rad)
					}
					if tail == 35 && got.Rad > 1e-10 {
						t.Errorf("%+v, point %d of distance %g: radius %g", c, j, spacing, got.Rad)
					}
				}
			}
		}
	}
}

// TestDecay: the bounds of |φ| are above it and fall, and are not far above it where it begins to
// fall.
func TestDecay(t *testing.T) {
	all, lines := lawCases(t)
	for i, c := range all {
		r := lines[i]
		levels, lines := r.levels(), newShifted(r)
		last := [2]float64{1, 1}
		for at := 0.01; at < 150; at *= 2.2 {
			phi := cmplx.Abs(c.moment(at)) / real(c.moment(0))
			bounds := [2]float64{1 - deficit(levels, at), lines.phi(at)}
			for k, b := range bounds {
				if b < phi-1e-11 || b > last[k] {
					t.Errorf("%+v: bound %d of |φ(%g)| is %g after %g, |φ| = %g", c, k, at, b, last[k], phi)
				}
			}
			last = bounds
			if 1-phi > 1e-9 && phi > 0.9 && 1-bounds[0] < (1-phi)/10 {
				t.Errorf("%+v: |φ(%g)| <= 1 - %g, truth 1 - %g", c, at, 1-bounds[0], 1-phi)
			}
		}
	}
}

// TestArgument compares with math.Atan2.
func TestArgument(t *testing.T) {
	for _, y := range []float64{1e-300, 1e-9, 1e-4, 0.3, 1, 7, 1e9} {
		for _, sign := range []float64{1, -1} {
			got, want := argument(interval.Of(1.7), interval.Of(sign*y)), math.Atan2(sign*y, 1.7)
			if slack := 4e-16 * math.Abs(want); !(got.Lo <= want+slack && got.Hi >= want-slack) || got.Hi-got.Lo > 1e-14*math.Abs(want) {
				t.Errorf("argument(1.7, %g) in [%.17g, %.17g], want %.17g", sign*y, got.Lo, got.Hi, want)
			}
		}
	}
	if got := argument(interval.Of(1), I{Lo: -1e-3, Hi: 2e-3}); got.Lo > -1e-3 || got.Hi < 2e-3-1e-8 {
		t.Errorf("argument around 0: %v", got)
	}
}

// TestPolar: powers of 1+a and turns hold the numbers of math/cmplx.
func TestPolar(t *testing.T) {
	holds := func(what string, b ball, want complex128, relative float64) {
		t.Helper()
		far := cmplx.Abs(complex(b.Re, b.Im) - want)
		if far > b.Rad+1e-15*cmplx.Abs(want)*relative || b.Rad > 1e-14*relative*(cmplx.Abs(want)+1e-300) {
			t.Errorf("%s: %v ± %g, want %v", what, complex(b.Re, b.Im), b.Rad, want)
		}
	}
	a := ball{Re: 0.3, Im: -0.7, Rad: 1e-17}
	holds("quotient", over(a, interval.Of(3)), complex(0.1, -0.7/3), 1)
	for _, n := range []float64{1, 7, 1e6} {
		small := ball{Re: 3e-7, Im: 2e-6, Rad: 1e-25}
		z := complex(3e-7, 2e-6)
		want := cmplx.Exp(complex(n, 0) * (z - z*z/2 + z*z*z/3))
		holds(fmt.Sprintf("power %g of 1+a", n), onePlusToThe(small, n), want, 1)
	}
	holds("1+a near 0", onePlusToThe(ball{Re: -0.9, Im: 0.1}, 3), cmplx.Pow(complex(0.1, 0.1), 3), 10)
	holds("polar", polar(interval.Of(-2), interval.Of(1)), cmplx.Exp(complex(-2, 1)), 2)
	holds("polar less 1", turnLess1(interval.Of(-1e-3), interval.Of(2e-3)), cmplx.Exp(complex(-1e-3, 2e-3))-1, 100)
}
