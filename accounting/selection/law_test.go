package selection_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/selection"
)

func TestTNBFromMean(t *testing.T) {
	v := readVectors(t)
	for _, row := range v.TNB.Means {
		law := tnb(t, row.Eta, row.Mean)
		// The values were found by root search to about 1e-12.
		if !near(law.Gamma, row.Gamma, 1e-11) {
			t.Errorf("η %g, mean %g: γ = %.16g, want %.16g (%s)", row.Eta, row.Mean, law.Gamma, row.Gamma, v.Source)
		}
	}
	for _, eta := range []float64{-0.9, -0.5, -1e-9, 0, 1e-12, 1e-6, 0.5, 1 - 1e-12, 1, 1 + 1e-12, 7, 200} {
		for _, mean := range []float64{1.0001, 1.5, 10, 1e3, 1e6} {
			if got := tnb(t, eta, mean).Mean(); !near(got, mean, 1e-11) {
				t.Errorf("η %g: mean %.16g, want %.16g (the mean asked for)", eta, got, mean)
			}
		}
	}
}

// Next to η = 0 the law must be the logarithmic one, next to η = 1 the geometric one, at
// means on both sides of every branch.
func TestTNBSeams(t *testing.T) {
	for _, gamma := range []float64{1e-9, 0.01, 0.9, 1 - 1e-9} {
		for _, seam := range []float64{0, 1} {
			at := selection.TNB{Eta: seam, Gamma: gamma}
			for _, h := range []float64{-1e-7, -1e-13, 1e-13, 1e-7} {
				by := selection.TNB{Eta: seam + h, Gamma: gamma}
				tolerance := 1e-12 + 60*math.Abs(h) // |d ln/dη| is at most ln(1/γ) + ln k + 1 < 60 here
				for name, f := range map[string]func(selection.TNB) float64{
					"mean":     selection.TNB.Mean,
					"quantile": selection.TNB.ExpectedQuantile,
					"pmf(7)":   func(l selection.TNB) float64 { return math.Exp(l.LogPMF(7)) },
					"success":  func(l selection.TNB) float64 { return l.SuccessProbability(1e-5) },
					"pgf":      func(l selection.TNB) float64 { return l.PGF(0.75) },
				} {
					if got, want := f(by), f(at); !near(got, want, tolerance) {
						t.Errorf("γ %g, η %g: %s = %.16g, want %.16g (its value at η = %g)", gamma, by.Eta, name, got, want, seam)
					}
				}
			}
		}
	}
}

func TestTNBPMF(t *testing.T) {
	v := readVectors(t)
	for _, row := range v.TNB.PMF {
		for i, want := range row.PMF {
			got := math.Exp(selection.TNB{Eta: row.Eta, Gamma: row.Gamma}.LogPMF(i + 1))
			if !near(got, want, 1e-13) {
				t.Errorf("η %g, γ %g: P[K=%d] = %.16g, want %.16g (%s)", row.Eta, row.Gamma, i+1, got, want, v.Source)
			}
		}
	}
}

var someLaws = []selection.Law{
	selection.TNB{Eta: -0.9, Gamma: 0.2}, selection.TNB{Eta: -0.5, Gamma: 0.05}, selection.TNB{Eta: 0, Gamma: 0.03},
	selection.TNB{Eta: 1e-9, Gamma: 0.5}, selection.TNB{Eta: 0.5, Gamma: 0.06}, selection.TNB{Eta: 1, Gamma: 0.1},
	selection.TNB{Eta: 5, Gamma: 0.33}, selection.TNB{Eta: 40, Gamma: 0.7}, selection.TNB{Eta: 2, Gamma: 0.999},
	selection.Poisson{MeanRepeats: 0.3}, selection.Poisson{MeanRepeats: 10}, selection.Poisson{MeanRepeats: 60},
	selection.Fixed{Count: 1}, selection.Fixed{Count: 7},
	selection.Binomial{Trials: 1, P: 0.3}, selection.Binomial{Trials: 20, P: 0.5}, selection.Binomial{Trials: 300, P: 0.02},
}

// Everything that a law says of itself must follow from its pmf.
func TestLawsFollowFromPMF(t *testing.T) {
	for _, law := range someLaws {
		if err := law.Validate(); err != nil {
			t.Fatal(err)
		}
		const x, p = 0.8, 0.15
		d := law.Distribution()
		var total, mean, pgf, derivative, failure, inverse float64
		for k := range 4000 { // every tail is below 1e-15 there: (1-0.03)^4000 = 1e-53
			w := math.Exp(d.LogPMF(k))
			total += w
			mean += w * float64(k)
			pgf += w * math.Pow(x, float64(k))
			if k > 0 {
				derivative += w * float64(k) * math.Pow(x, float64(k-1))
			}
			failure += w * math.Pow(1-p, float64(k))
			inverse += w / float64(k+1)
		}
		for _, check := range []struct {
			name      string
			got, want float64
		}{
			{"sum of pmf", 1, total},
			{"Mean", d.Mean(), mean},
			{"PGF(0.8)", d.PGF(x), pgf},
			{"PGF(1)", d.PGF(1), total},
			{"f'(0.8)", math.Exp(d.LogPGFDerivative(x)), derivative},
			{"f'(1)", math.Exp(d.LogPGFDerivative(1)), mean},
			{"SuccessProbability(0.15)", d.SuccessProbability(p), 1 - failure},
			{"ExpectedQuantile", d.ExpectedQuantile(), 1 - inverse},
		} {
			if !near(check.got, check.want, 1e-11) { // 4000 terms, ln Γ to 1e-13
				t.Errorf("%v: %s = %.15g, want %.15g (summed over the pmf)", law, check.name, check.got, check.want)
			}
		}
	}
}

func TestLawValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, law := range []selection.Law{
		selection.TNB{Eta: -1, Gamma: 0.5}, selection.TNB{Eta: nan, Gamma: 0.5}, selection.TNB{Eta: inf, Gamma: 0.5},
		selection.TNB{Eta: 0, Gamma: 0}, selection.TNB{Eta: 0, Gamma: 1}, selection.TNB{Eta: 0, Gamma: nan},
		selection.Poisson{}, selection.Poisson{MeanRepeats: -1}, selection.Poisson{MeanRepeats: nan}, selection.Poisson{MeanRepeats: inf},
		selection.Fixed{}, selection.Fixed{Count: -2},
		selection.Binomial{Trials: 0, P: 0.5}, selection.Binomial{Trials: 3, P: 0}, selection.Binomial{Trials: 3, P: 1}, selection.Binomial{Trials: 3, P: nan},
	} {
		if law.Validate() == nil {
			t.Errorf("%#v: no error", law)
		}
		if _, err := law.Distribution().Rand(newRand(1)); err == nil {
			t.Errorf("%#v: Rand gave no error", law)
		}
	}
	for _, law := range someLaws {
		if _, err := law.Distribution().Rand(nil); err == nil {
			t.Errorf("%v: Rand(nil) gave no error", law)
		}
	}
	for _, bad := range [][2]float64{{-1, 10}, {nan, 10}, {0, 1}, {0, 0.5}, {0, nan}, {0, inf}, {1, -3}} {
		if law, err := selection.TNBFromMean(bad[0], bad[1]); err == nil {
			t.Errorf("TNBFromMean(%g, %g) = %v, no error", bad[0], bad[1], law)
		}
	}
}

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

// A large η multiplies logarithms that have lost their digits: at η = 1e20 and the largest γ below 1,
// with mean 11,102, the price was ε <= 0. Such laws are refused, and up to the limit no order of
// the outputs costs more than the price.
func TestLargeEta(t *testing.T) {
	law := selection.TNB{Eta: 1e20, Gamma: 1 - 0x1p-53}
	if _, err := selection.EventAt(selection.Event{Law: law, Base: accounting.Gaussian{NoiseMultiplier: 2}}, 1e-5); err == nil || !strings.Contains(err.Error(), "TNB.Eta") {
		t.Errorf("%#v: %v, want an error that names Eta", law, err)
	}
	for _, eta := range []float64{100, 1e4, 1e8, selection.MostEta} {
		for _, mean := range []float64{1.001, 10, 1e4} {
			law := tnb(t, eta, mean)
			p := price(t, law, accounting.Gaussian{NoiseMultiplier: 2}, 1e-5)
			poisson := price(t, selection.Poisson{MeanRepeats: mean}, accounting.Gaussian{NoiseMultiplier: 2}, 1e-5)
			for _, b := range p.Bounds {
				if got := adversarialDelta(law, 0.5, b.Epsilon); got > 1e-5*(1+1e-6) {
					t.Errorf("%v: ε %g by %s, where an order of the outputs has δ %g", law, b.Epsilon, b.Name, got)
				}
			}
			if mean == 1e4 && math.Abs(p.Least().Epsilon/poisson.Least().Epsilon-1) > 5/math.Sqrt(eta)+1e-14*eta {
				t.Errorf("%v: ε %g, want about %g, that of a Poisson law", law, p.Least().Epsilon, poisson.Least().Epsilon)
			}
		}
	}
}

// γ at the end of the numbers is refused by its own rule, not by a bound that is NaN.
func TestLeastGamma(t *testing.T) {
	for _, gamma := range []float64{5e-324, 1e-309, 9e-306} {
		if err := (selection.TNB{Gamma: gamma}).Validate(); err == nil || !strings.Contains(err.Error(), "TNB.Gamma") {
			t.Errorf("γ = %g: %v, want an error that names Gamma", gamma, err)
		}
	}
	for _, eta := range []float64{-0.9999, 0, 20} {
		p := price(t, selection.TNB{Eta: eta, Gamma: selection.LeastGamma}, accounting.Gaussian{NoiseMultiplier: 2}, 1e-5)
		if !(p.Least().Epsilon > 1.99 && p.Least().Epsilon < math.Inf(1)) {
			t.Errorf("η = %g: ε %g, want more than that of one run", eta, p.Least().Epsilon)
		}
	}
}

// ε is never below the truth, not by a unit in its last place: one run of randomized response, or
// none, where that unit moves δ by 3 parts in a million.
func TestLastDigit(t *testing.T) {
	const mean, epsilon0, delta = 14.2, 20.0, 1e-9
	p := price(t, selection.Truncated{Law: selection.Poisson{MeanRepeats: mean}, Max: 1}, accounting.PureDP{Epsilon: epsilon0}, delta)
	for _, b := range p.Bounds {
		got := mean / (1 + mean) * -math.Expm1(b.Epsilon-epsilon0) / (1 + math.Exp(-epsilon0))
		if got > delta {
			t.Errorf("ε %.17g by %s: δ is %.12g there, above %g", b.Epsilon, b.Name, got, delta)
		}
	}
}
