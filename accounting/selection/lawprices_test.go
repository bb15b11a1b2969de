package selection_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// The profile bound of binomial laws is published. Its constant, minimized over a dense list of
// e, gives the same price, and the price says that it is published.
func TestBinomialProfileIsPublished(t *testing.T) {
	const delta = 1e-5
	step := 1e-4
	if testing.Short() {
		step = 1e-3
	}
	event := accounting.Gaussian{NoiseMultiplier: 1}
	for _, l := range []law.Binomial{{Trials: 20, P: 0.5}, {Trials: 100, P: 0.1}, {Trials: 1000, P: 0.01}, {Trials: 5, P: 0.9}, {Trials: 1, P: 0.3}} {
		p := price(t, l, event, delta)
		n, chance := float64(l.Trials), l.P
		constant := math.Inf(1)
		for e := 0.0; e < 8; e += step {
			d, err := gdp.DeltaAt(1, e)
			if err != nil {
				t.Fatal(err)
			}
			constant = math.Min(constant, (n-1)*numeric.Log(math.Max(1+chance*math.Expm1(e)+chance*d.Upper, 1+chance*d.Upper/(1-chance))))
		}
		one, err := gdp.EpsilonAt(1, delta/math.Max(1, n*chance))
		if err != nil {
			t.Fatal(err)
		}
		got, want := boundOf(t, p, "profile, exact Gaussian"), one.Upper+constant
		// The list of e has this step: the constant is at most (n-1) steps above the least.
		if got > want*(1+1e-12) || got < want-(n-1)*step-1e-9 {
			t.Errorf("%v: ε %g, want %g, the formula of Koskela, Redberg and Wang", l, got, want)
		}
		if published, ok := p.LeastPublished(); !ok || published.Epsilon > got {
			t.Errorf("%v: published results give %g (%s), want at most %g", l, published.Epsilon, published.Name, got)
		}
	}
}

// A large η multiplies logarithms that have lost their digits: at η = 1e20 and the largest γ below 1,
// with mean 11,102, the price was ε <= 0. Such laws are refused, and up to the limit no order of
// the outputs costs more than the price.
func TestLargeEta(t *testing.T) {
	l := law.TNB{Eta: 1e20, Gamma: 1 - 0x1p-53}
	if _, err := selection.EventAt(selection.BestOf{Law: l, Base: accounting.Gaussian{NoiseMultiplier: 2}}, 1e-5); err == nil || !strings.Contains(err.Error(), "TNB.Eta") {
		t.Errorf("%#v: %v, want an error that names Eta", l, err)
	}
	poisson := price(t, law.Poisson{MeanRepeats: 1e4}, accounting.Gaussian{NoiseMultiplier: 2}, 1e-5)
	for i, eta := range []float64{100, 1e4, 1e8, law.MostEta} {
		for j, mean := range []float64{1.001, 10, 1e4} {
			if testing.Short() && j != (i+2)%3 {
				continue
			}
			l := tnb(t, eta, mean)
			p := price(t, l, accounting.Gaussian{NoiseMultiplier: 2}, 1e-5)
			for _, b := range p.Bounds {
				if got := adversarialDelta(l, 0.5, b.Epsilon); got > 1e-5*(1+1e-6) {
					t.Errorf("%v: ε %g by %s, where an order of the outputs has δ %g", l, b.Epsilon, b.Name, got)
				}
			}
			if mean == 1e4 && math.Abs(p.Least().Epsilon/poisson.Least().Epsilon-1) > 5/math.Sqrt(eta)+1e-14*eta {
				t.Errorf("%v: ε %g, want about %g, that of a Poisson law", l, p.Least().Epsilon, poisson.Least().Epsilon)
			}
		}
	}
}

// γ at the end of the numbers is refused by its own rule, not by a bound that is NaN.
func TestLeastGamma(t *testing.T) {
	for _, gamma := range []float64{5e-324, 1e-309, 9e-306} {
		if err := (law.TNB{Gamma: gamma}).Validate(); err == nil || !strings.Contains(err.Error(), "TNB.Gamma") {
			t.Errorf("γ = %g: %v, want an error that names Gamma", gamma, err)
		}
	}
	for _, eta := range []float64{-0.9999, 0, 20} {
		p := price(t, law.TNB{Eta: eta, Gamma: law.LeastGamma}, accounting.Gaussian{NoiseMultiplier: 2}, 1e-5)
		if !(p.Least().Epsilon > 1.99 && p.Least().Epsilon < math.Inf(1)) {
			t.Errorf("η = %g: ε %g, want more than that of one run", eta, p.Least().Epsilon)
		}
	}
}

// ε is never below the truth, not by a unit in its last place: one run of randomized response, or
// none, where that unit moves δ by 3 parts in a million.
func TestLastDigit(t *testing.T) {
	const mean, epsilon0, delta = 14.2, 20.0, 1e-9
	p := price(t, law.Truncated{Law: law.Poisson{MeanRepeats: mean}, Max: 1}, accounting.PureDP{Epsilon: epsilon0}, delta)
	for _, b := range p.Bounds {
		got := mean / (1 + mean) * -math.Expm1(b.Epsilon-epsilon0) / (1 + math.Exp(-epsilon0))
		if got > delta {
			t.Errorf("ε %.17g by %s: δ is %.12g there, above %g", b.Epsilon, b.Name, got, delta)
		}
	}
}
