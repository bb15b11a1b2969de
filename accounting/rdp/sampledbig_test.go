package rdp_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// At integer orders the binomial sum in 300 bits, where the noise is such that the last terms begin
// to count: they are tiny probabilities times huge ratios, whose logarithms cancel. The curve must
// not be below.
func TestSampledGaussianAgainstBigSums(t *testing.T) {
	const bits = 300
	wide := func(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }
	for i, q := range []float64{1e-300, 1e-100, 1e-30, 1e-12, 1e-5, 0.01, 0.3, 0.9} {
		for j, order := range []int{2, 3, 17, 64, 200, 255, 256} {
			if testing.Short() && (i+j)%4 != 0 {
				continue
			}
			n := float64(order)
			for i := range 6 {
				// q^α e^{α(α-1)/2σ²} is about e^2 here.
				sigma := math.Sqrt(n * (n - 1) / 2 / (2 + float64(i)/7 - n*numeric.Log(q)))
				excess, weight := wide(0), wide(1)
				for k := 0; k <= order; k++ {
					// (k²-k)/(2σ²) is exact in 300 bits but for the last of them.
					exponent := new(big.Float).Quo(wide(float64(k)*float64(k-1)/2), new(big.Float).Mul(wide(sigma), wide(sigma)))
					term := new(big.Float).Sub(expOf(exponent), wide(1))
					excess.Add(excess, term.Mul(term, new(big.Float).Mul(weight, power(wide(q), new(big.Float).Sub(wide(1), wide(q)), k, order-k))))
					weight.Quo(weight.Mul(weight, wide(float64(order-k))), wide(float64(k+1)))
				}
				x, _ := excess.Float64()
				want := math.Log1p(x) / (n - 1)
				got := rdp.SampledGaussian(q, sigma)(n)
				if got < want*(1-4e-16) || got > want*(1+1e-9) {
					t.Errorf("RDP(q=%g, σ=%.17g, α=%d) = %.17g, want %.17g from above, relative difference %.2g (binomial sum, 300 bits)",
						q, sigma, order, got, want, got/want-1)
				}
			}
		}
	}
}

// power returns a^i b^j.
func power(a, b *big.Float, i, j int) *big.Float {
	out := new(big.Float).SetPrec(a.Prec()).SetInt64(1)
	for range i {
		out.Mul(out, a)
	}
	for range j {
		out.Mul(out, b)
	}
	return out
}

// expOf returns e^x, x >= 0: the Taylor series of e^{x/2^k} below 1, squared k times.
func expOf(x *big.Float) *big.Float {
	halvings := max(0, x.MantExp(nil))
	small := new(big.Float).SetMantExp(x, -halvings)
	sum, term := new(big.Float).SetPrec(x.Prec()).SetInt64(1), new(big.Float).SetPrec(x.Prec()).SetInt64(1)
	for k := int64(1); k < 70; k++ {
		term.Quo(term.Mul(term, small), new(big.Float).SetPrec(x.Prec()).SetInt64(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}
