package rdp

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
)

// FromEvent returns the curve of event under AddOrRemoveOne. For another relation use
// [Accountant.CurveOf].
//
// It supports Gaussian, ClippedSum, Laplace, RandomizedResponse, PureDP, ZCDP, RenyiBound,
// ExponentialMechanism, PermuteAndFlip, PoissonSampled (around all of these), SelfComposed,
// Composed, Parallel, WorstCase, Shuffled and NonPrivate. Any other event is an error that wraps
// accounting.ErrUnsupportedEvent, and so is ApproxDP, which has no finite curve: see Accountant. An
// invalid event is an error.
//
// The cost of the curve grows with the number of distinct steps in a composition, not with their
// repetitions.
func FromEvent(event accounting.Event) (Curve, error) {
	return Accountant{}.CurveOf(event)
}

// CurveOf is FromEvent for the accountant's relation.
func (a Accountant) CurveOf(event accounting.Event) (Curve, error) {
	q, err := ask.Asked(a, event)
	if err != nil {
		return nil, err
	}
	return CurveTo(q)
}

// CurveTo is FromEvent for a question.
func CurveTo(q ask.Question) (Curve, error) {
	curve, logKeep, err := approximate(q)
	if err == nil && logKeep < 0 {
		return nil, fmt.Errorf("rdp: %v: ApproxDP has no finite curve: %w", q.Event(), accounting.ErrUnsupportedEvent)
	}
	return curve, err
}

// approximate returns the curve of the part of an event that has chance e^logKeep, whatever the
// data. With the remaining chance the event shows the data: see left.
func approximate(q ask.Question) (curve Curve, logKeep float64, err error) {
	steps := newSteps(q)
	if err := steps.add(q.Node()); err != nil {
		return nil, 0, err
	}
	return steps.curve(), steps.logKeep, nil
}

// step is one Poisson-sampled Gaussian. At rate 1 it is a plain one. replaced selects a sampled
// ClippedSum under replace-one.
type step struct {
	rate, noiseMultiplier float64
	replaced              bool
}

// steps is a composition with its equal steps counted together.
type steps struct {
	asked    ask.Question
	relation accounting.Neighboring
	order    []step // in order of appearance, so sums do not depend on the map
	count    map[step]float64
	others   []Curve
	logKeep  float64 // log of the chance that nothing is shown (see left)
}

func newSteps(q ask.Question) *steps {
	return &steps{asked: q, relation: q.Relation(), count: make(map[step]float64)}
}

// add adds an event to the composition, in the order of its runs.
func (s *steps) add(event accounting.Node) error {
	for run, times := range event.Runs() {
		if err := s.addRuns(run, times); err != nil {
			return err
		}
	}
	return nil
}

// addRuns adds an event that is not a composition, times runs of it.
func (s *steps) addRuns(run accounting.Node, times float64) error {
	switch run.Shape {
	case accounting.PoissonSample:
		return s.addSampled(run, times)
	case accounting.FixedSizeSample:
		return s.addFixedSize(run, times)
	case accounting.Either:
		return s.addWorst(run.Children, times)
	}
	switch e := run.Event.(type) {
	case accounting.Gaussian:
		s.addStep(step{rate: 1, noiseMultiplier: e.NoiseMultiplier}, times)
	case accounting.NonPrivate:
		s.others = append(s.others, func(float64) float64 { return math.Inf(1) })
	case accounting.Laplace:
		s.addCurve(Laplace(e.NoiseMultiplier), times)
	case accounting.RandomizedResponse:
		s.addCurve(PureDP(e.Epsilon()*(1+8*0x1p-53)), times)
	case accounting.PureDP:
		s.addCurve(PureDP(e.Epsilon), times)
	case accounting.ExponentialMechanism:
		s.addCurve(BoundedRange(e.Epsilon), times)
	case accounting.PermuteAndFlip:
		s.addCurve(PureDP(e.Epsilon), times)
	case accounting.ApproxDP:
		s.logKeep += times * math.Log1p(-e.Delta)
		s.addCurve(PureDP(e.Epsilon), times)
	case accounting.ZCDP:
		s.addCurve(ZCDP(e.Rho), times)
	case accounting.RenyiBound:
		s.addCurve(e.DivergenceAt, times)
	default:
		return unsupported(e)
	}
	return nil
}

func unsupported(event accounting.Event) error {
	return fmt.Errorf("rdp: event %T: %w", event, accounting.ErrUnsupportedEvent)
}

func (s *steps) addWorst(events []accounting.Node, times float64) error {
	curves, logKeep := make([]Curve, len(events)), 0.0
	for i, inner := range events {
		curve, keep, err := approximate(s.asked.Part(inner))
		if err != nil {
			return err
		}
		curves[i], logKeep = curve, math.Min(logKeep, keep)
	}
	s.logKeep += times * logKeep
	s.addCurve(Max(curves...), times)
	return nil
}

func (s *steps) addCurve(curve Curve, times float64) {
	s.others = append(s.others, scale(curve, times))
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
		one := SampledGaussian
		if key.replaced {
			one = replacedSum
		}
		curves = append(curves, scale(one(key.rate, key.noiseMultiplier), s.count[key]))
	}
	if len(curves) == 1 {
		return curves[0]
	}
	return Sum(curves...)
}
