package selection_test

import (
	"errors"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
	"github.com/dplab/dplab/accounting/selection"
)

func TestAccountantContract(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant { return selection.NewAccountant() })
}

// δ at the ε of δ is δ, and more noise or fewer runs never cost more.
func TestAccountantOfEvent(t *testing.T) {
	accountant := selection.NewAccountant()
	event := selection.Event{Law: tnb(t, 0, 5), Base: sgd(0.01, 1.5, 1000)}
	g, err := accountant.EpsilonAt(event, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	delta, err := accountant.DeltaAt(event, g.Epsilon.Upper)
	if err != nil || !near(delta.Upper, 1e-5, 1e-3) {
		t.Errorf("δ at ε = %g is %g, %v, want 1e-5 (the δ that gave ε)", g.Epsilon.Upper, delta.Upper, err)
	}
	twice, err := accountant.EpsilonAt(accounting.SelfComposed{Event: event, Count: 2}, 1e-5)
	if err != nil || !(twice.Epsilon.Upper > g.Epsilon.Upper && twice.Epsilon.Upper < 3*g.Epsilon.Upper) {
		t.Errorf("two tunings: %v, %v, want between 1 and 3 times %v", twice, err, g)
	}
	mixed := accounting.Composed{Events: []accounting.Event{event, accounting.Gaussian{NoiseMultiplier: 5}}}
	if both, err := accountant.EpsilonAt(mixed, 1e-5); err != nil || !(both.Epsilon.Upper > g.Epsilon.Upper) {
		t.Errorf("tuning and a Gaussian: %v, %v, want above %v", both, err, g)
	}
	if _, err := accountant.EpsilonAt(accounting.PoissonSampled{SamplingRate: 0.5, Event: event}, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("tuning on a sample: error %v, want ErrUnsupportedEvent", err)
	}
}

func TestCalibrateNoiseMultiplier(t *testing.T) {
	for _, law := range []selection.Law{tnb(t, 0, 10), selection.Poisson{MeanRepeats: 10}, selection.Fixed{Count: 3}} {
		event := func(sigma float64) accounting.Event { return sgd(0.02, sigma, 500) }
		sigma, err := selection.CalibrateNoiseMultiplier(law, event, 3, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if got := price(t, law, event(sigma), 1e-5).Guarantee.Epsilon.Upper; !(got <= 3 && got > 3*(1-1e-5)) {
			t.Errorf("%v: σ = %g costs %.9g, want at most the target 3, and hardly less", law, sigma, got)
		}
	}
}
