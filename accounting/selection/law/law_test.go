package law_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
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
			if got := tnb(t, eta, mean).Distribution().Mean(); !near(got, mean, 1e-11) {
				t.Errorf("η %g: mean %.16g, want %.16g (the mean asked for)", eta, got, mean)
			}
		}
	}
}

// Both have closed forms of the mean: (1/γ-1)/ln(1/γ) and 1/γ.
func TestLogarithmicAndGeometric(t *testing.T) {
	for _, mean := range []float64{1.01, 2, 10, 1e4} {
		l, err := law.Logarithmic(mean)
		if got := (1/l.Gamma - 1) / numeric.Log(1/l.Gamma); err != nil || l.Eta != 0 || !near(got, mean, 1e-11) {
			t.Errorf("Logarithmic(%g) = %v, %v: its mean is %g", mean, l, err, got)
		}
		g, err := law.Geometric(mean)
		if err != nil || g.Eta != 1 || !near(1/g.Gamma, mean, 1e-13) {
			t.Errorf("Geometric(%g) = %v, %v: its mean is %g", mean, g, err, 1/g.Gamma)
		}
	}
	if _, err := law.Geometric(1); err == nil {
		t.Error("a mean of 1: no error")
	}
}

// Next to η = 0 the law must be the logarithmic one, next to η = 1 the geometric one, at
// means on both sides of every branch.
func TestTNBSeams(t *testing.T) {
	for _, gamma := range []float64{1e-9, 0.01, 0.9, 1 - 1e-9} {
		for _, seam := range []float64{0, 1} {
			at := law.TNB{Eta: seam, Gamma: gamma}
			for _, h := range []float64{-1e-7, -1e-13, 1e-13, 1e-7} {
				by := law.TNB{Eta: seam + h, Gamma: gamma}
				tolerance := 1e-12 + 60*math.Abs(h) // |d ln/dη| is at most ln(1/γ) + ln k + 1 < 60 here
				for name, f := range map[string]func(law.Distribution) float64{
					"mean":     law.Distribution.Mean,
					"quantile": law.Distribution.ExpectedQuantile,
					"pmf(7)":   func(l law.Distribution) float64 { return math.Exp(l.LogPMF(7)) },
					"success":  func(l law.Distribution) float64 { return l.SuccessProbability(1e-5) },
					"pgf":      func(l law.Distribution) float64 { return l.PGF(0.75) },
				} {
					if got, want := f(by.Distribution()), f(at.Distribution()); !near(got, want, tolerance) {
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
			got := math.Exp(law.TNB{Eta: row.Eta, Gamma: row.Gamma}.Distribution().LogPMF(i + 1))
			if !near(got, want, 1e-13) {
				t.Errorf("η %g, γ %g: P[K=%d] = %.16g, want %.16g (%s)", row.Eta, row.Gamma, i+1, got, want, v.Source)
			}
		}
	}
}

func TestLawValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, l := range []law.Law{
		law.TNB{Eta: -1, Gamma: 0.5}, law.TNB{Eta: nan, Gamma: 0.5}, law.TNB{Eta: inf, Gamma: 0.5},
		law.TNB{Eta: 0, Gamma: 0}, law.TNB{Eta: 0, Gamma: 1}, law.TNB{Eta: 0, Gamma: nan},
		law.Poisson{}, law.Poisson{MeanRepeats: -1}, law.Poisson{MeanRepeats: nan}, law.Poisson{MeanRepeats: inf},
		law.Fixed{}, law.Fixed{Count: -2},
		law.Binomial{Trials: 0, P: 0.5}, law.Binomial{Trials: 3, P: 0}, law.Binomial{Trials: 3, P: 1}, law.Binomial{Trials: 3, P: nan},
	} {
		if l.Validate() == nil {
			t.Errorf("%#v: no error", l)
		}
		if _, err := l.Distribution().Rand(newRand(1)); err == nil {
			t.Errorf("%#v: Rand gave no error", l)
		}
	}
	for _, l := range enumerate.Laws {
		if _, err := l.Distribution().Rand(nil); err == nil {
			t.Errorf("%v: Rand(nil) gave no error", l)
		}
	}
	for _, bad := range [][2]float64{{-1, 10}, {nan, 10}, {0, 1}, {0, 0.5}, {0, nan}, {0, inf}, {1, -3}} {
		if l, err := law.TNBFromMean(bad[0], bad[1]); err == nil {
			t.Errorf("TNBFromMean(%g, %g) = %v, no error", bad[0], bad[1], l)
		}
	}
}

// The pmf of the laws that stop at Max, from their definitions.
func TestLimitedPMF(t *testing.T) {
	inner := law.Poisson{MeanRepeats: 2}
	p := func(k int) float64 { return math.Exp(-2) * math.Pow(2, float64(k)) / math.Gamma(float64(k+1)) }
	kept := p(0) + p(1) + p(2) + p(3)
	for k := range 5 {
		truncated, capped := 0.0, 0.0
		if k <= 3 {
			truncated, capped = p(k)/kept, p(k)
		}
		if k == 3 {
			capped = 1 - kept + p(3)
		}
		if got := math.Exp(law.Truncated{Law: inner, Max: 3}.Distribution().LogPMF(k)); math.Abs(got-truncated) > 1e-14 {
			t.Errorf("truncated at 3, P[K=%d] = %.16g, want %.16g (Poisson pmf given K <= 3)", k, got, truncated)
		}
		withheld := p(k)
		switch {
		case k == 0:
			withheld += 1 - kept
		case k > 3:
			withheld = 0
		}
		if got := math.Exp(law.Withheld{Law: inner, Max: 3}.Distribution().LogPMF(k)); math.Abs(got-withheld) > 1e-14 {
			t.Errorf("withheld above 3, P[K=%d] = %.16g, want %.16g (Poisson pmf, the tail on 0)", k, got, withheld)
		}
		if got := math.Exp(law.Capped{Law: inner, Max: 3}.Distribution().LogPMF(k)); math.Abs(got-capped) > 1e-14 {
			t.Errorf("capped at 3, P[K=%d] = %.16g, want %.16g (Poisson pmf, the tail on 3)", k, got, capped)
		}
	}
}

func TestLimitedLawsRefuse(t *testing.T) {
	inner := law.Poisson{MeanRepeats: 3}
	nan := math.NaN()
	for _, c := range []struct {
		law  law.Law
		want string
	}{
		{law.Truncated{Law: inner}, "Max 0"}, {law.Truncated{Max: 3}, "Law is nil"}, {law.Truncated{Law: law.Poisson{}, Max: 3}, "MeanRepeats"},
		{law.Truncated{Law: law.Fixed{Count: 9}, Max: 3}, "chance"}, {law.Truncated{Law: inner, Max: 1 << 20}, "Max 1048576"},
		{law.Withheld{Law: law.Fixed{Count: 9}, Max: 3}, "chance"}, {law.Withheld{Law: inner}, "Max 0"}, {law.Capped{Law: inner, Max: -1}, "Max -1"}, {law.Capped{Max: 3}, "Law is nil"},
		{law.PMF{}, "0 entries"}, {law.PMF{Weights: []float64{1, 0}}, "K >= 1"}, {law.PMF{Weights: []float64{0.5, 0.4}}, "sum"},
		{law.PMF{Weights: []float64{0.5, -0.5, 1}}, "Weights[1]"}, {law.PMF{Weights: []float64{0.5, nan}}, "Weights[1]"},
	} {
		if err := c.law.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T %+v: error %v, want one with %q", c.law, c.law, err, c.want)
		}
		if _, err := c.law.Distribution().Rand(newRand(1)); err == nil {
			t.Errorf("%T %+v: Rand gave no error", c.law, c.law)
		}
	}
}

func TestTwoPointRefuses(t *testing.T) {
	nan := math.NaN()
	for l, want := range map[law.TwoPoint]string{
		{Runs: 1, Single: 0.5}: "Runs 1", {Runs: 5, Single: 0}: "Single 0", {Runs: 5, Single: 1}: "Single 1", {Runs: 5, Single: nan}: "Single NaN",
	} {
		if err := l.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", l, err, want)
		}
	}
}
