package rdp

import (
	"testing"

	"github.com/dplab/dplab/accounting"
)

// The larger of two Gaussians is known in closed form: α/(2σ²) at the smaller σ. A Gaussian
// that is cheap at every order and a pure-DP curve that is cheap at high orders cross.
func TestMaxOfEvents(t *testing.T) {
	small, large := accounting.Gaussian{NoiseMultiplier: 2}, accounting.Gaussian{NoiseMultiplier: 5}
	for _, event := range []accounting.Event{
		accounting.Parallel{Events: []accounting.Event{small, large}},
		accounting.WorstCase{Events: []accounting.Event{large, small}},
	} {
		curve, err := FromEvent(event)
		if err != nil {
			t.Fatalf("%v: %v", event, err)
		}
		for _, order := range []float64{1.5, 2, 40} {
			if got, want := curve(order), order/8; got != want {
				t.Errorf("%v at order %g: %g, want %g (α/(2σ²), σ = 2)", event, order, got, want)
			}
		}
	}
	crossing := Max(PureDP(1), Gaussian(2))
	for _, order := range []float64{1.01, 2, 8, 100} {
		if got, want := crossing(order), max(PureDP(1)(order), order/8); got != want {
			t.Errorf("Max at order %g: %g, want %g", order, got, want)
		}
	}
}
