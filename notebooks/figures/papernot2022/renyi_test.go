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
		figuretest.Figure(t, r.Figure(), r.Compare())
		figuretest.Rows(t, r.Compare(), figuretest.None)
		checkSharpened(t, r)
	}
}

// Where naive repetition costs more, for laws that turn it round. Corollary 4 is 2.162 there, naive
// repetition 10 · 0.1 times the order.
func TestRenyiTable(t *testing.T) {
	for _, c := range []struct {
		fixed, law laws.Spec
		from       string
	}{{laws.Fixed.WithMean(10), laws.TNB(0).WithMean(10), "2.2"}, {laws.Fixed.WithMean(2), laws.TNB(5).WithMean(1e6), "none"}} {
		r, err := Figure3(RenyiConfig{Rho: 0.1, Laws: []laws.Spec{c.fixed, c.law}, Orders: orders(10)})
		if err != nil {
			t.Fatal(err)
		}
		table := r.Table()
		if err := table.Validate(); err != nil {
			t.Error(err)
		}
		if len(table.Rows) != 1 || table.Rows[0][4] != c.from {
			t.Errorf("%s: rows %q, want %q", c.law.Label(), table.Rows, c.from)
		}
	}
	c := RenyiCurve{Paper: []float64{1, 2, 3}, Sharpened: []float64{1.25, 2 - 1e-15, 2.5}}
	if least, most := c.gain(); least != -0.25 || most != 0.5 {
		t.Errorf("gain %g to %g, want -0.25 to 0.5", least, most)
	}
}

func TestAnotherRhoHasNoReference(t *testing.T) {
	r, err := Figure2(RenyiConfig{Rho: 0.2, Laws: []laws.Spec{laws.TNB(0).WithMean(10)}, Orders: []float64{2}})
	if err != nil {
		t.Fatal(err)
	}
	checkWithoutReference(t, r.Compare(), len(r.Compare().Rows))
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
func gaussianBestOfK(l law.Law, rho, order float64) float64 {
	k, mu := l.Distribution(), math.Sqrt(2*rho)
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
		{func(c *RenyiConfig) { c.Laws = nil }, "Laws is empty"},
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
