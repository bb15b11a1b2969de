package pld

import (
	"math"
	"math/big"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// log(1-q+q e^l) and its inverse to a few units, also at rates next to 1, where the sum is tiny.
// The comparison is e^loss in 400 bits; its relative error is the absolute one of the loss.
func TestSampledLossNextToOne(t *testing.T) {
	wide := func(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }
	for _, rest := range []float64{0x1p-53, 1e-12, 1e-6, 0.01, 0.3, 0.6, 0.999999} {
		f := mechanism{rate: 1 - rest}
		for _, l := range []float64{-700, -60, -40, -30, -20, -3, -0.7, -1e-9, 1e-9, 0.5, 20, 29, 31, 100} {
			e := expBig(l)
			sum := wide(1).Sub(wide(1), wide(f.rate))
			sum.Add(sum, e.Mul(e, wide(f.rate)))
			got := f.sampledLoss(l)
			off, _ := sum.Quo(expBig(got), sum).Float64()
			if math.Abs(off-1) > 6*unit*(1+math.Abs(got)) {
				t.Errorf("rate 1-%g, loss %g: sampled loss %.17g is off by %g", rest, l, got, off-1)
			}
			if l < -30 && f.rate < 0.9 { // does not come back: the sampled loss is log(1-q) to rounding
				continue
			}
			back := f.sampledLoss(f.unsampledLoss(got))
			if math.Abs(back-got) > 12*unit*(1+math.Abs(got)) {
				t.Errorf("rate 1-%g: %.17g comes back as %.17g, off by %g", rest, got, back, back-got)
			}
		}
	}
}

// expBig returns e^x in 400 bits: the Taylor series of e^{x/2^12}, squared 12 times.
func expBig(x float64) *big.Float {
	const prec, halvings = 400, 12
	small := new(big.Float).SetPrec(prec).SetFloat64(math.Ldexp(x, -halvings))
	sum, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for k := 1; k < 80; k++ {
		term.Mul(term, small)
		term.Quo(term, new(big.Float).SetPrec(prec).SetInt64(int64(k)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// Without the example the first outcome has chance 1/2, with it e^-40: at a rate of 1-1e-12 the
// largest loss is log(1/2 / (1e-12/2 + (1-1e-12) e^-40)), in the direction add, and
// δ(ε) = (1 - e^{ε-loss})/2.
func TestRateNextToOne(t *testing.T) {
	lie, rate := math.Exp(-40), 1-1e-12
	rest := 1 - rate
	event := accounting.PoissonSampled{SamplingRate: rate, Event: DiscretePair{
		With: []float64{lie, 1 - lie}, Without: []float64{0.5, 0.5}}}
	const delta = 0.01
	want := numeric.Log(0.5/(rest/2+rate*lie)) + math.Log1p(-2*delta)
	g, err := Accountant{Width: 1e-6}.EpsilonAt(event, delta)
	if err != nil || !(g.Epsilon.Lower <= want+1e-14 && want <= g.Epsilon.Upper+1e-14) {
		t.Errorf("ε %v, %v: want %.17g inside", g.Epsilon, err, want)
	}
}
