package baserun

import (
	"math"
	"sync"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/rdp"
)

// wayToKnow computes the profile of a run by one method.
type wayToKnow interface {
	Name() string
	// profile returns the profile of a run of event. more is false if known has it already.
	profile(event accounting.Event, known Run) (p Profile, more bool, err error)
}

// waysToKnow returns the exact profile of Gaussian runs, and the profiles of each accountant.
func waysToKnow(accountants []accounting.Accountant) []wayToKnow {
	ways := []wayToKnow{exactGaussian{gdp.NewAccountant()}}
	for _, a := range accountants {
		switch a := accounting.Unchecked(a).(type) { // a run is asked many times
		case rdp.Accountant:
			ways = append(ways, renyi{a})
		case intersected.Accountant:
			ways = append(ways, certifiedRun{a})
		default:
			ways = append(ways, answers{a})
		}
	}
	return ways
}

// certifies reports whether an accountant may know more than the Rényi curve. Callers who pass only
// rdp's accountant want only its bounds.
func certifies(a accounting.Accountant) bool {
	_, curves := a.(rdp.Accountant)
	return !curves
}

type exactGaussian struct{ gdp.Accountant }

func (exactGaussian) profile(event accounting.Event, _ Run) (Profile, bool, error) {
	mu, err := gdp.Mu(event)
	if err != nil {
		return Profile{}, false, nil
	}
	return gaussianProfile(mu), true, nil
}

type renyi struct{ rdp.Accountant }

func (w renyi) profile(event accounting.Event, known Run) (Profile, bool, error) {
	if known.Curve != nil {
		return Profile{}, false, nil // it is in the curve
	}
	p, err := profileOf(w.Accountant, event)
	return p, err == nil, err
}

type certifiedRun struct{ intersected.Accountant }

func (w certifiedRun) profile(event accounting.Event, known Run) (Profile, bool, error) {
	if known.mu > 0 {
		return Profile{}, false, nil // the exact profile is there
	}
	p, certain, err := certifiedProfile(w.Accountant, event)
	return p, err == nil && (certain || known.Curve == nil), err
}

type answers struct{ accounting.Accountant }

func (w answers) profile(event accounting.Event, _ Run) (Profile, bool, error) {
	p, err := profileOf(w.Accountant, event)
	return p, err == nil, err
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
		mu:    mu,
	}
}

// profileOf returns an accountant's profile of an event. If the accountant fails after the first
// call, the profile returns 1 and +Inf, the safe side.
func profileOf(accountant accounting.Accountant, event accounting.Event) (Profile, error) {
	if err := answersFor(accountant, event); err != nil {
		return Profile{}, err
	}
	return Profile{
		Name:     accountant.Name(),
		deltasAt: manyDeltas(accountant, event),
		DeltaAt: falling(func(epsilon float64) float64 {
			delta, err := accountant.DeltaAt(event, epsilon)
			if err != nil || !(delta.Upper <= 1) {
				return 1
			}
			return delta.Upper
		}),
		EpsilonAt: func(delta float64) float64 {
			g, err := accountant.EpsilonAt(event, delta)
			if err != nil || math.IsNaN(g.Epsilon.Upper) {
				return math.Inf(1)
			}
			return g.Epsilon.Upper
		},
	}, nil
}

// answersFor returns the error of an accountant's answers for an event, or nil. It asks for δ at
// ε = 0. Contour is asked for no value.
func answersFor(a accounting.Accountant, event accounting.Event) error {
	if _, lines := a.(contour.Accountant); lines {
		return linesAnswer(a, event)
	}
	_, err := a.DeltaAt(event, 0)
	return err
}

// linesAnswer returns the error of contour's answers for an event, or nil. Its errors do not depend
// on ε, so it is asked for an empty list, which takes no time.
func linesAnswer(a accounting.Accountant, event accounting.Event) error {
	_, err := contour.Accountant{Relation: a.Neighboring()}.DeltasAt(event, nil)
	return err
}

// manyDeltas returns the deltasAt of an accountant's profile of an event. It is nil if the
// accountant does not answer many questions at once.
func manyDeltas(a accounting.Accountant, event accounting.Event) func(epsilons []float64) []float64 {
	many, ok := a.(interface {
		DeltasAt(event accounting.Event, epsilons []float64) ([]accounting.Interval, error)
	})
	if !ok {
		return nil
	}
	first := []float64{0}
	switch a.(type) {
	case contour.Accountant, intersected.Accountant: // the second asks contour
		if linesAnswer(a, event) == nil {
			first = nil
		}
	}
	if _, err := many.DeltasAt(event, first); err != nil {
		return nil
	}
	return func(epsilons []float64) []float64 {
		deltas, least := make([]float64, len(epsilons)), 1.0
		known, err := many.DeltasAt(event, epsilons)
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
