package papernot2022

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/data/papers"
)

// A limit above a bound that was proved would be wrong. Small δ and large ε are where the
// difference of two success probabilities loses all its digits.
func TestLowerLimitStaysBelowTheBounds(t *testing.T) {
	for _, c := range []struct{ rho, delta float64 }{{0.5, 1e-9}, {0.1, 1e-12}, {2, 1e-15}} {
		base, err := selection.NewBase(accounting.Gaussian{NoiseMultiplier: 1 / math.Sqrt(2*c.rho)})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []Family{TNB(0), TNB(1), TNB(5), Poisson} {
			for _, mean := range []float64{1.1, 10, 40, 700, 3000} {
				law, err := f.Law(mean)
				if err != nil {
					t.Fatal(err)
				}
				price, err := selection.PriceAt(law, base, c.delta)
				if err != nil {
					t.Fatal(err)
				}
				limit, least := LowerLimit(law, math.Sqrt(2*c.rho), c.delta), price.Least()
				if !(limit > 0 && limit <= least.Epsilon) {
					t.Errorf("%v, ρ = %g, δ = %g: limit %g, least bound %g (%s)", law, c.rho, c.delta, limit, least.Epsilon, least.Name)
				}
			}
		}
	}
}

// The values are from the project's field study (FIELD.md, section B.7), computed there by
// another program, to three decimals: µ = 1, δ = 1e-5, an order chosen by the adversary.
func TestLowerLimitAgainstOtherProgram(t *testing.T) {
	tnb := func(eta, mean float64) selection.Law {
		law, err := selection.TNBFromMean(eta, mean)
		if err != nil {
			t.Fatal(err)
		}
		return law
	}
	for _, c := range []struct {
		law  selection.Law
		want float64
	}{
		{tnb(0, 10), 6.066},
		{tnb(1, 10), 6.403},
		{tnb(2, 10), 6.632},
		{selection.Poisson{MeanRepeats: 10}, 8.109},
		{selection.Binomial{Trials: 20, P: 0.5}, 9.046},
		{tnb(1, 100), 8.335},
	} {
		if got := LowerLimit(c.law, 1, 1e-5); math.Abs(got-c.want) > 5.1e-4 {
			t.Errorf("%v: %.6f: want %.3f (field study, B.7)", c.law, got, c.want)
		}
	}
	// One run: the exact ε of the Gaussian mechanism, 4.3771780957 (dp_accounting 0.6.0,
	// get_epsilon_gaussian), is the limit itself.
	if got := LowerLimit(selection.Fixed{Count: 1}, 1, 1e-5); math.Abs(got-4.3771780957) > 1e-8 {
		t.Errorf("one run: %.10f: want 4.3771780957 (dp_accounting 0.6.0)", got)
	}
	if got := LowerLimit(selection.Fixed{Count: 1}, 1e-9, 1e-5); got != 0 {
		t.Errorf("runs that say nothing: %g: want 0", got)
	}
}

func smallPrices() PriceConfig {
	return PriceConfig{
		Rho: 0.1, Delta: 1e-6, Means: []float64{1.05, 3, 10, 200}, SuccessChance: 0.01,
		Families: []Family{TNB(-0.5), TNB(0), TNB(0.5), TNB(1), TNB(5), Poisson, Fixed},
	}
}

func TestFigure4(t *testing.T) {
	r, err := Figure4(smallPrices())
	if err != nil {
		t.Fatal(err)
	}
	checkFigure(t, r.Panels(), r.Compare())
	checkRows(t, r.Compare(), none)
	for _, c := range r.Curves {
		for i := range c.Paper {
			if !(c.Limit[i] <= c.Gaussian[i] && c.Gaussian[i] <= c.Paper[i]) {
				t.Errorf("%v: limit %g, least bound %g (%s), paper's bound %g: must be in order", c.Laws[i], c.Limit[i], c.Gaussian[i], c.GaussianBy[i], c.Paper[i])
			}
			if i > 0 && c.Paper[i] < c.Paper[i-1] {
				t.Errorf("%s: ε falls from %g to %g as the mean grows", c.Family.Label(), c.Paper[i-1], c.Paper[i])
			}
		}
	}
}

func TestFigure5(t *testing.T) {
	cfg := defaultFigure5(24)
	cfg.Families = []Family{TNB(0.5), Poisson}
	r, err := Figure5(cfg)
	if err != nil {
		t.Fatal(err)
	}
	checkFigure(t, r.Panels(), r.Compare())
	checkRows(t, r.Compare(), none)
	// The generating function gives the quantile too: 1 - ∫ f, by the midpoint rule.
	for k, c := range r.Curves {
		for i, law := range c.Laws {
			const n = 20000
			sum := 0.0
			for j := range n {
				u := (float64(j) + 0.5) / n
				sum += law.Distribution().PGF(1-u*u*u) * 3 * u * u / n // f bends at 1: x = 1-u³
			}
			if math.Abs(r.Quantiles[k][i]-(1-sum)) > 1e-6 {
				t.Errorf("%v: expected quantile %.9g: want %.9g by the midpoint rule", law, r.Quantiles[k][i], 1-sum)
			}
		}
	}
	cfg.Families = []Family{TNB(0)}
	if r, err = Figure5(cfg); err != nil || !math.IsNaN(r.Crossing) {
		t.Errorf("without the two families: crossing %g, error %v: want NaN", r.Crossing, err)
	}
}

func TestFigure6(t *testing.T) {
	r, err := Figure6(smallPrices())
	if err != nil {
		t.Fatal(err)
	}
	checkFigure(t, r.Panels(), r.Compare())
	checkRows(t, r.Compare(), none)
	for k, c := range r.Curves {
		for i, law := range c.Laws {
			// Markov: no more than the mean number of successes; and a run succeeds if K >= 1 does.
			if p := r.Successes[k][i]; p > 0.01*law.Distribution().Mean()+1e-15 || p < 0.01*(1-law.Distribution().PGF(0))-1e-15 {
				t.Errorf("%s, mean %g: success probability %g", c.Family.Label(), law.Distribution().Mean(), p)
			}
		}
	}
}

func TestCrossing(t *testing.T) {
	xs := []float64{0, 1, 2, 3}
	flat, rising := []float64{0.5, 0.5, 0.5, 0.5}, []float64{0, 0.4, 0.6, 0.9}
	if got := crossing(xs, flat, xs, rising); math.Abs(got-1.5) > 0.01 {
		t.Errorf("crossing %g: want 1.5", got)
	}
	if got := crossing(xs, rising, xs, flat); !math.IsNaN(got) {
		t.Errorf("a curve that ends below: %g: want NaN", got)
	}
	if got := crossing(xs, flat, []float64{7, 8}, []float64{1, 1}); !math.IsNaN(got) {
		t.Errorf("no common range: %g: want NaN", got)
	}
	if got := crossing(xs, flat, xs, []float64{1, 1, 1, 1}); got != 0 {
		t.Errorf("above from the start: %g: want 0", got)
	}
}

func TestPriceConfigRefuses(t *testing.T) {
	cases := []struct {
		spoil func(c *PriceConfig)
		want  string
	}{
		{func(c *PriceConfig) { c.Rho = -1 }, "Rho -1"},
		{func(c *PriceConfig) { c.Delta = 0 }, "Delta 0"},
		{func(c *PriceConfig) { c.Delta = 1 }, "Delta 1"},
		{func(c *PriceConfig) { c.Families = nil }, "Families is empty"},
		{func(c *PriceConfig) { c.Families = []Family{{}} }, "Families[0]"},
		{func(c *PriceConfig) { c.Means = []float64{2} }, "Means has 1 values"},
		{func(c *PriceConfig) { c.Means = []float64{1, 2} }, "Means[0] 1"},
		{func(c *PriceConfig) { c.SuccessChance = 1 }, "SuccessChance 1"},
	}
	for _, c := range cases {
		cfg := smallPrices()
		c.spoil(&cfg)
		if _, err := Figure6(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v: want one with %q", err, c.want)
		}
	}
}

func TestDefaults(t *testing.T) {
	for _, profile := range []string{"quick", "full"} {
		c, err := Defaults(profile)
		if err != nil {
			t.Fatal(err)
		}
		for i, check := range []func() error{
			c.Figure1.Validate, c.Figure2.Validate, c.Figure3.Validate, c.Figure4.Validate,
			c.Figure5.Validate, c.Figure6.Validate, c.Figure7.Validate, c.Figure8.Validate,
		} {
			if err := check(); err != nil {
				t.Errorf("%s, figure %d: %v", profile, i+1, err)
			}
		}
		if c.Figure4.Rho != papers.Papernot2022.Rho || c.Figure4.Delta != papers.Papernot2022.Delta {
			t.Errorf("%s: ρ %g, δ %g", profile, c.Figure4.Rho, c.Figure4.Delta)
		}
	}
	if _, err := Defaults("slow"); err == nil || !strings.Contains(err.Error(), `"slow"`) {
		t.Errorf("error %v", err)
	}
}
