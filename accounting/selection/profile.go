package selection

import (
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/certified"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Profile is an upper bound on the privacy profile of one run: at each ε >= 0 a δ such
// that the run is (ε, δ)-differentially private, in both directions of the neighboring
// relation.
type Profile struct {
	Name string // where it comes from
	// DeltaAt does not grow with ε, and is in [0, 1] at every ε >= 0.
	DeltaAt func(epsilon float64) float64
	// EpsilonAt returns an ε >= 0 with DeltaAt(ε) <= delta; +Inf if there is none. A nil
	// EpsilonAt is found from DeltaAt by bisection.
	EpsilonAt func(delta float64) float64

	quick bool // DeltaAt takes microseconds
	// deltasAt is DeltaAt at many ε that do not fall, where that takes little more time than one;
	// nil elsewhere.
	deltasAt func(epsilons []float64) []float64
	// doubt returns why the profile says less than it might; nil, also as a function, if it does
	// not.
	doubt func() error
	// near returns the Crossing of a quick profile of the same run, where there is one.
	near func(odds float64) float64
}

// told is what the laws of K are told of it.
func (p Profile) told() law.Profile {
	return law.Profile{DeltaAt: p.DeltaAt, Quick: p.quick, Near: p.near}
}

// epsilonAt returns an ε at which δ is at most delta, for delta in (0, 1).
func (p Profile) epsilonAt(delta float64) float64 {
	if p.EpsilonAt != nil {
		return p.EpsilonAt(delta)
	}
	return numeric.LeastTrue(1e-13, func(epsilon float64) bool { return p.DeltaAt(epsilon) <= delta })
}

// clamped returns the profile with δ in [0, 1]; NaN becomes 1.
func (p Profile) clamped() Profile {
	inner := p.DeltaAt
	p.DeltaAt = func(epsilon float64) float64 {
		if delta := inner(epsilon); delta <= 1 {
			return math.Max(delta, 0)
		}
		return 1
	}
	return p
}

// profileOf returns the profile that an accountant knows of an event. An accountant's error
// after the first call means "nothing known", the safe side.
func profileOf(accountant accounting.Accountant, event accounting.Event) (Profile, error) {
	if _, err := accountant.DeltaAt(event, 0); err != nil {
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

// manyDeltas returns the deltasAt of what an accountant knows of an event; nil if it does not
// answer many questions at once.
func manyDeltas(a accounting.Accountant, event accounting.Event) func(epsilons []float64) []float64 {
	many, ok := a.(interface {
		DeltasAt(event accounting.Event, epsilons []float64) ([]accounting.Interval, error)
	})
	if !ok {
		return nil
	}
	if _, err := many.DeltasAt(event, []float64{0}); err != nil {
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

// falling returns delta with a memory: what was found at a smaller ε bounds δ too, and an
// ε is asked once. An accountant's bounds may rise by their rounding, or where it falls
// back to a looser one.
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

// patience is how many wide answers about one run are waited for, where contour answers: a wide
// one takes up to a second, as all accountants are asked then, and is hardly better than the
// Rényi curve.
const patience = 2

const (
	wideEpsilon = 0.01 // of the upper end: contour's intervals are mostly narrower than 1e-6
	wideDelta   = 1000 // the factor between the ends of δ
)

var errUncertified = errors.New("selection: the certified interval of one run is too wide to help: Rényi bounds only")

// certifiedProfile returns the profile of an event under the name of the accountant that answers
// for it, and whether it says more than the Rényi curve, if there is one. After some wide answers
// it knows no more, and says so.
func certifiedProfile(a certified.Accountant, event accounting.Event) (p Profile, certain bool, err error) {
	first, name, err := a.DeltaOf(event, 0)
	if err != nil {
		return Profile{}, false, err
	}
	event = a.ForMany(event)
	deltasAt := manyDeltas(a, event)
	wide := &wideAnswers{patient: name != contour.NewAccountant().Name()}
	return Profile{
		Name:     name,
		deltasAt: deltasAt,
		DeltaAt: falling(func(epsilon float64) float64 {
			if wide.tooMany() {
				return 1
			}
			delta, err := a.DeltaAt(event, epsilon)
			if err != nil || !(delta.Upper <= 1) {
				return 1
			}
			wide.count(!(delta.HasLower && delta.Lower*wideDelta >= delta.Upper))
			return delta.Upper
		}),
		EpsilonAt: func(delta float64) float64 {
			if wide.tooMany() {
				return math.Inf(1)
			}
			g, err := a.EpsilonAt(event, delta)
			if err != nil || math.IsNaN(g.Epsilon.Upper) {
				return math.Inf(1)
			}
			chernoff := slices.ContainsFunc(g.Warnings, func(w error) bool { return errors.Is(w, contour.ErrChernoff) })
			wide.count(chernoff || !(g.Epsilon.HasLower && g.Epsilon.Width() <= wideEpsilon*g.Epsilon.Upper))
			return g.Epsilon.Upper
		},
		doubt: func() error {
			if wide.tooMany() {
				return errUncertified
			}
			return nil
		},
	}, first.HasLower || deltasAt != nil, nil
}

// wideAnswers counts answers about one run.
type wideAnswers struct {
	patient bool // any number will do
	lock    sync.Mutex
	seen    int
}

func (w *wideAnswers) count(wide bool) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if wide {
		w.seen++
	}
}

func (w *wideAnswers) tooMany() bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	return !w.patient && w.seen >= patience
}
