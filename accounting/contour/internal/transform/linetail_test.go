package transform

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

// TestLineTail compares the bound of |φ(t)| with the transform of the tilted law itself, by a plain
// trapezoid sum in x whose step resolves e^{itl}. At orders where the bound that holds at each x is
// useless in the add direction, the shifted one is used: both occur.
func TestLineTail(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	useful := [2]int{}
	for range 20 {
		q, sigma := math.Exp(-8*rng.Float64())*0.9, 0.3*math.Exp(2.5*rng.Float64())
		c := math.Exp(7*rng.Float64() - 1)
		for _, dir := range []Direction{Remove, Add} {
			s, ok := newTilted(Phase{Q: q, Sigma: sigma, Count: 2}, &Meter{}, dir, c, 40, uncut)
			if !ok {
				continue
			}
			for _, at := range []float64{1, 10, 100} {
				freq := at / s.sd
				bound, size := s.line.logPhi(freq), numeric.Log(transform(q, sigma, dir.order(c), freq))
				if size > bound+1e-9 && size > -25 { // rounding of the sum
					t.Errorf("q %g, σ %g, %v, c %g, t %g: log |φ| = %.12g, bound %.12g", q, sigma, dir, c, freq, size, bound)
				}
				if bound < -1 && size > -25 {
					useful[dir]++
				}
			}
		}
	}
	if useful[Remove] < 5 || useful[Add] < 5 {
		t.Errorf("bounds below e^-1: %d and %d, want at least 5 each, or this shows nothing", useful[Remove], useful[Add])
	}
}

// transform returns |E e^{itl}| under e^{αl}ρ, normalized; 0 where that takes long.
func transform(q, sigma, alpha, freq float64) float64 {
	loss := func(x float64) float64 {
		v := (2*x - 1) / (2 * sigma * sigma)
		if v > 600 {
			return v + numeric.Log(q)
		}
		return math.Log1p(q * math.Expm1(v))
	}
	exponent := func(x float64) float64 { return alpha*loss(x) - x*x/(2*sigma*sigma) }
	lo, hi := math.Min(0, alpha)-10*sigma, math.Max(0, alpha)+10*sigma
	top := math.Inf(-1)
	for x := lo; x < hi; x += sigma / 20 {
		top = math.Max(top, exponent(x))
	}
	for exponent(lo) < top-45 { // one hump or two: where nothing is, is left out
		lo += sigma / 20
	}
	for exponent(hi) < top-45 {
		hi -= sigma / 20
	}
	step := math.Min(sigma/40, 0.02*sigma*sigma) / (1 + 0.2*freq*posteriorSpan(q, sigma, hi))
	if (hi-lo)/step > 2e5 {
		return 0 // too many nodes: says nothing
	}
	var mass float64
	var sum complex128
	for x := lo; x < hi; x += step {
		e := exponent(x) - top
		mass += math.Exp(e)
		sum += cmplx.Exp(complex(e, freq*loss(x)))
	}
	return cmplx.Abs(sum) / mass
}

// posteriorSpan bounds the phase of e^{itl} gained over a σ, per t: l' = r/σ².
func posteriorSpan(q, sigma, hi float64) float64 {
	v := (2*hi - 1) / (2 * sigma * sigma)
	return 1 / (1 + (1-q)/q*math.Exp(-v)) / sigma
}
