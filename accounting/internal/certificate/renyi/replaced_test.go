package renyi

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// TestReplacedChecked: the check of a composition holds at the exact bound and fails below it, and
// an event of other parts is not taken for the pair.
func TestReplacedChecked(t *testing.T) {
	run := accounting.SelfComposed{Count: 1000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.ClippedSum{NoiseMultiplier: 1}}}
	exponent := (&curves{alpha: of(6)}).moment(0.01, 1, true)
	const epsilon = 4
	delta := Convert(exponent.Mul(of(1000)), of(6), epsilon).Exp().Hi
	if c, err := checked(t, run, accounting.ReplaceOne, 6, epsilon, delta*(1+1e-12)); err != nil || !(c.DeltaUpper <= delta*(1+1e-12)) {
		t.Errorf("%+v, %v, want δ <= %g", c, err, delta)
	}
	if c, err := checked(t, run, accounting.ReplaceOne, 6, epsilon-1e-3, delta); err == nil && c.DeltaUpper <= delta {
		t.Errorf("shown at a smaller ε: %+v", c)
	}
	gaussian := accounting.SelfComposed{Count: 1000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 0.5}}}
	if c, err := checked(t, gaussian, accounting.ReplaceOne, 6, epsilon, delta); err == nil && c.DeltaUpper <= delta {
		t.Errorf("a shown sample has the price of a hidden one: %+v", c)
	}
	for _, sigma := range []float64{math.Inf(1), 0, 1e-200, math.NaN()} {
		if m := (&curves{alpha: of(6)}).moment(0.01, sigma, true); !math.IsInf(m.Hi, 1) {
			t.Errorf("σ %g: moment %v", sigma, m)
		}
	}
}
