package selection_test

import (
	"math"
	"testing"

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
