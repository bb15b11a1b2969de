package rdp

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// FromEvent returns the curve of event. Gaussian, Laplace, RandomizedResponse, PureDP, ZCDP,
// ExponentialMechanism, PermuteAndFlip, PoissonSampled (around all of these), SelfComposed,
// Composed, Parallel, WorstCase and NonPrivate are known; any other event (ApproxDP, which
// has no finite curve, too: see Accountant) is an error that wraps accounting.ErrUnsupportedEvent. An
// event that is not valid is an error.
//
// The cost of the curve grows with the number of distinct steps in a composition, not
// with how often they are repeated. Neighbors are those of accounting.AddOrRemoveOne; [Accountant] has a Relation.
func FromEvent(event accounting.Event) (Curve, error) {
	curve, logKeep, err := approximate(accounting.AddOrRemoveOne, event)
	if err == nil && logKeep < 0 {
		return nil, fmt.Errorf("rdp: %v has no finite curve, as ApproxDP has none: %w", event, accounting.ErrUnsupportedEvent)
	}
	return curve, err
}

// approximate returns the curve of what an event is with chance e^logKeep, whatever the data; with the
// rest it shows all. See approximate.go.
func approximate(relation accounting.Neighboring, event accounting.Event) (curve Curve, logKeep float64, err error) {
	if err := relation.Validate(); err != nil {
		return nil, 0, fmt.Errorf("rdp: %w", err)
	}
	if err := check.Given(event != nil, "rdp: event", "must be an event"); err != nil {
		return nil, 0, err
	}
	if err := event.Validate(); err != nil {
		return nil, 0, fmt.Errorf("rdp: %w", err)
	}
	if err := accounting.CheckRelation("rdp", event, relation); err != nil {
		return nil, 0, err
	}
	return fromEvent(event, relation)
}

func fromEvent(event accounting.Event, relation accounting.Neighboring) (curve Curve, logKeep float64, err error) {
	steps := newSteps(relation)
	if err := steps.add(event, 1); err != nil {
		return nil, 0, err
	}
	return steps.curve(), steps.logKeep, nil
}

// step is one Poisson-sampled Gaussian; rate 1 is a plain one.
type step struct{ rate, noiseMultiplier float64 }

// steps is a composition with its equal steps counted together.
type steps struct {
	relation accounting.Neighboring
	order    []step // as first met, so that sums do not depend on the map
	count    map[step]float64
	others   []Curve
	logKeep  float64 // log of the chance that nothing is shown (approximate.go)
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
	case accounting.ExponentialMechanism:
		return s.addCurve(BoundedRange(e.Epsilon), times)
	case accounting.PermuteAndFlip:
		return s.addCurve(PureDP(e.Epsilon), times)
	case accounting.ApproxDP:
		s.logKeep += times * math.Log1p(-e.Delta)
		return s.addCurve(PureDP(e.Epsilon), times)
	case accounting.ZCDP:
		return s.addCurve(ZCDP(e.Rho), times)
	case accounting.PoissonSampled:
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
	return unsupported(event)
}

func unsupported(event accounting.Event) error {
	return fmt.Errorf("rdp: event %T: %w", event, accounting.ErrUnsupportedEvent)
}

func (s *steps) addWorst(events []accounting.Event, times float64) error {
	curves, logKeep := make([]Curve, len(events)), 0.0
	for i, inner := range events {
		curve, keep, err := fromEvent(inner, s.relation)
		if err != nil {
			return err
		}
		curves[i], logKeep = curve, math.Min(logKeep, keep)
	}
	s.logKeep += times * logKeep
	return s.addCurve(Max(curves...), times)
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
