package papernot2022

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/internal/figuretest"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
)

func ExampleFigure2() {
	configs, err := Defaults("quick")
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := Figure2(configs.Figure2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d curves; %v\n", len(result.Curves), result.Compare().Tally())
	// Output: 8 curves; 7 of 7 recomputed by us
}

func TestFigures2And3AgainstThePaper(t *testing.T) {
	configs, err := Defaults("quick")
	if err != nil {
		t.Fatal(err)
	}
	configs.Figure2.Orders, configs.Figure3.Orders = []float64{1.5, 2, 30}, []float64{1.5, 2, 50}
	second, err := Figure2(configs.Figure2)
	if err != nil {
		t.Fatal(err)
	}
	third, err := Figure3(configs.Figure3)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []RenyiResult{second, third} {
		figuretest.Figure(t, r.Panels(), r.Compare())
		figuretest.Rows(t, r.Compare(), figuretest.None)
		checkSharpened(t, r)
	}
}

// Each sentence for laws that turn it round.
func TestRenyiFindingsFollowTheLaws(t *testing.T) {
	find := func(laws ...laws.Spec) []string {
		r, err := Figure3(RenyiConfig{Rho: 0.1, Laws: laws, Orders: orders(10)})
		if err != nil {
			t.Fatal(err)
		}
		return r.Findings()
	}
	// Corollary 4 is 2.162 there, naive repetition 10 · 0.1 times the order.
	figuretest.Says(t, find(laws.Fixed.WithMean(10), laws.TNB(0).WithMean(10)), "K = 10 (naive) costs more than all of these laws by the paper's bounds from order 2.2 on")
	figuretest.Says(t, find(laws.Fixed.WithMean(2), laws.TNB(5).WithMean(1e6)), "K = 2 (naive) is not above the paper's bound for E[K] = 1,000,000, η = 5 at order 10")
	figuretest.Says(t, find(laws.Poisson.WithMean(2), laws.TNB(5).WithMean(1000)), "E[K] = 2, Poisson costs less than E[K] = 1,000, η = 5 at the last order")
	figuretest.Says(t, find(laws.Poisson.WithMean(100), laws.TNB(0).WithMean(2)), "E[K] = 100, Poisson costs more than E[K] = 2, logarithmic η = 0 at every order")
	one, err := Figure3(RenyiConfig{Rho: 0.1, Laws: []laws.Spec{laws.Fixed.WithMean(10), laws.TNB(0).WithMean(10)}, Orders: []float64{7}})
	if err != nil {
		t.Fatal(err)
	}
	figuretest.Says(t, one.Findings(), "K = 10 (naive) costs more than all of these laws by the paper's bounds from order 7 on")
	one.Curves[1].Sharpened[0] = one.Curves[1].Paper[0] + 0.25
	figuretest.Says(t, one.Findings(), "not everywhere below the paper's: from 0.25 nats above (E[K] = 10, logarithmic η = 0, order 7)")
	if got := find(laws.Fixed.WithMean(1)); got != nil {
		t.Errorf("one run alone: %v: want nothing to say", got)
	}
}

func TestAnotherRhoHasNoReference(t *testing.T) {
	r, err := Figure2(RenyiConfig{Rho: 0.2, Laws: []laws.Spec{laws.TNB(0).WithMean(10)}, Orders: []float64{2}})
	if err != nil {
		t.Fatal(err)
	}
	checkWithheld(t, r.Compare(), len(r.Compare().Rows))
}

func checkSharpened(t *testing.T, r RenyiResult) {
	t.Helper()
	for _, c := range r.Curves {
		for i, order := range r.Config.Orders {
			if c.Sharpened[i] > c.Paper[i]*(1+1e-12) {
				t.Errorf("%s, order %g: sharpened %g is above the paper's %g", c.Spec.Label(), order, c.Sharpened[i], c.Paper[i])
			}
			if exact := gaussianBestOfK(c.Law, r.Config.Rho, order); exact > c.Sharpened[i]*(1+1e-9) {
				t.Errorf("%s, order %g: bound %g is below an exact divergence, %g", c.Spec.Label(), order, c.Sharpened[i], exact)
			}
		}
	}
}

// gaussianBestOfK is the divergence, by direct summation, of the best of K runs that are
// each N(µ, 1) or N(0, 1), µ = √(2ρ), where the largest is the best: an example of a ρ-zCDP
// run, so that no bound may be below it. The density of the best is φ(x) f'(Φ(x)).
func gaussianBestOfK(law law.Law, rho, order float64) float64 {
	k, mu := law.Distribution(), math.Sqrt(2*rho)
	logDensity := func(x float64) float64 {
		return -x*x/2 - math.Log(2*math.Pi)/2 + k.LogPGFDerivative(math.Min(1, normCDF(x)))
	}
	const step = 0.01
	sum := math.Exp(math.Log(math.Max(k.PGF(0), 0))) // K = 0 in both
	for x := -8.0; x < 8+mu*order; x += step {
		p, q := logDensity(x-mu), logDensity(x)
		if math.IsInf(p, -1) || math.IsInf(q, -1) {
			continue
		}
		sum += step * math.Exp(order*p+(1-order)*q)
	}
	return math.Log(sum) / (order - 1)
}

// Without repetition the sum is the Gaussian's divergence, ρλ: the oracle is right.
func TestGaussianBestOfOne(t *testing.T) {
	for _, order := range []float64{1.5, 2, 30} {
		if got := gaussianBestOfK(law.Fixed{Count: 1}, 0.1, order); math.Abs(got-0.1*order) > 1e-6 {
			t.Errorf("order %g: %g: want %g", order, got, 0.1*order)
		}
	}
}

func TestRenyiConfigRefuses(t *testing.T) {
	good := RenyiConfig{Rho: 0.1, Laws: []laws.Spec{laws.TNB(0).WithMean(10)}, Orders: []float64{2}}
	cases := []struct {
		spoil func(c *RenyiConfig)
		want  string
	}{
		{func(c *RenyiConfig) { c.Rho = 0 }, "Rho 0"},
		{func(c *RenyiConfig) { c.Rho = math.NaN() }, "Rho NaN"},
		{func(c *RenyiConfig) { c.Laws = nil }, "0 Laws"},
		{func(c *RenyiConfig) { c.Laws = []laws.Spec{laws.TNB(-1).WithMean(10)} }, "Eta -1"},
		{func(c *RenyiConfig) { c.Laws = []laws.Spec{laws.TNB(0).WithMean(1)} }, "mean 1"},
		{func(c *RenyiConfig) { c.Laws = []laws.Spec{laws.Family{Name: "zipf"}.WithMean(10)} }, `Name "zipf"`},
		{func(c *RenyiConfig) { c.Laws = []laws.Spec{laws.Fixed.WithMean(math.Inf(1))} }, "fixed number of runs +Inf"},
		{func(c *RenyiConfig) { c.Orders = []float64{1} }, "Orders[0] 1"},
		{func(c *RenyiConfig) { c.Orders = []float64{3, 2} }, "Orders[1] 2"},
	}
	for _, c := range cases {
		cfg := good
		c.spoil(&cfg)
		if _, err := Figure2(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v: want one with %q", err, c.want)
		}
	}
	// Theorem 6 is no bound for means below 1.
	good.Laws = []laws.Spec{laws.Poisson.WithMean(0.5)}
	if _, err := Figure3(good); err == nil || !strings.Contains(err.Error(), "MeanRepeats 0.5") {
		t.Errorf("Poisson of mean 0.5: error %v", err)
	}
}
