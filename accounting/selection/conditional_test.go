package selection_test

import (
	"math"
	"testing"

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
