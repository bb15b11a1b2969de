package accountingtest

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
)

const (
	// slack is the relative error allowed between two upper bounds. Searches and rounding differ by
	// less, and parameters in the tests by far more.
	slack = 1e-6
	delta = 1e-5 // where a test does not vary it
)

// Run checks that the accountants of newAccountant keep the contract of accounting.Accountant.
// Bounds must be on the right side of known truths, monotone in every parameter and consistent
// under composition. Invalid input must be an error. With -short most questions are asked once, so
// an accountant that answers the same question in two ways is found only without it.
func Run(t *testing.T, newAccountant func() accounting.Accountant) {
	t.Helper()
	c := contract{accountant: newAccountant()}
	if testing.Short() {
		c.asked = map[string]answer{}
	}
	if _, err := c.accountant.EpsilonAt(gaussian(1), delta); err != nil {
		t.Fatalf("%s: plain Gaussian: %v; every accountant must know it", c.accountant.Name(), err)
	}
	t.Run("identity", c.identity)
	t.Run("truth", c.truth)
	t.Run("monotone", c.monotone)
	t.Run("composition", c.composition)
	t.Run("worst of several", c.worst)
	t.Run("simplest form", c.simplestForm)
	t.Run("bounds", c.standIns)
	t.Run("round trip", c.roundTrip)
	t.Run("extremes", c.extremes)
	t.Run("no privacy", c.noPrivacy)
	t.Run("unknown events", c.unknownEvents)
	t.Run("invalid events", c.invalidEvents)
	t.Run("invalid arguments", c.invalidArguments)
}

type contract struct {
	accountant accounting.Accountant
	asked      map[string]answer // with -short: by event and δ
}

type answer struct {
	guarantee accounting.Guarantee
	err       error
}

func gaussian(noiseMultiplier float64) accounting.Event {
	return accounting.Gaussian{NoiseMultiplier: noiseMultiplier}
}

func sgd(rate, noiseMultiplier float64, steps int) accounting.Event {
	return accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: rate, Event: gaussian(noiseMultiplier)},
		Count: steps,
	}
}

// epsilon returns the guarantee for event, checked for form. ok is false if the accountant does not
// know the event.
func (c contract) epsilon(t *testing.T, event accounting.Event, delta float64) (g accounting.Guarantee, ok bool) {
	t.Helper()
	g, err := c.epsilonAt(event, delta)
	if errors.Is(err, accounting.ErrUnsupportedEvent) {
		return g, false
	}
	if err != nil {
		t.Fatalf("EpsilonAt(%v, %g): %v", event, delta, err)
	}
	c.checkForm(t, event, g, delta)
	return g, true
}

// epsilonAt asks the accountant. With -short it asks each question once: most are asked by several
// tests.
func (c contract) epsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	if c.asked == nil {
		return c.accountant.EpsilonAt(event, delta)
	}
	key := fmt.Sprintf("%#v at %g", event, delta)
	a, ok := c.asked[key]
	if !ok {
		a.guarantee, a.err = c.accountant.EpsilonAt(event, delta)
		c.asked[key] = a
	}
	return a.guarantee, a.err
}

func (c contract) checkForm(t *testing.T, event accounting.Event, g accounting.Guarantee, delta float64) {
	t.Helper()
	checkInterval(t, event, "ε", g.Epsilon)
	if g.Delta != delta {
		t.Errorf("EpsilonAt(%v, %g): Delta is %g", event, delta, g.Delta)
	}
	if g.Neighboring != c.accountant.Neighboring() {
		t.Errorf("EpsilonAt(%v, %g): Neighboring is %v, the accountant's is %v", event, delta, g.Neighboring, c.accountant.Neighboring())
	}
	if g.Method == "" {
		t.Errorf("EpsilonAt(%v, %g): Method is empty", event, delta)
	}
}

// checkInterval reports ends that are NaN, negative or out of order.
func checkInterval(t *testing.T, event accounting.Event, what string, i accounting.Interval) {
	t.Helper()
	if !(i.Upper >= 0) {
		t.Errorf("%s of %v: upper end %g, want >= 0", what, event, i.Upper)
	}
	if i.HasLower && !(i.Lower >= 0 && i.Lower <= i.Upper) {
		t.Errorf("%s of %v: lower end %g, want in [0, %g]", what, event, i.Lower, i.Upper)
	}
	if i.HasEstimate && math.IsNaN(i.Estimate) {
		t.Errorf("%s of %v: estimate is NaN", what, event)
	}
}

// same reports whether two answers about equal mechanisms agree, up to their widths.
func same(a, b accounting.Interval) bool {
	if a.Upper == b.Upper { // infinities too
		return true
	}
	tolerance := slack * math.Max(a.Upper, b.Upper)
	for _, i := range []accounting.Interval{a, b} {
		if i.HasLower {
			tolerance += i.Width()
		}
	}
	return math.Abs(a.Upper-b.Upper) <= tolerance
}

func (c contract) identity(t *testing.T) {
	if c.accountant.Name() == "" {
		t.Error("Name is empty")
	}
	if err := c.accountant.Neighboring().Validate(); err != nil {
		t.Error(err)
	}
}
