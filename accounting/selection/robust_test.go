package selection_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
)

// The chances of a law add up to 1 with parameters of any size, and those of binomial laws tend to
// those of the Poisson law: differences of ln Γ of large numbers left few digits, so that the tail of
// published runs was cut where nothing seemed to be left.
func TestChancesAtLargeParameters(t *testing.T) {
	poisson := law.Poisson{MeanRepeats: 10}
	for _, l := range []law.Law{
		tnb(t, 1e3, 10), tnb(t, 1e6, 10), tnb(t, 1e9, 10), tnb(t, 1e12, 10),
		law.Binomial{Trials: 1e6, P: 1e-5}, law.Binomial{Trials: 1e7, P: 1e-6},
	} {
		sum := 0.0
		for k := range 200 {
			sum += math.Exp(l.Distribution().LogPMF(k))
		}
		if !near(sum, 1, 1e-13) {
			t.Errorf("%v: chances add up to 1 %+.3g", l, sum-1)
		}
		if b, ok := l.(law.Binomial); ok {
			// P[K=k] = Poisson times 1 - ((k-µ)² - k)/(2n) + O(n^-2).
			if got, want := l.Distribution().LogPMF(25)-poisson.Distribution().LogPMF(25), -(15*15.-25)/(2*float64(b.Trials)); math.Abs(got-want) > 10/float64(b.Trials)/float64(b.Trials)*1e3+1e-12 {
				t.Errorf("%v: ln P[K=25] is %.9g above that of the Poisson law, want %.9g", l, got, want)
			}
		}
	}
}

const nestedMost = 4096

// nestedLaw is a list of chances inside a list of chances.
var nestedLaw = law.Truncated{Law: law.Capped{Law: law.Poisson{MeanRepeats: 5}, Max: nestedMost}, Max: nestedMost}

// Laws inside laws are priced like their lists of chances, and do not nest without end. Times: BenchmarkNestedLaws.
func TestNestedLaws(t *testing.T) {
	l := nestedLaw
	nested := price(t, l, accounting.Gaussian{NoiseMultiplier: 1}, 1e-5)
	// P[K > 4096] is below 1e-300, so that both are the Poisson law, to the tolerance of the search over ranks.
	plain := price(t, law.Truncated{Law: law.Poisson{MeanRepeats: 5}, Max: nestedMost}, accounting.Gaussian{NoiseMultiplier: 1}, 1e-5)
	bound := func(p accounting.Price) float64 {
		i := slices.IndexFunc(p.Bounds, func(b accounting.Bound) bool { return b.Name == "sharpened profile, exact Gaussian" })
		return p.Bounds[i].Epsilon
	}
	if got, want := bound(nested), bound(plain); !near(got, want, 1e-4) || !(got > 0) {
		t.Errorf("%v: ε %.9g, want %.9g, that of the law without the cap", l, got, want)
	}
	deep := law.Law(law.Poisson{MeanRepeats: 5})
	for range 4 {
		deep = law.Capped{Law: deep, Max: 9}
	}
	if err := deep.Validate(); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Errorf("%v: %v, want an error about its depth", deep, err)
	}
}

// Odds near the least float64 made the search for the crossing go on for ever.
func TestLeastOdds(t *testing.T) {
	for _, p := range []float64{0x1p-1022, 3e-308, 1e-300} {
		got := price(t, law.Binomial{Trials: 20, P: p}, accounting.Gaussian{NoiseMultiplier: 0.1}, 1e-5)
		if e := got.Least().Epsilon; e != 0 { // some run has a chance below δ
			t.Errorf("p = %g: ε %g, want 0", p, e)
		}
	}
}
