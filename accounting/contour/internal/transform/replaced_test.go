package transform

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

// replacedCase is the law of a replaced record, tilted at a.
type replacedCase struct{ q, sigma, a float64 }

// log returns the logarithm of ρ A(x)^{a+1} A(-x)^{-a} at x+iy, and the loss there.
func (c replacedCase) log(x, y float64) (tilted, loss complex128) {
	z, s2 := complex(x, y), complex(c.sigma*c.sigma, 0)
	ratio := func(z complex128) complex128 {
		return cmplx.Log(complex(1-c.q, 0) + complex(c.q, 0)*cmplx.Exp((2*z-1)/(2*s2)))
	}
	up, down := ratio(z), ratio(-z)
	density := complex(numeric.Log(c.sigma*math.Sqrt(2*math.Pi)), 0)
	return complex(c.a+1, 0)*up - complex(c.a, 0)*down - z*z/(2*s2) - density, up - down
}

// sum adds f over the outputs, weighted by the size of the tilted law at y.
func (c replacedCase) sum(y, step float64, f func(loss complex128, x float64) complex128) (sum complex128) {
	for x := -13*c.sigma - 1; x < 13*c.sigma+c.a*(1+c.q)+2; x += step * c.sigma {
		tilted, loss := c.log(x, y)
		sum += complex(step*c.sigma, 0) * complex(math.Exp(real(tilted)), 0) * f(loss, x)
	}
	return sum
}

// replacedCases draws laws whose M is far from overflow.
func replacedCases(n int) (all []replacedCase) {
	rng := rand.New(rand.NewPCG(34, 11))
	for len(all) < n {
		c := replacedCase{math.Exp(-7*rng.Float64()) * 0.95, 0.5 * math.Exp(2.5*rng.Float64()), math.Exp(5*rng.Float64() - 1)}
		if replacedK(c.q, c.sigma, c.a) < 300 {
			all = append(all, c)
		}
	}
	return all
}

// TestReplacedMoments compares M, its mean and deviation with plain sums.
func TestReplacedMoments(t *testing.T) {
	compared := 0
	for _, c := range replacedCases(60) {
		s, ok := newTilted(Phase{Q: c.q, Sigma: c.sigma, Count: 1, Replaced: true}, &Meter{}, Remove, c.a, 40, uncut)
		if !ok {
			t.Fatalf("%+v: not tilted", c)
		}
		m := real(c.sum(0, 0.02, func(complex128, float64) complex128 { return 1 }))
		mean := real(c.sum(0, 0.02, func(l complex128, _ float64) complex128 { return l })) / m
		square := real(c.sum(0, 0.02, func(l complex128, _ float64) complex128 { return (l - complex(mean, 0)) * (l - complex(mean, 0)) })) / m
		if math.Abs(numeric.Log(m)-s.logM) > s.errLogM+1e-12*(1+math.Abs(s.logM)) || math.Abs(mean-s.mean) > s.errMean+1e-11*(1+math.Abs(mean)) || math.Abs(math.Sqrt(square)-s.sd) > 1e-6*s.sd {
			t.Errorf("%+v: log M %.15g, mean %.15g, deviation %g; want %.15g, %.15g, %g", c, s.logM, s.mean, s.sd, numeric.Log(m), mean, math.Sqrt(square))
		}
		if most := replacedK(c.q, c.sigma, c.a); s.logM > most+1e-12 {
			t.Errorf("%+v: log M %g is above %g", c, s.logM, most)
		}
		s.setStep(0.5 / s.sd)
		var out [8]complex128
		s.at(0.25/s.sd, out[:])
		for k, got := range out {
			at := 0.25/s.sd + float64(k)*0.5/s.sd
			if at > 30*c.sigma { // the sum does not resolve e^{itL}
				break
			}
			want := c.sum(0, 0.01, func(l complex128, _ float64) complex128 {
				return cmplx.Exp((l - complex(s.mean, 0)) * complex(0, at))
			})/complex(m, 0) - 1
			if far := cmplx.Abs(got - want); far > s.error(at)+3e-11 {
				t.Errorf("%+v, t %g: φ - 1 = %v, want %v", c, at, got, want)
			}
			compared++
		}
	}
	if compared < 200 {
		t.Errorf("compared %d", compared)
	}
}

// TestReplacedGrowth compares both bounds with the integrals that they bound. On some lines each of
// the two is the lesser.
func TestReplacedGrowth(t *testing.T) {
	flat, turned := 0, 0
	for _, c := range replacedCases(60) {
		w := &Law{Phase: Phase{Q: c.q, Sigma: c.sigma, Count: 1, Replaced: true}}
		g := w.growth(Remove, c.a)
		m := real(c.sum(0, 0.02, func(complex128, float64) complex128 { return 1 }))
		mean := real(c.sum(0, 0.02, func(l complex128, _ float64) complex128 { return l })) / m
		sd := math.Sqrt(real(c.sum(0, 0.02, func(l complex128, _ float64) complex128 { return (l - complex(mean, 0)) * (l - complex(mean, 0)) })) / m)
		for _, theta := range []float64{0.1, 0.5, 1, 1.5, 2, 2.8} {
			y := theta * c.sigma * c.sigma
			log, withLoss := g.both(y)
			area := real(c.sum(y, 0.02, func(complex128, float64) complex128 { return 1 })) / m
			lossArea := real(c.sum(y, 0.02, func(_ complex128, x float64) complex128 {
				_, l := c.log(x, 0)
				return complex(math.Abs(real(l)-mean)/sd, 0)
			})) / m
			lift := y * y / (2 * c.sigma * c.sigma)
			if numeric.Log(area)-lift > log+1e-9 || numeric.Log(lossArea)-lift > withLoss+1e-9 {
				t.Errorf("%+v, θ %g: growth %g, with the loss %g, bounds %g, %g", c, theta, numeric.Log(area)-lift, numeric.Log(lossArea)-lift, log, withLoss)
			}
			if everywhere := g.everywhere(y); everywhere > log {
				flat++
			} else {
				turned++
			}
		}
	}
	if flat < 20 || turned < 20 {
		t.Errorf("the lesser bound is that of small rates on %d lines, and the other on %d", flat, turned)
	}
}

// TestReplacedTail compares the bounds of |φ(t)| by lines and by level sets with φ itself.
func TestReplacedTail(t *testing.T) {
	useful := [2]int{}
	for _, c := range replacedCases(60) {
		s, ok := newTilted(Phase{Q: c.q, Sigma: c.sigma, Count: 2, Replaced: true}, &Meter{}, Remove, c.a, 40, uncut)
		if !ok {
			t.Fatalf("%+v: not tilted", c)
		}
		m := real(c.sum(0, 0.02, func(complex128, float64) complex128 { return 1 }))
		for _, at := range []float64{0.3, 1, 3, 10, 40} {
			freq := at / s.sd
			phi := cmplx.Abs(c.sum(0, 0.002, func(l complex128, _ float64) complex128 { return cmplx.Exp(l * complex(0, freq)) })) / m
			bounds := [2]float64{s.line.logPhi(freq), math.Log1p(-deficit(s.levels, freq))}
			for i, b := range bounds {
				if numeric.Log(phi) > b+1e-9 && phi > 1e-10 {
					t.Errorf("%+v, t %g: log |φ| = %g, bound %d is %g", c, freq, numeric.Log(phi), i, b)
				}
				if b < -0.5 && phi > 1e-6 {
					useful[i]++
				}
			}
		}
	}
	if useful[0] < 20 || useful[1] < 20 {
		t.Errorf("bounds below e^-1/2: %v", useful)
	}
}
