package pld

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// TestMassThatUnderflows asks for ε so far out that the grid's topmost cell begins hundreds of σ
// from the mean: losses have no bound there, so that log δ is not -Inf. From below it is at least
// that of the event "the output lies above an x", whose ratio of likelihoods is at least e^{2ε}.
func TestMassThatUnderflows(t *testing.T) {
	for i, c := range []struct{ q, sigma, epsilon float64 }{
		{1.4107869846005062e-06, 9.801378428809537, 9.447333395064984},
		{1e-8, 5.838667683370591, 7.29084093648379},
		{1e-8, 26.877527528951113, 83.01858755902349},
		{1e-3, 10, 30},
	} {
		if testing.Short() && i%2 > 0 {
			continue
		}
		event := accounting.PoissonSampled{SamplingRate: c.q, Event: accounting.Gaussian{NoiseMultiplier: c.sigma}}
		z := c.sigma * (math.Log1p(math.Expm1(2*c.epsilon)/c.q) + 1) // (x-1)/σ is below it
		least := numeric.Log(c.q) - z*z/2 - numeric.Log(z+1/z) - 1 + numeric.Log(-math.Expm1(-c.epsilon))
		logs, err := NewAccountant().LogDeltaAt(event, c.epsilon)
		if err != nil || logs.Upper < least {
			t.Errorf("%+v: log δ at most %g, %v, is at least %g", c, logs.Upper, err, least)
		}
		delta, err := NewAccountant().DeltaAt(event, c.epsilon)
		if err != nil || !(delta.Upper > 0) || delta.Upper > 1e-300 {
			t.Errorf("%+v: δ at most %g, %v, want a tiny one above 0", c, delta.Upper, err)
		}
	}
}
