package pld

import (
	"math"
	"math/big"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// laplaceSum returns δ(ε) of n runs of Laplace noise of scale b, exactly but for the last rounding.
//
// The loss of a run has E e^{zL} = e^{-1/2b}/2 · (e^{w/b} (w+½) + e^{-w/b} (w-½))/w at w = z+½:
// half of the mass is at 1/b, e^{-1/b}/2 at -1/b, and e^{l/2-1/2b}/4 is the density between. δ(ε)
// is the integral of E e^{zS} e^{-εz} / (z(z+1)) over a vertical line in z > 0, over 2πi. As
// z(z+1) = (w-½)(w+½), the binomial theorem gives
//
//	δ(ε) = (e^{-1/2b}/2)^n e^{ε/2} Σ_m C(n,m) Res e^{cw} (w+½)^{n-m-1} (w-½)^{m-1} / w^n
//
// over the m with c = (n-2m)/b - ε > 0. The other terms vanish, as the line closes to the right.
// The pole at 0 has the residue [w^{n-1}] e^{cw} (w+½)^{n-m-1} (w-½)^{m-1}. For m = 0 there is one
// more at ½, e^{c/2} 2^n.
func laplaceSum(n int, b, epsilon float64) float64 {
	bits := uint(128 + 3*n) // the sums cancel; with 200+8n bits δ is the same
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }
	half, inverse := number(0.5), new(big.Float).Quo(number(1), number(b))
	// poly is (w+½)^{n-m-1} (w-½)^{m-1} up to w^{n-1}, first for m = 0: that of -2 (w+½)^{n-1}/(1-2w).
	poly := make([]*big.Float, n)
	for i := range poly {
		poly[i] = number(0)
	}
	poly[0].SetInt64(-2)
	for range n - 1 {
		for i := n - 1; i >= 0; i-- {
			poly[i].Mul(poly[i], half)
			if i > 0 {
				poly[i].Add(poly[i], poly[i-1])
			}
		}
	}
	for i := 1; i < n; i++ {
		poly[i].Add(poly[i], new(big.Float).Mul(number(2), poly[i-1]))
	}
	total, binomial := number(0), number(1)
	for m := range n {
		c := new(big.Float).Mul(number(float64(n-2*m)), inverse)
		if c.Sub(c, number(epsilon)); c.Sign() <= 0 {
			break
		}
		sum, power := number(0), number(1) // power is c^i/i!
		for i := range n {
			sum.Add(sum, new(big.Float).Mul(power, poly[n-1-i]))
			power.Quo(power.Mul(power, c), number(float64(i+1)))
		}
		if m == 0 {
			e, term := number(0), number(math.Ldexp(1, n))
			for i := 1; term.Sign() > 0 && term.MantExp(nil) > -int(bits); i++ {
				e.Add(e, term)
				term.Quo(term.Mul(term, new(big.Float).Mul(c, half)), number(float64(i)))
			}
			sum.Add(sum, e)
		}
		total.Add(total, sum.Mul(sum, binomial))
		binomial.Quo(binomial.Mul(binomial, number(float64(n-m))), number(float64(m+1)))
		// times (w-½)/(w+½): first the product, then r_i = 2 (p_i - r_{i-1})
		for i := n - 1; i >= 0; i-- {
			poly[i].Neg(poly[i].Mul(poly[i], half))
			if i > 0 {
				poly[i].Add(poly[i], poly[i-1])
			}
		}
		for i := range poly {
			if i > 0 {
				poly[i].Sub(poly[i], poly[i-1])
			}
			poly[i].Mul(poly[i], number(2))
		}
	}
	mantissa := new(big.Float)
	exponent := total.MantExp(mantissa)
	m, _ := mantissa.Float64()
	return m * math.Exp(float64(exponent-n)*math.Ln2-float64(n)/(2*b)+epsilon/2)
}

// Sums of bounded losses are checked, also if the largest one is just above the window. Both ends
// are on their sides of the exact δ.
func TestSumsOfLaplaceAreChecked(t *testing.T) {
	const delta = 1e-5
	a := NewAccountant()
	for _, b := range []float64{3, 10, 40} {
		for _, n := range []int{2, 5, 10, 15, 20, 25, 26, 28, 30, 32, 35, 40, 50, 64, 100, 200, 1000} {
			g, err := a.EpsilonAt(repeat(n, accounting.Laplace{NoiseMultiplier: b}), delta)
			if err != nil || g.Certificate == nil {
				t.Errorf("%d runs at scale %g: %v, warnings %v, %v", n, b, g, g.Warnings, err)
				continue
			}
			if testing.Short() && n > 40 {
				continue
			}
			// The last rounding of δ is below 1e-12.
			if above := laplaceSum(n, b, g.Epsilon.Upper); above > delta*(1+1e-12) || above > g.Certificate.DeltaUpper*(1+1e-12) {
				t.Errorf("%d runs at scale %g: δ is %g at the upper end of %v, by the sum of residues, and %g by the certificate", n, b, above, g.Epsilon, g.Certificate.DeltaUpper)
			}
			if testing.Short() || n > 200 {
				continue
			}
			if below := laplaceSum(n, b, g.Epsilon.Lower); below < delta*(1-1e-12) {
				t.Errorf("%d runs at scale %g: δ is %g at the lower end of %v, by the sum of residues", n, b, below, g.Epsilon)
			}
		}
	}
	both := sequence(repeat(20, accounting.Laplace{NoiseMultiplier: 10}), repeat(10, accounting.PureDP{Epsilon: 0.1}))
	if g, err := a.EpsilonAt(both, delta); err != nil || g.Certificate == nil {
		t.Errorf("%v: %v, warnings %v, %v", both, g, g.Warnings, err)
	}
}
