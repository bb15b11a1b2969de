package baserun

import (
	"math"
	"sync"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/rdp"
)

// profileBy returns an accountant's profile of a run of event. more is false if b has it already.
func (b Run) profileBy(a ask.Answerer, q ask.Question) (p Profile, more bool, err error) {
	switch a := a.(type) {
	case rdp.Accountant:
		if b.Curve != nil {
			return Profile{}, false, nil // it is in the curve
		}
	case intersected.Accountant:
		if b.mu > 0 {
			return Profile{}, false, nil // the exact profile is there
		}
		p, certain, err := certifiedProfile(a, q)
		return p, err == nil && (certain || b.Curve == nil), err
	}
	p, err = profileOf(a, q)
	return p, err == nil, err
}

// certifies reports whether an accountant may know more than the Rényi curve. Callers who pass only
// rdp's accountant want only its bounds.
func certifies(a accounting.Accountant) bool {
	_, curves := a.(rdp.Accountant)
	return !curves
}

// gaussianProfile returns the exact profile of the Gaussian mechanism of parameter µ,
// rounded up.
func gaussianProfile(mu float64) Profile {
	return Profile{
		Name: "exact Gaussian",
		DeltaAt: func(epsilon float64) float64 {
			delta, err := gdp.DeltaAt(mu, epsilon)
			if err != nil {
				return 1
			}
			return math.Min(delta.Upper, 1)
		},
		EpsilonAt: func(delta float64) float64 {
			epsilon, err := gdp.EpsilonAt(mu, delta)
			if err != nil {
				return math.Inf(1)
			}
			return epsilon.Upper
		},
		quick: true,
	}
}

// profileOf returns an accountant's profile of an event.
func profileOf(accountant ask.Answerer, q ask.Question) (Profile, error) {
	if err := answersFor(accountant, q); err != nil {
		return Profile{}, err
	}
	return answered(accountant, q, accountant.Name(), &wideAnswers{patient: true}), nil
}

// answersFor returns the error of an accountant's answers for an event, or nil. It asks for δ at
// ε = 0. Contour is asked for no value.
func answersFor(a ask.Answerer, q ask.Question) error {
	if _, lines := a.(contour.Accountant); lines {
		return linesAnswer(q)
	}
	_, err := a.DeltaTo(q, 0)
	return err
}

// linesAnswer returns the error of contour's answers for an event, or nil. Its errors do not depend
// on ε, so it is asked for an empty list, which takes no time.
func linesAnswer(q ask.Question) error {
	_, err := contour.NewAccountant().DeltasTo(q, nil)
	return err
}

// manyDeltas returns the deltasAt of an accountant's profile of an event. It is nil if the
// accountant does not answer many questions at once.
func manyDeltas(a ask.Answerer, q ask.Question) func(epsilons []float64) []float64 {
	many, ok := a.(ask.Profiler)
	if !ok {
		return nil
	}
	first := []float64{0}
	switch a.(type) {
	case contour.Accountant, intersected.Accountant: // the second asks contour
		if linesAnswer(q) == nil {
			first = nil
		}
	}
	if _, err := many.DeltasTo(q, first); err != nil {
		return nil
	}
	return func(epsilons []float64) []float64 {
		deltas, least := make([]float64, len(epsilons)), 1.0
		known, err := many.DeltasTo(q, epsilons)
		for i := range deltas {
			if err == nil && known[i].Upper < least {
				least = math.Max(0, known[i].Upper)
			}
			deltas[i] = least
		}
		return deltas
	}
}

// falling returns delta with a cache, made non-increasing in ε. A δ found at a smaller ε bounds δ
// too, and each ε is asked once. An accountant's bounds may rise by rounding, or where it falls
// back to a looser bound.
func falling(delta func(epsilon float64) float64) func(epsilon float64) float64 {
	var lock sync.Mutex
	known := map[float64]float64{}
	return func(epsilon float64) float64 {
		lock.Lock()
		defer lock.Unlock()
		if value, ok := known[epsilon]; ok {
			return value
		}
		least := delta(epsilon)
		for e, value := range known {
			if e <= epsilon {
				least = math.Min(least, value)
			}
		}
		known[epsilon] = least
		return least
	}
}
