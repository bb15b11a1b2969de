package selection_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection"
)

func TestConditionalCurve(t *testing.T) {
	curve, err := selection.Conditional(func(order float64) float64 { return 0.1 * order }, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	// Order 11 by hand: 1.1 + 9/10·1.0 + 2/10 ln 5.
	if got, want := curve(11), 1.1+0.9+0.2*numeric.Log(5); !near(got, want, 1e-12) {
		t.Errorf("order 11: %.12g, want %.12g (Corollary 16 by hand)", got, want)
	}
	if low := curve(1.2); !(low <= curve(2) && low > 0) {
		t.Errorf("order 1.2: %g, want at most the %g of order 2 (divergences do not fall with the order)", low, curve(2))
	}
	for _, p := range []float64{0, -1, 1.5, math.NaN()} {
		if _, err := selection.Conditional(curve, p); err == nil {
			t.Errorf("success probability %g: no error", p)
		}
	}
	if _, err := selection.Conditional(nil, 0.5); err == nil {
		t.Error("nil curve: no error")
	}
}

// For ρ-zCDP runs the fifth inequality has its least value in closed form: with u = 1/r,
// ρ((λ-1)/u + 1) + ρ(λ-2) + (1+u)/(λ-1) ln(1/Q(S)) is least at u = (λ-1)√(ρ/ln(1/Q(S))).
func TestCorollary16Parameter(t *testing.T) {
	const rho, mass = 0.1, 0.002
	curve := func(order float64) float64 { return rho * order }
	least, err := selection.ConditionalLeast(curve, mass)
	if err != nil {
		t.Fatal(err)
	}
	closed := func(order float64) float64 {
		a := order - 1
		u := math.Min(1, a*math.Sqrt(rho/-numeric.Log(mass)))
		return rho*(a/u+1) + rho*(order-2) - (1+u)/a*numeric.Log(mass)
	}
	second, err := selection.Corollary16(curve, mass, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range []float64{2.2, 3, 10, 40} {
		if got, want := second(order), rho*order+rho*(order-2)+2/(order-1)*numeric.Log(1/mass); !near(got, want, 1e-12) {
			t.Errorf("λ = %g: %g at r = 1, want %g (second inequality)", order, got, want)
		}
		want := closed(order)
		for k := 1; k < 3000; k++ {
			want = math.Min(want, closed(1+(order-1)*math.Pow(1.002, float64(k))))
		}
		if got := least(order); !near(got, want, 1e-6) {
			t.Errorf("λ = %g: least %.12g, want %.12g (closed form over u, orders to 0.2 %%)", order, got, want)
		}
	}
	if _, err := selection.Corollary16(curve, mass, 0.5); err == nil {
		t.Error("r = 0.5: no error")
	}
	if _, err := selection.ConditionalLeast(nil, mass); err == nil {
		t.Error("nil curve: no error")
	}
}

// Conditioning on a set of outputs, against the exact divergences of drawn pairs: at every q and r, no bound is below, in either direction.
func TestProposition15Holds(t *testing.T) {
	rng := newRand(54)
	closest := 0.0
	for range 300 {
		pair := enumerate.DrawnPair(rng, 3+rng.IntN(4), math.Exp(rng.NormFloat64()))
		kept := 1 + rng.IntN(len(pair.P)-1)
		p, q := floats.Sum(pair.P[:kept]), floats.Sum(pair.Q[:kept])
		inside := enumerate.Of(enumerate.Normalized(slices.Clone(pair.P[:kept])), enumerate.Normalized(slices.Clone(pair.Q[:kept])))
		curve := func(order float64) float64 {
			if math.IsInf(order, 1) {
				worst := 0.0
				for i := range pair.P {
					worst = math.Max(worst, math.Abs(numeric.Log(pair.P[i]/pair.Q[i])))
				}
				return worst
			}
			return math.Max(pair.Divergence(order), enumerate.Of(pair.Q, pair.P).Divergence(order))
		}
		inverseQ := rng.Float64() // 1/q
		inverseR := (1 - inverseQ) * rng.Float64()
		switch rng.IntN(4) {
		case 0:
			inverseQ, inverseR = 1, 0
		case 1:
			inverseR = 1 - inverseQ // p = +Inf
		case 2:
			inverseQ, inverseR = 0, 1
		}
		bound, err := selection.Proposition15(curve, math.Min(p, q), 1/inverseQ, 1/inverseR)
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range []float64{2 - inverseQ, 2 - 0.9*inverseQ, 2, 2.7, 6} {
			if order <= 1.001 {
				continue
			}
			if got, exact := bound(order+1e-12), inside.Divergence(order); !(got >= exact*(1-1e-9)-1e-12) {
				t.Errorf("%v, first %d outputs, q %g, r %g, order %g: %.12g below the exact %.12g", pair, kept, 1/inverseQ, 1/inverseR, order, got, exact)
			} else if !math.IsInf(got, 1) {
				closest = math.Max(closest, exact/got)
			}
		}
	}
	if closest < 0.3 {
		t.Errorf("the exact divergence comes to %.3f of the bound at most: examples too weak", closest)
	}
}

// The five inequalities of Corollary 16 by hand, for ε(λ) = min(λ/10, 2), Q(S) = 1/5 and λ = 11, and the last one at a finite q.
func TestCorollary16Inequalities(t *testing.T) {
	curve := func(order float64) float64 { return math.Min(order/10, 2) }
	inf, log5 := math.Inf(1), numeric.Log(5)
	for _, c := range []struct {
		name              string
		q, r, order, want float64
	}{
		{"first", 7, 1.5, inf, 2 + 2},
		{"second", inf, 1, 11, 1.1 + 0.9*1.0 + 0.2*log5},
		{"third", inf, inf, 11, 2 + 0.9*1.0 + 0.1*log5},
		{"fourth", 1, inf, 11, 1.1*2 + 1.1 + 0.1*log5},
		{"fifth, r = 1.5", inf, 1.5, 11, 1.6 + 0.9*1.0 + (1+1/1.5)/10*log5},
		{"Proposition 15, p = 4, q = 2, r = 4", 2, 4, 3, 2.5/2*1.1 + 1.5/2*0.25 + 1.25/2*log5}, // orders 4(3-1/4) = 11 and 2.5
		{"Proposition 15, below order 2 - 1/q", 2, 4, 1.49, inf},
		{"Proposition 15, below order 2", 2, 4, 1.5, 1/0.5*0.5 + 1.25/0.5*log5}, // orders 4(1.5-1/4) = 5 and 1
	} {
		bound, err := selection.Proposition15(curve, 0.2, c.q, c.r)
		if err != nil {
			t.Fatal(err)
		}
		if got := bound(c.order); got != c.want && (math.IsInf(c.want, 1) || !near(got, c.want, 1e-12)) {
			t.Errorf("%s: %.12g, want %.12g", c.name, got, c.want)
		}
	}
	// No order up to 1 has a bound, and neither has an order at which the curve is not known.
	for _, order := range []float64{1, 0.5, math.NaN()} {
		if bound, err := selection.Proposition15(func(float64) float64 { return 0 }, 0.2, 1, inf); err != nil || !math.IsInf(bound(order), 1) {
			t.Errorf("order %g: %g, %v: want +Inf", order, bound(order), err)
		}
	}
	if bound, err := selection.Proposition15(func(float64) float64 { return math.NaN() }, 0.2, 2, 2); err != nil || !math.IsInf(bound(3), 1) {
		t.Errorf("a curve of NaN: %g, %v: want +Inf", bound(3), err)
	}
	third, err := selection.Corollary16(curve, 0.2, inf)
	if err != nil || !near(third(11), 2.9+0.1*log5, 1e-12) {
		t.Errorf("Corollary16 at r = +Inf: %v, want the third inequality", err)
	}
	for text, c := range map[string][2]float64{
		"q 0.5: must be in [1, +Inf]": {0.5, inf}, "q NaN": {math.NaN(), 2}, "q -Inf": {-inf, 2}, "r 0.9: must be in [1, +Inf]": {inf, 0.9},
		"1/q + 1/r 1.5: must be at most 1": {1, 2},
	} {
		if _, err := selection.Proposition15(curve, 0.2, c[0], c[1]); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("q %g, r %g: %v, want an error with %q", c[0], c[1], err, text)
		}
	}
}
