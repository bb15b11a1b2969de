package verify

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/batchpairs"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/gridlaw"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
	"github.com/dplab/dplab/accounting/interval"
)

// mechanism is so many runs of one mechanism, as package gridlaw takes it.
type mechanism struct {
	gridlaw.Mechanism
	count float64
	event accounting.Node // of batches and of allocations
}

// mechanisms sorts the runs of an event. Equal ones are joined. All plain Gaussians are one, the
// last.
type mechanisms struct {
	relation accounting.Neighboring
	all      []mechanism
	squares  interval.Sum // of µ of plain Gaussians
	gaussian bool
}

// onGrid returns an event as a grid takes it, in one direction.
func onGrid(event accounting.Node, relation accounting.Neighboring) ([]mechanism, error) {
	m := mechanisms{relation: relation}
	for run, count := range event.Runs() {
		if err := m.add(run, count); err != nil {
			return nil, err
		}
	}
	for _, one := range m.all {
		if !(one.count < mostRuns) {
			return nil, fmt.Errorf("%g runs of one mechanism: must be below 2^53", one.count)
		}
	}
	if m.gaussian {
		sigma := noise(m.squares.I().Sqrt())
		m.all = append(m.all, mechanism{Mechanism: gridlaw.Mechanism{Kind: gridlaw.Gaussian, A: sigma, Rate: 1}, count: 1})
	}
	return m.all, nil
}

func (m *mechanisms) add(run accounting.Node, count float64) error {
	on, inner := gridlaw.Mechanism{Rate: 1}, run
	switch {
	case batchpairs.Knows(run.Event):
		step, err := batchpairs.Of(run.Event, m.relation)
		if err != nil {
			return err
		}
		on.Kind, on.Profile, on.Given = gridlaw.Batches, &step.Profile, gridlaw.GivenPair
		m.put(mechanism{on, count, run})
		return nil
	case run.Shape == accounting.PoissonSample && m.relation == accounting.ReplaceOne:
		inner = run.Children[0]
		if sum, ok := inner.Event.(accounting.ClippedSum); ok {
			on.Kind, on.Profile, on.Given = gridlaw.Batches, batchpairs.Replaced(sum.NoiseMultiplier, run.Rate), gridlaw.GivenPair
			m.put(mechanism{on, count, run})
			return nil
		}
		if inner.Contains(accounting.IsClippedSum) {
			inner = inner.Lowered(m.relation)
		}
		on.Shown = run.Rate
	case run.Shape == accounting.PoissonSample:
		on.Rate, inner = run.Rate, run.Children[0]
	case run.Shape == accounting.FixedSizeSample && m.relation == accounting.ReplaceOne:
		if inner = run.Children[0]; inner.Contains(accounting.IsClippedSum) || inner.Shape == accounting.FixedSizeSample {
			return fmt.Errorf("%v: has no law on a grid", run.Event)
		}
		on.Rate, on.FixedSize = min(1, interval.Up(run.Rate)), true
	}
	if mu, ok := certificate.Mu(inner); ok {
		if on.Rate == 1 && on.Shown == 0 && !on.FixedSize {
			m.gaussian = true
			m.squares.Add(mu.Mul(mu).Mul(interval.Of(count)))
			return nil
		}
		on.Kind, on.A = gridlaw.Gaussian, noise(mu)
		m.put(mechanism{on, count, inner})
		return nil
	}
	switch e := inner.Event.(type) {
	case *profiled:
		on.Kind, on.Known = gridlaw.Values, e.run.Delta
	case accounting.Laplace:
		on.Kind, on.A = gridlaw.Laplace, e.NoiseMultiplier
	case accounting.ExponentialMechanism:
		on.Kind, on.A = gridlaw.Range, e.Epsilon
	case accounting.RandomAllocation:
		if on.FixedSize || on.Shown > 0 || m.relation == accounting.ReplaceOne {
			return fmt.Errorf("%v: has no law on a grid under %v", run.Event, m.relation)
		}
		on.Kind = gridlaw.Ratio // its law comes with the grid
	case accounting.MixtureOfGaussians:
		if on.FixedSize || on.Shown > 0 || m.relation == accounting.ReplaceOne {
			return fmt.Errorf("%v: has no law on a grid under %v", run.Event, m.relation)
		}
		on.Given = gridlaw.GivenPair
		on.Kind, on.Profile, on.Rate = gridlaw.Batches, batchpairs.Mixture(batchpairs.Distances(e), e.NoiseMultiplier, on.Rate), 1
	default:
		epsilon, delta, ok := certificate.Private(inner.Event)
		if !ok {
			return fmt.Errorf("%v: has no law on a grid", run.Event)
		}
		on.Kind, on.A, on.B = gridlaw.Approximate, epsilon.Hi, delta
	}
	m.put(mechanism{on, count, inner})
	return nil
}

// put adds a mechanism to an equal one, or to the list.
func (m *mechanisms) put(one mechanism) {
	for i, known := range m.all {
		a, b := known.Mechanism, one.Mechanism
		same := a.Kind == b.Kind && a.Kind != gridlaw.Values && a.A == b.A && a.B == b.B && a.Rate == b.Rate && a.FixedSize == b.FixedSize && a.Shown == b.Shown
		if a.Kind == gridlaw.Batches || a.Kind == gridlaw.Ratio {
			_, mixture := known.event.Event.(accounting.MixtureOfGaussians) // these are kept apart
			same = same && !mixture && reflect.DeepEqual(known.event.Event, one.event.Event)
		}
		if same {
			m.all[i].count += one.count
			return // onGrid refuses sums that are not exact
		}
	}
	m.all = append(m.all, one)
}

// mostGrids bounds the grids of a witness: those of one profile are for up to 8 values of δ, in two
// directions.
const mostGrids = 16

// grids completes the grids of all directions by what the event has. Without that of the add
// direction, the pair of each mechanism must be its own mirror image.
func grids(event accounting.Node, relation accounting.Neighboring, all []gridlaw.Grid) error {
	parts, err := onGrid(event, relation)
	if err != nil {
		return err
	}
	if len(all) > mostGrids {
		return fmt.Errorf("%d grids: must be at most %d", len(all), mostGrids)
	}
	directions := map[bool]bool{}
	for _, g := range all {
		directions[g.Add] = true
		if len(g.Laws) != len(parts) {
			return fmt.Errorf("a grid of %d laws: must have %d", len(g.Laws), len(parts))
		}
		for i, part := range parts {
			if err := part.complete(&g.Laws[i], g.Add); err != nil {
				return err
			}
		}
	}
	if !directions[false] || !directions[true] && slices.ContainsFunc(parts, func(m mechanism) bool { return !m.mirrored() }) {
		return errors.New("a direction has no grid")
	}
	return nil
}

// profiled is an event that is known by values of its profile.
type profiled struct{ run selected.Run }

// Validate finds no fault.
func (*profiled) Validate() error { return nil }

// String names the event.
func (*profiled) String() string { return "an event with values of its profile" }

// byValues is a rule that takes some events of a composition by values of their profiles. Each of
// them has a step, in the order of the event.
func byValues(r rule) rule {
	return rule{-1, func(c *checker, n node, s accounting.Step, epsilon, delta float64) (float64, error) {
		of := s.Of
		event, err := c.replaced(n, &of, delta)
		if err == nil && len(of) > 0 {
			err = fmt.Errorf("%d steps are about no event", len(of))
		}
		if err != nil {
			return 1, err
		}
		n.source = event
		return r.shows(c, n, s, epsilon, delta)
	}, nil}
}

// valued are the types that no grid has a law of.
var valued = append([]string{"zcdp", "renyi_bound"}, outer...)

func (c *checker) replaced(n node, of *[]accounting.Step, delta float64) (accounting.Event, error) {
	switch {
	case n.is(valued...) && len(*of) == 0:
		return nil, fmt.Errorf("a %s without a step", n.kind)
	case n.is(valued...):
		run, err := c.values(n, (*of)[0], delta)
		*of = (*of)[1:]
		return &profiled{run}, err
	case !n.has(func(inside node) bool { return inside.is(valued...) }):
		return n.source, nil
	}
	var inside []accounting.Event
	for _, child := range n.children {
		event, err := c.replaced(child, of, delta)
		if err != nil {
			return nil, err
		}
		inside = append(inside, event)
	}
	switch n.kind {
	case "composed":
		return accounting.Composed{Events: inside}, nil
	case "self_composed":
		return accounting.SelfComposed{Count: int(n.numbers["count"]), Event: inside[0]}, nil
	case "poisson_sampled":
		return accounting.PoissonSampled{SamplingRate: n.numbers["sampling_rate"], Event: inside[0]}, nil
	}
	return nil, fmt.Errorf("a %s of selections: has no law on a grid", n.kind)
}

// complete sets the runs of a mechanism, in a direction.
func (m mechanism) complete(l *gridlaw.Law, add bool) error {
	l.Mechanism, l.Count, l.Add = m.Mechanism, m.count, add
	switch {
	case m.Kind == gridlaw.Ratio && l.Ratio == nil:
		return errors.New("an allocation without the grid of its law")
	case m.Kind == gridlaw.Ratio:
		event := m.event
		if m.Rate == 1 { // all runs are one
			event = accounting.Node{Shape: accounting.Repetition, Count: int(m.count)}.With(m.event)
			l.Count = 1
		}
		program, err := factors(event, accounting.AddOrRemoveOne)
		if err != nil {
			return err
		}
		curve, err := splitlaw.CurveOf(program, *l.Ratio)
		l.Curve, l.Given = &curve, splitlaw.Given
		return err
	case l.Runs > 1 && l.Runs != m.count:
		return fmt.Errorf("%g runs as one of %g", l.Runs, m.count)
	case l.Runs > 1:
		l.Count = 1
	}
	return nil
}

// mirrored reports whether both directions have the same losses.
func (m mechanism) mirrored() bool {
	switch m.Kind {
	case gridlaw.Batches:
		return m.Profile.Mirrored
	case gridlaw.Ratio:
		return false
	}
	return m.Rate == 1 || m.FixedSize
}
