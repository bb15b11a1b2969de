package accountingtest

import (
	"fmt"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// monotone checks that ε does not grow along lists ordered from less to more private.
func (c contract) monotone(t *testing.T) {
	type question struct {
		event accounting.Event
		delta float64
	}
	lists := map[string][]question{}
	for _, base := range []struct {
		name string
		step func(rate, sigma float64, steps int) accounting.Event
	}{
		{"sampled", sgd},
		{"plain", func(_, sigma float64, steps int) accounting.Event {
			return accounting.SelfComposed{Event: gaussian(sigma), Count: steps}
		}},
	} {
		for _, d := range []float64{1e-12, 1e-9, 1e-6, 1e-3, 0.1} {
			lists[base.name+" delta"] = append(lists[base.name+" delta"], question{base.step(0.02, 1.3, 200), d})
		}
		for _, sigma := range []float64{0.6, 0.9, 1.3, 2, 4, 16} {
			lists[base.name+" noise"] = append(lists[base.name+" noise"], question{base.step(0.02, sigma, 200), delta})
		}
		for _, steps := range []int{10000, 2000, 300, 20, 1} {
			lists[base.name+" steps"] = append(lists[base.name+" steps"], question{base.step(0.02, 1.3, steps), delta})
		}
	}
	for _, rate := range []float64{1, 0.5, 0.1, 0.01, 1e-3} {
		lists["rate"] = append(lists["rate"], question{sgd(rate, 1.3, 200), delta})
	}
	for name, list := range lists {
		var last accounting.Guarantee
		known := false
		for _, q := range list {
			g, ok := c.epsilon(t, q.event, q.delta)
			if !ok {
				continue
			}
			if known && g.Epsilon.Upper > last.Epsilon.Upper*(1+slack) {
				t.Errorf("%s: ε(%v, δ=%g) = %g, more than the %g of what is less private", name, q.event, q.delta, g.Epsilon.Upper, last.Epsilon.Upper)
			}
			last, known = g, true
		}
	}
}

// composition checks that the same steps written differently cost the same.
func (c contract) composition(t *testing.T) {
	repeat := func(event accounting.Event, count int) []accounting.Event {
		events := make([]accounting.Event, count)
		for i := range events {
			events[i] = event
		}
		return events
	}
	times := func(event accounting.Event, count int) accounting.Event {
		return accounting.SelfComposed{Event: event, Count: count}
	}
	all := func(events ...accounting.Event) accounting.Event { return accounting.Composed{Events: events} }

	sampled := accounting.PoissonSampled{SamplingRate: 0.05, Event: gaussian(1.1)}
	for _, step := range []accounting.Event{gaussian(3), sampled} {
		other := gaussian(7)
		for _, pair := range [][2]accounting.Event{
			{step, times(step, 1)},
			{step, all(step)},
			{times(step, 12), all(repeat(step, 12)...)},
			{times(step, 12), times(times(step, 4), 3)},
			{times(step, 12), all(times(step, 5), times(step, 7))},
			{all(times(step, 5), other), all(other, times(step, 5))},
			{times(all(step, other), 4), all(times(step, 4), times(other, 4))},
		} {
			c.checkSame(t, pair[0], pair[1])
		}
		c.checkMore(t, times(step, 12), step)
		c.checkMore(t, all(step, other), step)
	}
}

// worst checks that a Parallel and a WorstCase cost as much as the worst of their events.
func (c contract) worst(t *testing.T) {
	small, large := accounting.Event(sgd(0.01, 2, 300)), accounting.Event(sgd(0.02, 2, 300))
	if _, ok := c.epsilon(t, large, delta); !ok {
		small, large = gaussian(3), gaussian(2)
	}
	for _, event := range []accounting.Event{
		accounting.Parallel{Events: []accounting.Event{small, large}},
		accounting.WorstCase{Events: []accounting.Event{large, small}},
	} {
		c.checkSame(t, event, large)
		c.checkSame(t, accounting.SelfComposed{Event: event, Count: 2}, accounting.SelfComposed{Event: large, Count: 2})
	}
}

// simplestForm checks that an event costs as much as its simplest form (see accounting.Flatten): a
// sampling rate of 1, one repetition, and a composition of one event change nothing. An accountant
// that knows the simplest form must know the event.
func (c contract) simplestForm(t *testing.T) {
	full := func(event accounting.Event) accounting.Event {
		return accounting.PoissonSampled{SamplingRate: 1, Event: event}
	}
	once := func(event accounting.Event) accounting.Event {
		return accounting.SelfComposed{Event: event, Count: 1}
	}
	only := func(event accounting.Event) accounting.Event {
		return accounting.Composed{Events: []accounting.Event{event}}
	}
	sampled := func(event accounting.Event) accounting.Event {
		return accounting.PoissonSampled{SamplingRate: 0.1, Event: event}
	}
	for _, simple := range []accounting.Event{
		gaussian(0.5), gaussian(20), sampled(gaussian(2)), sgd(0.05, 1.1, 12),
		accounting.WorstCase{Events: []accounting.Event{gaussian(1), gaussian(2)}},
	} {
		if !c.knows(t, simple) {
			continue
		}
		for _, event := range []accounting.Event{full(simple), once(simple), only(simple), full(once(only(simple)))} {
			if !c.knows(t, event) {
				t.Errorf("%v: unsupported, and %v is not", event, simple)
			}
			c.checkSame(t, event, simple)
		}
	}
	if simple := sampled(gaussian(1.5)); c.knows(t, simple) {
		for _, event := range []accounting.Event{sampled(full(once(gaussian(1.5)))), once(sampled(only(gaussian(1.5))))} {
			if !c.knows(t, event) {
				t.Errorf("%v: unsupported, and %v is not", event, simple)
			}
			c.checkSame(t, event, simple)
		}
	}
}

// standIns checks that a bound on a mechanism costs at least the mechanism. Its price has no lower
// end, as the mechanism may be any other one within the bound.
func (c contract) standIns(t *testing.T) {
	for _, bound := range []struct {
		event   accounting.Event
		epsilon float64 // at delta, of a mechanism within the bound
	}{
		// Randomized response at ε 1: δ(ε) = (e - e^ε)/(1 + e).
		{accounting.ProfileBound{Epsilons: []float64{0, 1}, Deltas: []float64{math.Tanh(0.5), 0}}, numeric.Log(math.E - delta*(1+math.E))},
		// The Gaussian mechanism with σ 1.
		{accounting.RenyiBound{Orders: []float64{2, 4, 6, 8}, Divergences: []float64{1, 2, 3, 4}}, 4.377178095681137},
	} {
		for _, event := range []accounting.Event{bound.event, accounting.SelfComposed{Event: bound.event, Count: 2}, accounting.PoissonSampled{SamplingRate: 0.1, Event: bound.event}} {
			if g, ok := c.epsilon(t, event, delta); ok && g.Epsilon.HasLower {
				t.Errorf("ε(%v) = %v, want no lower end", event, g.Epsilon)
			}
		}
		if g, ok := c.epsilon(t, bound.event, delta); ok && g.Epsilon.Upper < bound.epsilon*(1-1e-9) {
			t.Errorf("ε(%v) <= %.12g, and a mechanism within it has %.12g", bound.event, g.Epsilon.Upper, bound.epsilon)
		}
		c.checkMore(t, accounting.SelfComposed{Event: bound.event, Count: 2}, bound.event)
	}
}

func (c contract) knows(t *testing.T, event accounting.Event) bool {
	t.Helper()
	_, known := c.epsilon(t, event, delta)
	return known
}

func (c contract) checkSame(t *testing.T, a, b accounting.Event) {
	t.Helper()
	deltas := []float64{1e-9, delta}
	if testing.Short() {
		deltas = deltas[1:]
	}
	for _, d := range deltas {
		left, leftOK := c.epsilon(t, a, d)
		right, rightOK := c.epsilon(t, b, d)
		if leftOK && rightOK && !same(left.Epsilon, right.Epsilon) {
			t.Errorf("δ=%g: ε(%v) = %.12g and ε(%v) = %.12g, want them equal", d, a, left.Epsilon.Upper, b, right.Epsilon.Upper)
		}
	}
}

// checkMore checks that more costs more than less.
func (c contract) checkMore(t *testing.T, more, less accounting.Event) {
	t.Helper()
	m, moreOK := c.epsilon(t, more, delta)
	l, lessOK := c.epsilon(t, less, delta)
	if moreOK && lessOK && !(m.Epsilon.Upper > l.Epsilon.Upper) {
		t.Errorf("ε(%v) = %g, want more than the %g of %v", more, m.Epsilon.Upper, l.Epsilon.Upper, less)
	}
}

// roundTrip checks that δ at the ε reported for a δ is at most that δ.
func (c contract) roundTrip(t *testing.T) {
	for i, event := range []accounting.Event{gaussian(1), gaussian(30), sgd(0.01, 2, 5000), sgd(0.25, 0.5, 300), sgd(0.002, 3.3, 900)} {
		for j, d := range []float64{1e-12, delta, 0.01} {
			if testing.Short() && j != i%3 {
				continue
			}
			g, ok := c.epsilon(t, event, d)
			if !ok {
				continue
			}
			back, err := c.accountant.DeltaAt(event, g.Epsilon.Upper)
			if err != nil {
				t.Errorf("DeltaAt(%v, %g): %v", event, g.Epsilon.Upper, err)
				continue
			}
			checkInterval(t, event, fmt.Sprintf("δ at ε %g", g.Epsilon.Upper), back)
			if allowed := d * (1 + slack); back.Upper > allowed && (!back.HasLower || back.Lower > allowed) {
				t.Errorf("%v: ε is %.12g at δ %g, but δ is %.12g there", event, g.Epsilon.Upper, d, back.Upper)
			}
		}
	}
}
