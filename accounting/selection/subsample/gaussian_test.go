package subsample_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// gaussianDelta returns the δ at ε, the larger of both directions, of a tuning by Gaussian runs of parameter mu on a sample, of which the largest
// output wins or else the least, with a Gaussian training of parameter nu after it. With C the outputs without a record and R those with it that is
// ∫ (R - e^ε C)₊ and ∫ (C - e^ε R)₊: over the output x of the tuning by a sum, and over that of the training in closed form.
func gaussianDelta(l law.Law, mu, nu, rate, epsilon float64, variant subsample.Variant, largest bool) float64 {
	normal, k, e := distuv.UnitNormal, l.Distribution(), math.Exp(epsilon)
	// mass is ∫ (a n(y-nu) + b n(y))₊ dy, n the normal density.
	mass := func(a, b float64) float64 {
		switch {
		case a >= 0 && b >= 0:
			return a + b
		case a <= 0 && b <= 0:
			return 0
		}
		at := numeric.Log(-b/a)/nu + nu/2 // where both are equal
		if a > 0 {
			return a*normal.Survival(at-nu) + b*normal.Survival(at)
		}
		return a*normal.CDF(at-nu) + b*normal.CDF(at)
	}
	forth, back := 0.0, 0.0
	add := func(tuned, tunedWith, width float64) { // densities without the record in the sample, and with it
		if variant == subsample.RestOfData {
			forth += width * mass((1-rate)*tuned, rate*tunedWith-e*tuned)
			back += width * mass(-e*(1-rate)*tuned, tuned-e*rate*tunedWith)
			return
		}
		all := (1-rate)*tuned + rate*tunedWith
		forth += width * mass(all, -e*tuned)
		back += width * mass(-e*all, tuned)
	}
	density := func(x float64) float64 {
		rank := normal.Survival(x)
		if largest {
			rank = normal.CDF(x)
		}
		return normal.Prob(x) * math.Exp(k.LogPGFDerivative(rank))
	}
	none := k.PGF(0)
	add(none, none, 1)
	const step = 0.005
	for x := -10.0; x < 10+mu; x += step {
		add(density(x), density(x-mu), step)
	}
	return math.Max(forth, back)
}

// Tunings and trainings that can be written down leak no more than the least price, and nearly as much where there is one run, or where the
// record is mostly seen by the training: so a training on the rest can cost less than one on all.
func TestGaussiansAgainstPrices(t *testing.T) {
	const delta = 1e-5
	logarithmic := law.TNB{Eta: 0, Gamma: 0.05}
	for _, c := range []struct {
		law          law.Law
		rate, mu, nu float64
		variant      subsample.Variant
		least        float64 // share of δ that is leaked
		below        bool    // one training
	}{
		{law.Fixed{Count: 1}, 0.1, 0.35, 0.35, subsample.RestOfData, 0.99, true},
		{law.Fixed{Count: 1}, 0.5, 1, 1, subsample.AllData, 0.99, false},
		{law.Fixed{Count: 1}, 0.01, 2, 0.5, subsample.RestOfData, 0.99, false},
		{logarithmic, 0.1, 0.35, 0.35, subsample.RestOfData, 0.9, true},
		{logarithmic, 0.1, 0.35, 0.35, subsample.AllData, 0.5, false},
		{law.Binomial{Trials: 6, P: 0.5}, 0.1, 0.35, 0.35, subsample.RestOfData, 0.9, true},
		{law.Poisson{MeanRepeats: 15}, 0.9, 0.3, 2, subsample.RestOfData, 0.99, true},
		{law.Poisson{MeanRepeats: 15}, 0.9, 0.3, 2, subsample.AllData, 0.1, false},
	} {
		price, err := subsample.PriceAt(subsample.Event{
			TuningRate: c.rate, Variant: c.variant,
			Tuning: selection.BestOf{Law: c.law, Base: accounting.Gaussian{NoiseMultiplier: 1 / c.mu}}, Training: accounting.Gaussian{NoiseMultiplier: 1 / c.nu},
		}, delta)
		if err != nil {
			t.Fatal(err)
		}
		epsilon, worst := price.Least().Epsilon, 0.0
		for _, largest := range []bool{true, false} {
			worst = math.Max(worst, gaussianDelta(c.law, c.mu, c.nu, c.rate, epsilon, c.variant, largest))
		}
		t.Logf("%v, %v, rate %g, µ %g, %g: ε %.4f, one training %.4f, leaked %.4f of δ", c.law, c.variant, c.rate, c.mu, c.nu, epsilon, price.OneRun.Epsilon.Upper, worst/delta)
		if worst > delta*(1+1e-6) || worst < c.least*delta {
			t.Errorf("%v, %v, rate %g, µ %g, %g: δ(%g) = %g, want at most %g and at least %g of it", c.law, c.variant, c.rate, c.mu, c.nu, epsilon, worst, delta, c.least)
		}
		if below := epsilon < price.OneRun.Epsilon.Upper; below != c.below {
			t.Errorf("%v, %v, rate %g, µ %g, %g: ε = %g, one training on all %g", c.law, c.variant, c.rate, c.mu, c.nu, epsilon, price.OneRun.Epsilon.Upper)
		}
	}
}
