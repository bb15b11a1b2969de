package contour_test

import (
	"errors"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
)

// ε = 1.4773769757586 of q .01, σ 2, T 5000, δ 1e-5 and ε = 4.37717809568122463 of σ 1 are those of
// the reference in testdata (saddle-point integral at 40 digits) and of Balle and Wang's formula in
// mpmath at 40 digits.
func TestWorstOfSeveral(t *testing.T) {
	sgd := accounting.SelfComposed{Count: 5000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}}}
	loud, quiet := accounting.Gaussian{NoiseMultiplier: 1}, accounting.Gaussian{NoiseMultiplier: 50}
	for _, c := range []struct {
		event accounting.Event
		want  float64
	}{
		{accounting.Parallel{Events: []accounting.Event{sgd, quiet}}, 1.47737697575859},
		{accounting.WorstCase{Events: []accounting.Event{quiet, sgd}}, 1.47737697575859},
		{accounting.Parallel{Events: []accounting.Event{sgd, accounting.WorstCase{Events: []accounting.Event{quiet, loud}}}}, 4.37717809568122463},
	} {
		g, err := accounting.Unchecked(contour.NewAccountant()).EpsilonAt(c.event, 1e-5)
		if err != nil {
			t.Fatalf("%v: %v", c.event, err)
		}
		const reading = 2e-14 // of the wanted values
		if g.Epsilon.Lower > c.want+reading || g.Epsilon.Upper < c.want-reading || g.Epsilon.Width() > 1e-9 {
			t.Errorf("%v: ε in [%.15g, %.15g], want %.15g inside", c.event, g.Epsilon.Lower, g.Epsilon.Upper, c.want)
		}
		d, err := contour.NewAccountant().DeltaAt(c.event, c.want)
		if err != nil {
			t.Fatalf("%v: %v", c.event, err)
		}
		if d.Lower > 1e-5*(1+1e-9) || d.Upper < 1e-5*(1-1e-9) {
			t.Errorf("%v: δ(%g) in [%g, %g], want 1e-5 inside", c.event, c.want, d.Lower, d.Upper)
		}
	}
	inside := accounting.SelfComposed{Count: 2, Event: accounting.Parallel{Events: []accounting.Event{sgd, quiet}}}
	if _, err := contour.NewAccountant().EpsilonAt(inside, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("Parallel inside a composition: error %v, want ErrUnsupportedEvent", err)
	}
}
