package auto_test

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/gdp"
)

func TestCalibrateSteps(t *testing.T) {
	event := func(steps int) accounting.Event { return accounting.SelfComposed{Event: gaussian(30), Count: steps} }
	for _, epsilon := range []float64{0.2, 1, 4, 50} {
		got, err := auto.CalibrateSteps(event, accounting.Target{Epsilon: epsilon, Delta: delta}, math.MaxInt, gdp.NewAccountant())
		if err != nil {
			t.Fatal(err)
		}
		// µ² = steps/30², so the answer is 900 µ² rounded down.
		mu, err := gdp.MuAt(accounting.Target{Epsilon: epsilon, Delta: delta})
		if err != nil {
			t.Fatal(err)
		}
		if want := int(math.Floor(900 * mu * mu)); got != want {
			t.Errorf("steps for ε %g = %d, want %d from µ = %g", epsilon, got, want, mu)
		}
	}
	if got, err := auto.CalibrateSteps(event, accounting.Target{Epsilon: 50, Delta: delta}, 100, gdp.NewAccountant()); err != nil || got != 100 {
		t.Errorf("at most 100 steps: %d, %v, want 100", got, err)
	}
	if got, err := auto.CalibrateSteps(event, accounting.Target{Epsilon: 1e-3, Delta: delta}, 100, gdp.NewAccountant()); !errors.Is(err, accounting.ErrNoBracket) {
		t.Errorf("not even one step: %d, %v, want ErrNoBracket", got, err)
	}
	if got, err := auto.CalibrateSteps(event, accounting.Target{Epsilon: 1, Delta: delta}, 100, nil); err != nil || got != 64 { // as by gdp
		t.Errorf("with a nil accountant, which is auto's own: %d, %v, want 64", got, err)
	}
	for _, err := range []error{
		second(auto.CalibrateSteps(nil, accounting.Target{Epsilon: 1, Delta: delta}, 100, gdp.NewAccountant())),
		second(auto.CalibrateSteps(event, accounting.Target{Epsilon: -1, Delta: delta}, 100, gdp.NewAccountant())),
		second(auto.CalibrateSteps(event, accounting.Target{Epsilon: 1, Delta: 0}, 100, gdp.NewAccountant())),
		second(auto.CalibrateSteps(event, accounting.Target{Epsilon: 1, Delta: delta}, 0, gdp.NewAccountant())),
	} {
		if err == nil {
			t.Error("CalibrateSteps with a bad argument: no error")
		}
	}
}

func second(_ int, err error) error { return err }
