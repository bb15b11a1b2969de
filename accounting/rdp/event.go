package rdp

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
)

// FromEvent returns the curve of event. Gaussian, PoissonSampled (around a Gaussian, or
// around what gdp.Mu knows), Laplace, RandomizedResponse, PureDP, ZCDP, SelfComposed,
// Composed, Parallel, WorstCase and NonPrivate are known; any other event (ApproxDP, which
// has no finite curve, too) is an error that wraps accounting.ErrUnsupportedEvent. An
// event that is not valid is an error.
//
// The cost of the curve grows with the number of distinct steps in a composition, not
// with how often they are repeated.
func FromEvent(event accounting.Event) (Curve, error) {
	return FromEventUnder(accounting.AddOrRemoveOne, event)
}

// FromEventUnder is FromEvent for a relation, AddOrRemoveOne or ReplaceOne. Under ReplaceOne it
// knows SampledWithoutReplacement and does not know PoissonSampled with a rate below 1; all
// noise multipliers are relative to that relation's sensitivity.
func FromEventUnder(relation accounting.Neighboring, event accounting.Event) (Curve, error) {
	if err := validateRelation(relation); err != nil {
		return nil, err
	}
	if event == nil {
		return nil, fmt.Errorf("rdp: event is nil: must be an event")
	}
	if err := event.Validate(); err != nil {
		return nil, fmt.Errorf("rdp: %w", err)
	}
	return fromEvent(event, relation)
}

func validateRelation(relation accounting.Neighboring) error {
	if relation != accounting.AddOrRemoveOne && relation != accounting.ReplaceOne {
		return fmt.Errorf("rdp: relation %v: must be AddOrRemoveOne or ReplaceOne", relation)
	}
	return nil
}

func fromEvent(event accounting.Event, relation accounting.Neighboring) (Curve, error) {
	steps := newSteps(relation)
	if err := steps.add(event, 1); err != nil {
		return nil, err
	}
	return steps.curve(), nil
}

// step is one Poisson-sampled Gaussian; rate 1 is a plain one.
type step struct{ rate, noiseMultiplier float64 }

// steps is a composition with its equal steps counted together.
type steps struct {
	relation accounting.Neighboring
	order    []step // as first met, so that sums do not depend on the map
	count    map[step]float64
	others   []Curve
}

func newSteps(relation accounting.Neighboring) *steps {
	return &steps{relation: relation, count: make(map[step]float64)}
}

// add adds event, run times over, to the composition.
func (s *steps) add(event accounting.Event, times float64) error {
	switch e := event.(type) {
	case accounting.Gaussian:
		s.addStep(step{1, e.NoiseMultiplier}, times)
		return nil
	case accounting.NonPrivate:
		s.others = append(s.others, func(float64) float64 { return math.Inf(1) })
		return nil
	case accounting.Laplace:
		return s.addCurve(Laplace(e.NoiseMultiplier), times)
	case accounting.RandomizedResponse:
		return s.addCurve(PureDP(e.Epsilon()*(1+8*0x1p-53)), times)
	case accounting.PureDP:
		return s.addCurve(PureDP(e.Epsilon), times)
	case accounting.ZCDP:
		return s.addCurve(ZCDP(e.Rho), times)
	case accounting.PoissonSampled:
		if s.relation != accounting.AddOrRemoveOne && e.SamplingRate < 1 {
			return accounting.RelationError("rdp", e, s.relation, accounting.AddOrRemoveOne)
		}
		return s.addSampled(e, times)
	case accounting.SampledWithoutReplacement:
		return s.addFixedSize(e, times)
	case accounting.SelfComposed:
		return s.add(e.Event, times*float64(e.Count))
	case accounting.Composed:
		for _, inner := range e.Events {
			if err := s.add(inner, times); err != nil {
				return err
			}
		}
		return nil
	case accounting.Parallel:
		return s.addWorst(e.Events, times)
	case accounting.WorstCase:
		return s.addWorst(e.Events, times)
	}
	return fmt.Errorf("rdp: event %T: %w", event, accounting.ErrUnsupportedEvent)
}

// addSampled adds a mechanism on a Poisson sample. If the mechanism is µ-GDP, its outputs
// on two neighbors are one randomized function of a draw from N(0, 1) or from N(µ, 1)
// (Blackwell's theorem; Dong, Roth, Su 2019, arXiv:1905.02383v3, Section 2), and so are
// their mixtures: the curve is that of a sampled Gaussian with σ = 1/µ. A sample of a
// sample is a sample with the product of the rates.
func (s *steps) addSampled(e accounting.PoissonSampled, times float64) error {
	switch inner := e.Event.(type) {
	case accounting.Gaussian:
		s.addStep(step{e.SamplingRate, inner.NoiseMultiplier}, times)
		return nil
	case accounting.PoissonSampled:
		rate := positive(e.SamplingRate*inner.SamplingRate, true)
		return s.addSampled(accounting.PoissonSampled{SamplingRate: rate, Event: inner.Event}, times)
	}
	if e.SamplingRate == 1 {
		return s.add(e.Event, times)
	}
	mu, err := gdp.Mu(e.Event)
	if err != nil {
		return fmt.Errorf("rdp: event PoissonSampled around %T: %w", e.Event, accounting.ErrUnsupportedEvent)
	}
	s.addStep(step{e.SamplingRate, math.Min(1/mu, math.MaxFloat64)}, times)
	return nil
}

func (s *steps) addWorst(events []accounting.Event, times float64) error {
	curve, err := fromEvents(events, Max, s.relation)
	if err != nil {
		return err
	}
	s.others = append(s.others, scale(curve, times))
	return nil
}

func (s *steps) addCurve(curve Curve, times float64) error {
	s.others = append(s.others, scale(curve, times))
	return nil
}

func (s *steps) addStep(key step, times float64) {
	if _, ok := s.count[key]; !ok {
		s.order = append(s.order, key)
	}
	s.count[key] += times
}

func (s *steps) curve() Curve {
	curves := s.others
	for _, key := range s.order {
		curves = append(curves, scale(SampledGaussian(key.rate, key.noiseMultiplier), s.count[key]))
	}
	if len(curves) == 1 {
		return curves[0]
	}
	return Sum(curves...)
}
