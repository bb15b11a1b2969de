package intersected

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/numeric"
)

// The sampling lemma prices a mechanism on a sample. It needs only the mechanism's privacy profile.
//
// A record is in the sample with chance q. Let H(x) be the largest ∫ (P - x P')₊ of the mechanism's
// laws on neighboring data at x = e^ε >= 1: its profile δ(ε). Then the sampled mechanism has, at x'
// = 1 + q (x-1) = e^ε', at most
//
//	δ'(ε') = q δ(ε).
//
// So ε' at δ' is ln(1 + q (e^ε - 1)), with ε that of the mechanism at δ'/q. For δ' >= q, ε' is 0:
// without the record in the sample both data sets have one law, so two sampled laws are at most q
// apart.
//
// Proof. The other records in the sample are the same for both data sets. Fix them: joint convexity
// covers the mixture over them.
//
// Added or removed records, Poisson samples. Let P be the law with the record and Q without it. The
// sampled laws are S = (1-q) Q + q P and Q. For the removed record S - x' Q = q (P - x Q). So ∫ (S
// - x'Q)₊ = q H_PQ(x): the bound is attained wherever that of the mechanism is attained in this
// direction. For the added one, Q - x' S = (1 - x'(1-q)) Q - x'q P. If the factor of Q is not
// positive, the integral is 0. Else it is (x'q/y) H_QP(y) at y = x'q / (1 - x'(1-q)). With t =
// (x'-1)/q = x-1, 1/y = 1 - t/x', and
//
//	x/y = (1+t) (1 - t/x') = 1 - (1-q) t²/x' <= 1,
//
// so y >= x >= x', and the integral is at most q H_QP(x). So the added record never costs more than
// a profile of both directions. ∎
//
// Replaced records, samples of fixed size. Let P and P' be the laws with the one and the other
// record in the sample. Let R be the law with neither, where another record takes the place. Then S
// - x'S' = q (P - x'P' - (1-q)(x-1) R), and x' + (1-q)(x-1) = x. By convexity the integral is at
// most q times a mean of ∫ (P - xP')₊ and ∫ (P - xR)₊. Both are of neighbors that differ in one
// record. ∎
//
// Replaced records, Poisson samples. An event does not describe runs without the record. With
// chance 1-q both data sets give the same run, and the outputs may reveal it. Then δ'(ε) = q δ(ε)
// at the same ε, which is attained. A ClippedSum does describe such runs, so for it this is only an
// upper bound.
//
// Reference: Balle, Barthe and Gaboardi (2018), arXiv:1807.01647v2, Theorem 8 for Poisson samples,
// with add and remove as one relation.
type sampleLemma struct {
	rate   float64 // q, rounded up
	inner  ask.Question
	hidden bool // ε is mapped
	// attained describes when the bound is attained: by all of the inner event (shown), or by its
	// remove direction.
	attained attained
}

type attained int

const (
	unknown attained = iota
	byRemove
	byAll
)

// lemmaOf returns the lemma's quantities, if the event is a sample.
func lemmaOf(q ask.Question) (sampleLemma, bool) {
	event, relation := q.Node(), q.Relation()
	switch event.Shape {
	case accounting.PoissonSample:
		if relation == accounting.ReplaceOne {
			inner, of := event.Children[0], byAll
			if inner.Contains(accounting.IsClippedSum) { // its outputs hide more
				inner, of = inner.Lowered(relation), unknown
			}
			return sampleLemma{event.Rate, q.Part(inner), false, of}, true
		}
		return sampleLemma{event.Rate, q.Part(event.Children[0]), true, byRemove}, true
	case accounting.FixedSizeSample:
		// A sample of fixed size that was not joined with the inner one has another population.
		if relation == accounting.ReplaceOne && event.Children[0].Shape != accounting.FixedSizeSample {
			return sampleLemma{math.Min(1, math.Nextafter(event.Rate, 2)), q.Part(event.Children[0].Lowered(relation)), true, unknown}, true
		}
	}
	return sampleLemma{}, false
}

const unit = 0x1p-53

// sampled returns ε' of an ε. side, +1 or -1, is the direction of rounding.
func (l sampleLemma) sampled(epsilon, side float64) float64 {
	if !l.hidden {
		return epsilon
	}
	x := l.rate * math.Expm1(epsilon)
	if epsilon > 700 { // e^ε may overflow where q e^ε does not; the 1 is negligible next to it
		x = l.rate * math.Exp(epsilon/2) * math.Exp(epsilon/2)
	}
	if x < huge {
		return math.Log1p(x) * (1 + side*mapped)
	}
	return (epsilon + numeric.Log(l.rate)) * (1 + side*mapped) // above 690: no digits cancel
}

// unsampled is the inverse of sampled.
func (l sampleLemma) unsampled(epsilon, side float64) float64 {
	if !l.hidden {
		return epsilon
	}
	if x := math.Expm1(epsilon) / l.rate; x < huge {
		return math.Log1p(x) * (1 + side*mapped)
	}
	return (numeric.LogExpm1(epsilon) - numeric.Log(l.rate)) * (1 + side*mapped)
}

const (
	huge   = 1e300    // 1 is negligible next to it
	mapped = 8 * unit // relative error of both maps
)

// innerDelta returns δ/q, rounded by a unit towards side, and below 1.
func (l sampleLemma) innerDelta(delta, side float64) float64 {
	return math.Min(math.Nextafter(1, 0), math.Max(math.SmallestNonzeroFloat64, delta/l.rate*(1+2*unit*side)))
}

// byLemma prices a sample.
type byLemma struct {
	Accountant
	lemma sampleLemma
}

// SamplingLemma and SamplingTheorem name the bound and its source.
const (
	SamplingLemma   = "sampling lemma"
	SamplingTheorem = "Balle, Barthe and Gaboardi (2018), Theorem 8"
)

func (byLemma) Name() string { return SamplingLemma }

func (a byLemma) EpsilonTo(_ ask.Question, delta float64) (accounting.Guarantee, error) {
	l, standIn := a.lemma, false // what only bounds the event has no lower end
	g, err := l.epsilonAt(delta, func(inner ask.Question, delta float64) (accounting.Guarantee, error) {
		g, err := a.Accountant.EpsilonTo(inner, delta)
		standIn = !g.Epsilon.HasLower
		return g, err
	})
	if err == nil && !standIn && l.attained == byRemove && delta < l.rate && a.Grid.Knows(l.inner) == nil {
		if lower, err := a.Grid.RemoveEpsilonTo(l.inner, l.innerDelta(delta, +1)); err == nil && !math.IsNaN(lower) {
			g.Epsilon = below(l.sampled(lower, -1), g.Epsilon.Upper)
		}
	}
	g.Neighboring = a.Neighboring()
	return g, err
}

// epsilonAt returns ε at delta, from the price of the inner event.
func (l sampleLemma) epsilonAt(delta float64, inner func(ask.Question, float64) (accounting.Guarantee, error)) (accounting.Guarantee, error) {
	if delta >= l.rate {
		return accounting.Guarantee{Epsilon: accounting.Exact(0), Delta: delta, Method: fmt.Sprintf("sampling lemma, δ is at least the sampling rate %.6g", l.rate)}, nil
	}
	g, err := inner(l.inner, l.innerDelta(delta, -1))
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	sampled := attach.Sampled(g.Certificate, l.rate, l.hidden)
	if g.Certificate = nil; l.attained != byAll {
		g.Epsilon = accounting.UpperBound(l.sampled(g.Epsilon.Upper, +1))
	}
	g.Delta = delta
	g = attach.Of(g, sampled)
	g.Method = fmt.Sprintf("sampling lemma at rate %.6g, from ε of the sampled event at δ = %.6g: %s", l.rate, delta/l.rate, g.Method)
	return g, nil
}

// SampledEpsilonTo returns the sampling lemma's ε at delta of a Poisson sample. inner prices the
// sampled event.
func SampledEpsilonTo(q ask.Question, delta float64, inner func(q ask.Question, delta float64) (accounting.Guarantee, error)) (accounting.Guarantee, error) {
	lemma, _ := lemmaOf(q)
	g, err := lemma.epsilonAt(delta, inner)
	g.Neighboring = q.Relation()
	return g, err
}

func (a byLemma) DeltaTo(_ ask.Question, epsilon float64) (accounting.Interval, error) {
	l := a.lemma
	inner, err := a.Accountant.DeltaTo(l.inner, l.unsampled(epsilon, -1))
	if err != nil {
		return accounting.NoDelta(), err
	}
	upper := l.deltaUp(inner.Upper)
	switch {
	case l.attained == byAll && inner.HasLower:
		return below(l.rate*inner.Lower*(1-2*unit), upper), nil
	case l.attained == byRemove && inner.HasLower && a.Grid.Knows(l.inner) == nil:
		if lower, err := a.Grid.RemoveDeltaTo(l.inner, l.unsampled(epsilon, +1)); err == nil {
			return below(l.rate*lower*(1-2*unit), upper), nil
		}
	}
	return accounting.UpperBound(upper), nil
}

// deltaUp returns q δ, rounded up.
func (l sampleLemma) deltaUp(delta float64) float64 {
	if delta == 0 {
		return 0
	}
	return math.Min(1, math.Max(math.SmallestNonzeroFloat64, l.rate*delta*(1+2*unit)))
}

// DeltasTo returns upper bounds on δ at each of epsilons.
func (a byLemma) DeltasTo(_ ask.Question, epsilons []float64) ([]accounting.Interval, error) {
	inner := make([]float64, len(epsilons))
	for i, e := range epsilons {
		inner[i] = a.lemma.unsampled(e, -1)
	}
	deltas, err := a.profile(a.lemma.inner, inner)
	for i, d := range deltas {
		deltas[i] = accounting.UpperBound(a.lemma.deltaUp(d.Upper))
	}
	return deltas, err
}

// below returns the interval from lower to upper. Ends that cross by rounding are exchanged.
func below(lower, upper float64) accounting.Interval {
	lower, upper = math.Min(lower, upper), math.Max(lower, upper)
	return accounting.Certified(lower, upper, upper)
}
