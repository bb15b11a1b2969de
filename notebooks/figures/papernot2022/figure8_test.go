package papernot2022

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/internal/figuretest"
)

func TestFigure8(t *testing.T) {
	cfg := defaultFigure8()
	cfg.Orders = []float64{2.5, 5, 10, 25}
	r, err := Figure8(cfg)
	if err != nil {
		t.Fatal(err)
	}
	figuretest.Figure(t, r.Figure(), r.Compare())
	figuretest.Rows(t, r.Compare(), figuretest.None)
	for _, c := range r.Curves {
		for i, order := range cfg.Orders {
			// Own is the corollary for the example itself; Second is not, but is above it here all the same.
			if !(c.Exact[i] <= c.Own[i] && c.Exact[i] <= c.Second[i] && c.Gaussian[i] <= c.Least[i] && c.Least[i] <= c.Second[i]) {
				t.Errorf("a = %g, λ = %g: exact %g, Gaussian %g, least %g, second inequality %g: must be in order", c.A, order, c.Exact[i], c.Gaussian[i], c.Least[i], c.Second[i])
			}
		}
	}
}

// The example's divergence of order 9 at λ = 10 is 0.981, and Corollary 16 for it 2.282: by another
// program, to three decimals.
func TestFigure8Table(t *testing.T) {
	cfg := defaultFigure8()
	cfg.A, cfg.Orders = []float64{0.25}, []float64{2.5, 10, 25}
	r, err := Figure8(cfg)
	if err != nil {
		t.Fatal(err)
	}
	table := r.Table()
	if err := table.Validate(); err != nil {
		t.Error(err)
	}
	for i, want := range map[int]string{4: "2 of 3", 5: "0.981", 6: "2.210", 7: "2.282"} {
		if got := table.Rows[i][1]; got != want {
			t.Errorf("%s: %s, want %s", table.Rows[i][0], got, want)
		}
	}
	cfg.Rho = 0.2
	if r, err = Figure8(cfg); err != nil {
		t.Fatal(err)
	}
	checkWithoutReference(t, r.Compare(), 8)
}

// The Gaussian example by direct summation over a grid, for the good outputs outside
// [-1.5, 2.5]. The midpoint rule with this step is off by less than 1e-8.
func TestTwoTailsAgainstSummation(t *testing.T) {
	const rho, step = 0.1, 1e-4
	mu := math.Sqrt(2 * rho)
	density := func(x, mean float64) float64 { return math.Exp(-(x-mean)*(x-mean)/2) / math.Sqrt(2*math.Pi) }
	for _, order := range []float64{2, 6} {
		var q, upper, r, both float64 // Q(S), its upper tail, Q'(S), and the integral
		for i := range 240000 {
			x := -10 + (float64(i)+0.5)*step
			if x > -1.5 && x < 2.5 {
				continue
			}
			p, o := density(x, mu), density(x, 0)
			q, r, both = q+step*p, r+step*o, both+step*math.Pow(p, order)*math.Pow(o, 1-order)
			if x > 0 {
				upper += step * p
			}
		}
		want := (math.Log(both) - order*math.Log(q) - (1-order)*math.Log(r)) / (order - 1)
		if got := twoTails(rho, order, q, upper/q); math.Abs(got-want) > 1e-7 {
			t.Errorf("λ = %g: %.9g: want %.9g by summation", order, got, want)
		}
		if worst := gaussianConditioned(rho, order, q); worst < want-1e-3 {
			t.Errorf("λ = %g: the worst share gives %g, another %g", order, worst, want)
		}
	}
}

func TestFigure8Refuses(t *testing.T) {
	cases := []struct {
		spoil func(c *Figure8Config)
		want  string
	}{
		{func(c *Figure8Config) { c.Rho = 0 }, "Rho 0"},
		{func(c *Figure8Config) { c.A = nil }, "A is empty"},
		{func(c *Figure8Config) { c.A = []float64{0.3} }, "A[0] 0.3"},
		{func(c *Figure8Config) { c.Orders = []float64{2} }, "Orders[0] 2"},
	}
	for _, c := range cases {
		cfg := defaultFigure8()
		c.spoil(&cfg)
		if _, err := Figure8(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v: want one with %q", err, c.want)
		}
	}
	cfg := defaultFigure8()
	cfg.Rho = 1e9
	if _, err := Figure8(cfg); err == nil || !strings.Contains(err.Error(), "no s, t") {
		t.Errorf("no example: error %v", err)
	}
}

// Appendix D.2's example in the setting of Figure 8: the exact divergence lies below
// Corollary 16 and, for large orders, above s + t - λ/(λ-1) ln 2.
func TestConditionalIsNearlyTight(t *testing.T) {
	for _, order := range []float64{1.5, 2, 3, 5, 10, 25} {
		for _, a := range []float64{0.01, 0.1, 0.25} {
			e, err := tightExample(a, order, 0.1*order)
			if err != nil {
				t.Errorf("order %g: %v", order, err)
				continue
			}
			// Corollary 16 for this pair: Q' to Q at order λ-1 is at most what it is at λ.
			forth, _, conditioned := e.divergences(order)
			upper := forth + 2/(order-1)*numeric.Log(1/e.successProbability())
			if order > 2 {
				_, back, _ := e.divergences(order - 1)
				upper += (order - 2) / (order - 1) * back
			}
			lower := e.s + e.t - order/(order-1)*math.Ln2
			if conditioned < lower-1e-9 || order >= 2 && conditioned > upper {
				t.Errorf("order %g, a %g: exact %g outside [%g, %g] (Papernot and Steinke 2022, D.2 and Corollary 16)", order, a, conditioned, lower, upper)
			}
		}
	}
}
