package accounting_test

import (
	"errors"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
)

// hasty is an accountant with quick answers: ε times factor, or an error.
type hasty struct {
	counted
	fast   bool
	factor float64
	err    error
	quick  *int
}

func (h hasty) Options() accounting.Options { return accounting.Options{Quick: h.fast} }

func (h hasty) WithOptions(o accounting.Options) accounting.Accountant {
	h.fast = o.Quick
	return h
}

func (h hasty) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	if !h.fast {
		return h.counted.EpsilonAt(event, delta)
	}
	*h.quick++
	g, err := h.Accountant.EpsilonAt(event, delta)
	g.Epsilon = accounting.UpperBound(g.Epsilon.Upper * h.factor)
	return g, errors.Join(err, h.err)
}

// Quick answers that are EpsilonAt's give its result with one call of it. Those that are above, by
// little or by much, and those that fail do not change the result.
func TestCalibrateByQuickAnswers(t *testing.T) {
	for _, c := range []struct {
		factor  float64
		err     error
		settled bool
	}{{1, nil, true}, {1 + 1e-5, nil, false}, {1.5, nil, false}, {1, errors.New("not today"), false}} {
		for _, epsilon := range []float64{0.05, 1, 30} {
			want, err := noiseMultiplier(gdp.NewAccountant(), gaussian, epsilon, 1e-7)
			if err != nil {
				t.Fatal(err)
			}
			calls, quick := 0, 0
			got, err := noiseMultiplier(hasty{counted{gdp.NewAccountant(), &calls}, false, c.factor, c.err, &quick}, gaussian, epsilon, 1e-7)
			if err != nil || got != want {
				t.Errorf("ε %g, factor %g: σ %.12g, %v: want %.12g", epsilon, c.factor, got, err, want)
			}
			if c.settled && calls != 1 || !c.settled && calls < 4 || quick == 0 {
				t.Errorf("ε %g, factor %g: %d calls and %d quick ones", epsilon, c.factor, calls, quick)
			}
		}
	}
}

// What is wrong is said as without quick answers.
func TestCalibrateByQuickAnswersFails(t *testing.T) {
	never := func(float64) accounting.Event { return accounting.NonPrivate{} }
	calls, quick := 0, 0
	_, err := noiseMultiplier(hasty{counted{gdp.NewAccountant(), &calls}, false, 1, nil, &quick}, never, 1, 1e-5)
	if _, want := noiseMultiplier(gdp.NewAccountant(), never, 1, 1e-5); err == nil || want == nil || err.Error() != want.Error() {
		t.Errorf("error %v: want %v", err, want)
	}
}
