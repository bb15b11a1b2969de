package accountingtest

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// unknown is an event that no accountant can know.
type unknown struct{}

func (unknown) Validate() error { return nil }
func (unknown) String() string  { return "unknown" }

func (c contract) unknownEvents(t *testing.T) {
	for _, event := range []accounting.Event{
		unknown{},
		accounting.SelfComposed{Event: unknown{}, Count: 3},
		accounting.Composed{Events: []accounting.Event{gaussian(1), unknown{}}},
		accounting.PoissonSampled{SamplingRate: 0.1, Event: unknown{}},
		accounting.PoissonSampled{SamplingRate: 1, Event: unknown{}},
	} {
		if g, err := c.accountant.EpsilonAt(event, delta); !errors.Is(err, accounting.ErrUnsupportedEvent) {
			t.Errorf("EpsilonAt(%v) = %v, %v, want ErrUnsupportedEvent", event, g, err)
		}
		if i, err := c.accountant.DeltaAt(event, 1); !errors.Is(err, accounting.ErrUnsupportedEvent) {
			t.Errorf("DeltaAt(%v) = %v, %v, want ErrUnsupportedEvent", event, i, err)
		}
	}
}

func (c contract) invalidEvents(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	events := []accounting.Event{nil,
		accounting.Composed{},
		accounting.Composed{Events: []accounting.Event{gaussian(1), nil}},
		accounting.SelfComposed{Count: 1},
		accounting.PoissonSampled{SamplingRate: 0.5},
		sgd(0.5, 1, 0), sgd(0.5, 1, -5),
	}
	for _, sigma := range []float64{0, -1, nan, inf} {
		events = append(events, gaussian(sigma), sgd(0.5, sigma, 3))
	}
	for _, rate := range []float64{0, -0.1, 1.5, nan, inf} {
		events = append(events, sgd(rate, 1, 3))
	}
	for _, event := range events {
		if g, err := c.accountant.EpsilonAt(event, delta); err == nil {
			t.Errorf("EpsilonAt(%v) = %v, want an error", event, g)
		}
		if i, err := c.accountant.DeltaAt(event, 1); err == nil {
			t.Errorf("DeltaAt(%v) = %v, want an error", event, i)
		}
	}
}

func (c contract) invalidArguments(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, d := range []float64{0, 1, -1e-5, 2, nan, inf} {
		if g, err := c.accountant.EpsilonAt(gaussian(1), d); err == nil {
			t.Errorf("EpsilonAt at δ = %g: %v, want an error", d, g)
		}
	}
	for _, e := range []float64{-1e-9, nan, inf} {
		if i, err := c.accountant.DeltaAt(gaussian(1), e); err == nil {
			t.Errorf("DeltaAt at ε = %g: %v, want an error", e, i)
		}
	}
}

func (c contract) noPrivacy(t *testing.T) {
	for _, event := range []accounting.Event{
		accounting.NonPrivate{},
		accounting.SelfComposed{Event: accounting.NonPrivate{}, Count: 2},
		accounting.Composed{Events: []accounting.Event{gaussian(1), accounting.NonPrivate{}}},
	} {
		g, ok := c.epsilon(t, event, delta)
		if !ok {
			t.Errorf("EpsilonAt(%v): unsupported; every accountant must know NonPrivate", event)
			continue
		}
		if !math.IsInf(g.Epsilon.Upper, 1) {
			t.Errorf("ε(%v) = %v, want +Inf", event, g.Epsilon)
		}
		if i, err := c.accountant.DeltaAt(event, 10); err != nil || i.Upper != 1 {
			t.Errorf("δ(%v, ε=10) = %v, %v, want 1", event, i, err)
		}
	}
}

// extremes checks that parameters of any size give a number of the right form or an error, in
// finite time. With -short each event is priced once for ε and once for δ, at arguments that take
// turns.
func (c contract) extremes(t *testing.T) {
	for i, event := range []accounting.Event{
		gaussian(1e-8), gaussian(1e-3), gaussian(1e6), gaussian(1e150), gaussian(1e-150),
		gaussian(check.LeastNormal), gaussian(3e-308), gaussian(1e-154), gaussian(1e160), gaussian(1e308),
		accounting.SelfComposed{Event: gaussian(1e-154), Count: 1000}, accounting.SelfComposed{Event: gaussian(1e160), Count: 1000},
		sgd(0.01, check.LeastNormal, 1000), sgd(0.01, 3e-308, 1000), sgd(0.01, 1e-160, 1), sgd(0.9, 1e-154, 3),
		sgd(0.01, 1e154, 1), sgd(0.5, 1e160, 1000), sgd(0.01, 1e308, 1000), sgd(check.LeastNormal, 1, 10), sgd(3e-308, 3e-308, 1000),
		accounting.Composed{Events: []accounting.Event{sgd(0.1, 3e-308, 10), sgd(0.1, 1, 10), gaussian(1e308)}},
		sgd(1e-6, 1, 1000000), sgd(1e-6, 0.7, 1), sgd(1e-12, 5, 10), sgd(0.01, 1000, 1000000),
		sgd(0.5, 0.05, 10000), sgd(0.999999, 1, 100), sgd(0.9, 0.02, 1000000), sgd(0.1, 1, math.MaxInt32),
	} {
		for j, d := range []float64{5e-324, 1e-300, 1e-12, 0.999} {
			if testing.Short() && j != i%4 {
				continue
			}
			g, err := c.accountant.EpsilonAt(event, d)
			if err == nil {
				c.checkForm(t, event, g, d)
			}
		}
		for j, e := range []float64{0, 5e-324, 1e-6, 1, 1e6, 1e308} {
			if testing.Short() && j != i%6 {
				continue
			}
			d, err := c.accountant.DeltaAt(event, e)
			if err == nil {
				checkInterval(t, event, "δ", d)
				if d.Upper > 1 {
					t.Errorf("δ(%v, ε=%g) = %v, want at most 1", event, e, d)
				}
			}
		}
	}
}
