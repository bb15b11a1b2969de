package pld_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
)

// ε is never above the sum of the largest losses. At a δ as small as these, it is that sum to more
// digits than are compared: each loss below the largest has a chance of at most 1 - 1e-3.
func TestLargestLoss(t *testing.T) {
	top := func(q, loss float64) float64 { return math.Log1p(q * math.Expm1(loss)) }
	for _, c := range []struct {
		name  string
		event accounting.Event
		delta float64
		want  float64
	}{
		{"sampled pure DP", sampled(0.106, accounting.PureDP{Epsilon: 0.008}), 1.7e-168, top(0.106, 0.008)},
		{"Laplace", laplace(6.67), 1.3e-183, 1 / 6.67},
		{"Laplace and randomised response", accounting.Composed{Events: []accounting.Event{laplace(6.67), times(accounting.PureDP{Epsilon: 0.01}, 3)}}, 1e-150, 1/6.67 + 0.03},
		{"sampled Laplace", times(sampled(0.2, laplace(0.5)), 3), 1e-200, 3 * top(0.2, 2)},
		{"a pair", times(pld.DiscretePair{With: []float64{0.25, 0.75}, Without: []float64{0.5, 0.5}}, 2), 1e-160, 2 * math.Ln2},
	} {
		g, err := pld.NewAccountant().EpsilonAt(c.event, c.delta)
		if err != nil || g.Epsilon.Upper < c.want*(1-1e-12) || g.Epsilon.Upper > c.want*(1+1e-9) {
			t.Errorf("%s: ε %v, %v at δ = %g: want an upper end of %.12g, the largest loss", c.name, g.Epsilon, err, c.delta, c.want)
		}
		if i, err := pld.NewAccountant().DeltaAt(c.event, c.want*(1+1e-9)); err != nil || i.Upper > math.SmallestNonzeroFloat64 {
			t.Errorf("%s: δ %v, %v above the largest loss: want 0", c.name, i, err)
		}
	}
	// An outcome that only one law has leaves its chance as δ, and nothing else from the largest loss
	// on.
	approx := times(accounting.ApproxDP{Epsilon: 0.5, Delta: 1e-7}, 3)
	floor := 1 - math.Pow(1-1e-7, 3)
	if g, err := pld.NewAccountant().EpsilonAt(approx, 4e-7); err != nil || g.Epsilon.Upper > 1.5*(1+1e-9) {
		t.Errorf("approximate DP: ε %v, %v, want at most 1.5", g.Epsilon, err)
	}
	if i, err := pld.NewAccountant().DeltaAt(approx, 1.5*(1+1e-9)); err != nil || math.Abs(i.Upper/floor-1) > 1e-9 || i.Upper < floor*(1-1e-15) {
		t.Errorf("approximate DP: δ %v, %v from ε = 1.5 on, want %.15g", i, err, floor)
	}
	if g, err := pld.NewAccountant().EpsilonAt(approx, 2e-7); err != nil || !math.IsInf(g.Epsilon.Upper, 1) {
		t.Errorf("approximate DP: ε %v, %v at a δ below its floor, want +Inf", g.Epsilon, err)
	}
}
