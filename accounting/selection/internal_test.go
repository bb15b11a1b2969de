package selection

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// The bound by total variation is what its formula says also where δ is so large that the formula
// can give more than 1: the limit at 1 was taken for a part of the line, and ε came out as 0.249 in
// place of 0.424 in the first case.
func TestVariationEpsilonAtLargeDelta(t *testing.T) {
	for _, c := range []struct{ sigma, gamma, delta float64 }{{1, 0.75, 0.999}, {1.3, 0.7, 0.999}, {0.8, 0.79, 0.9}, {0.8, 0.79, 0.3}} {
		base, err := baserun.New(accounting.Gaussian{NoiseMultiplier: c.sigma})
		if err != nil {
			t.Fatal(err)
		}
		base = base.Prepared()
		limited := law.Truncated{Law: law.TNB{Eta: 1, Gamma: c.gamma}, Max: 1}
		epsilon := variationEpsilon(limited.Law.Distribution(), base, c.delta, truncatedVariation(limited))
		offset, slope := truncatedVariation(limited)(epsilon)
		if offset >= c.delta {
			continue // +Inf: nothing is claimed
		}
		if least := leastEpsilon(limited.Law.Distribution(), base, (c.delta-offset)/slope); !(least <= epsilon*(1+1e-6)) {
			t.Errorf("%+v: ε %g, but at the δ that this leaves for the law without a limit that costs %g", c, epsilon, least)
		}
	}
}
