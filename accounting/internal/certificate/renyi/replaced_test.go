package renyi

import (
	"math"
	"math/cmplx"
	"os"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/reference"
	"github.com/dplab/dplab/accounting/interval"
)

// TestReplacedSum compares with values in ball arithmetic (rdp/testdata/replaced.py). The upper
// end is above them, and near them.
func TestReplacedSum(t *testing.T) {
	text, err := os.ReadFile("../../../rdp/testdata/replaced.csv")
	if err != nil {
		t.Fatal(err)
	}
	source, rows := reference.Rows(t, string(text))
	for _, row := range rows {
		q, sigma, order, want := row[0], row[1], row[2], row[3]
		got, nodes, err := ReplacedSum(q, sigma, order)
		if err != nil {
			t.Errorf("q %g, σ %g, order %g: %v", q, sigma, order, err)
			continue
		}
		if divergence := got.Div(of(order).Sub(one)).Hi; !(divergence >= interval.Down(want)) || divergence > want*(1+1e-9) {
			t.Errorf("q %g, σ %g, order %g: D <= %.17g with %d nodes, want %.17g; %s", q, sigma, order, divergence, nodes, want, source)
		}
	}
}

// TestReplacedRule: coarse rules give bounds too, so the error terms are at least the errors. The
// step, the strip and the nodes are spoiled one by one.
func TestReplacedRule(t *testing.T) {
	loose := 0
	for _, c := range []struct{ q, sigma, order float64 }{{0.01, 1, 8}, {0.3, 0.6, 3.5}, {0.5, 2, 30}, {0.9, 1, 12}, {0.02, 0.5, 1.2}} {
		best, _, err := ReplacedSum(c.q, c.sigma, c.order)
		if err != nil {
			t.Fatal(err)
		}
		for _, coarse := range []float64{1, 2, 4, 7, 12} {
			for _, narrow := range []float64{1, 0.6, 0.3} {
				for _, fewer := range []int{0, 3, 20} {
					r, err := ruleFor(c.q, c.sigma, c.order, true)
					if err != nil {
						t.Fatal(err)
					}
					r.h *= coarse
					r.y *= narrow
					r.first, r.last = int(float64(r.first)/coarse)+fewer, int(float64(r.last)/coarse)-fewer
					if float64(r.first)*r.h > -1.1 || float64(r.last)*r.h < c.order {
						continue
					}
					got, err := r.logMoment()
					if err != nil {
						continue
					}
					if got.Hi < best.Hi*(1-1e-8) {
						t.Errorf("%+v, step times %g, strip times %g, %d points less: %g is below %g", c, coarse, narrow, fewer, got.Hi, best.Hi)
					}
					if got.Hi > best.Hi*(1+1e-6) {
						loose++
					}
				}
			}
		}
	}
	if loose < 20 {
		t.Errorf("only %d rules are coarse", loose)
	}
}

// TestReplacedGrowth compares the error of the rule with the size of the integrand on its lines.
func TestReplacedGrowth(t *testing.T) {
	tight := 0
	for _, q := range []float64{0.001, 0.1, 0.5, 0.9} {
		for _, sigma := range []float64{0.5, 1, 3} {
			for _, order := range []float64{1.2, 4, 20} {
				r, err := ruleFor(q, sigma, order, true)
				if err != nil {
					t.Fatal(err)
				}
				moment, err := r.logMoment()
				if err != nil {
					t.Fatal(err)
				}
				for _, theta := range []float64{0.2, 0.8, 1.5, 2.2, 3} {
					r.y = theta * sigma * sigma
					var far float64
					for x := -14*sigma - 1; x < 14*sigma+2*order; x += sigma / 50 {
						z, s2 := complex(x, r.y), complex(sigma*sigma, 0)
						ratio := func(z complex128) complex128 {
							return complex(1-q, 0) + complex(q, 0)*cmplx.Exp((2*z-1)/(2*s2))
						}
						loss := cmplx.Log(ratio(z)) - cmplx.Log(ratio(-z))
						g := cmplx.Exp(complex(order-1, 0)*loss) - 1 + complex(order-1, 0)*(cmplx.Exp(-loss)-1)
						far += cmplx.Abs(g*ratio(z)*cmplx.Exp(-z*z/(2*s2))) / math.Sqrt(2*math.Pi) / 50
					}
					times, plus := r.ruleError()
					bound := times.Mul(moment.Exp()).Add(plus).Hi * math.Expm1(2*math.Pi*r.y/r.h) / 2
					if bound < far*(1-1e-9) {
						t.Errorf("q %g, σ %g, order %g, θ %g: the integrand has %g on its line, bound %g", q, sigma, order, theta, far, bound)
					}
					if bound < 3*far {
						tight++
					}
				}
			}
		}
	}
	if tight < 20 {
		t.Errorf("%d bounds are within a factor of 3", tight)
	}
}

// TestReplacedChecked: the check of a composition holds at the exact bound and fails below it, and
// an event of other parts is not taken for the pair.
func TestReplacedChecked(t *testing.T) {
	run := accounting.SelfComposed{Count: 1000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.ClippedSum{NoiseMultiplier: 1}}}
	exponent, _, err := ReplacedSum(0.01, 1, 6)
	if err != nil {
		t.Fatal(err)
	}
	const epsilon = 4
	delta := Convert(exponent.Mul(of(1000)), of(6), epsilon).Exp().Hi
	if c, err := checked(t, run, accounting.ReplaceOne, 6, epsilon, delta*(1+1e-12)); err != nil || !(c.DeltaUpper <= delta*(1+1e-12)) {
		t.Errorf("%+v, %v, want δ <= %g", c, err, delta)
	}
	if c, err := checked(t, run, accounting.ReplaceOne, 6, epsilon-1e-3, delta); err == nil && c.DeltaUpper <= delta {
		t.Errorf("shown at a smaller ε: %+v", c)
	}
	gaussian := accounting.SelfComposed{Count: 1000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 0.5}}}
	if c, err := checked(t, gaussian, accounting.ReplaceOne, 6, epsilon, delta); err == nil && c.DeltaUpper <= delta {
		t.Errorf("a shown sample has the price of a hidden one: %+v", c)
	}
	if _, _, err := ReplacedSum(0.01, math.Inf(1), 2); err == nil {
		t.Error("infinite noise: no error")
	}
}
