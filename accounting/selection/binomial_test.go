package selection_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/selection"
)

// The profile bound of binomial laws is published. Its constant, minimized over a dense list of
// e, gives the same price, and the price says that it is published.
func TestBinomialProfileIsPublished(t *testing.T) {
	const delta = 1e-5
	event := accounting.Gaussian{NoiseMultiplier: 1}
	for _, law := range []selection.Binomial{{Trials: 20, P: 0.5}, {Trials: 100, P: 0.1}, {Trials: 1000, P: 0.01}, {Trials: 5, P: 0.9}, {Trials: 1, P: 0.3}} {
		p := price(t, law, event, delta)
		n, chance := float64(law.Trials), law.P
		constant := math.Inf(1)
		for e := 0.0; e < 8; e += 1e-4 {
			d, err := gdp.DeltaAt(1, e)
			if err != nil {
				t.Fatal(err)
			}
			constant = math.Min(constant, (n-1)*math.Log(math.Max(1+chance*math.Expm1(e)+chance*d.Upper, 1+chance*d.Upper/(1-chance))))
		}
		one, err := gdp.EpsilonAt(1, delta/math.Max(1, n*chance))
		if err != nil {
			t.Fatal(err)
		}
		got, want := boundOf(t, p, "profile, exact Gaussian"), one.Upper+constant
		// The list of e is 1e-4 wide: the constant is at most (n-1) 1e-4 above the least.
		if got > want*(1+1e-12) || got < want-(n-1)*1e-4-1e-9 {
			t.Errorf("%v: ε %g, want %g, the formula of Koskela, Redberg and Wang", law, got, want)
		}
		if published, ok := p.LeastPublished(); !ok || published.Epsilon > got {
			t.Errorf("%v: published results give %g (%s), want at most %g", law, published.Epsilon, published.Name, got)
		}
	}
}
