package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certified"
)

// Accountant is an accounting.Accountant that knows Event, compositions that contain it,
// and every event that the Rényi accountant or one of Accountants knows. It takes the least
// of all bounds.
//
// An Event inside a composition is priced by its Rényi curve, and as an (ε, δ)-private
// mechanism where one of Accountants composes those.
type Accountant struct {
	// Accountants give tighter profiles of the runs, for the events that they support.
	Accountants []accounting.Accountant
}

var _ accounting.Accountant = Accountant{}

// NewAccountant returns the accountant that asks the given ones about the runs too.
func NewAccountant(accountants ...accounting.Accountant) Accountant {
	return Accountant{Accountants: accountants}
}

// NewBestAccountant returns the accountant that asks accounting/best about the runs:
// certified profiles of all events that it knows (Gaussians, Laplace, randomized response,
// sampled or not, composed, and what is known by ε and δ, ρ or a Rényi curve alone).
func NewBestAccountant() Accountant { return NewAccountant(certified.NewAccountant()) }

// Name returns "selection".
func (Accountant) Name() string { return "selection" }

// Neighboring returns AddOrRemoveOne.
func (Accountant) Neighboring() accounting.Neighboring { return accounting.AddOrRemoveOne }

// EpsilonAt returns an upper bound on ε, in nats, at delta in (0, 1).
func (a Accountant) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	if err := accounting.ValidateDelta(delta); err != nil {
		return accounting.Guarantee{}, fmt.Errorf("selection: %w", err)
	}
	if e, ok := event.(Event); ok {
		price, err := EventAt(e, delta, a.Accountants...)
		return price.Guarantee, err
	}
	split, known := a.split(event, delta)
	base, err := NewBase(event, a.Accountants...)
	if err != nil {
		if known {
			return split, nil
		}
		return accounting.Guarantee{}, err
	}
	if g := base.guarantee(delta); !(known && split.Epsilon.Upper < g.Epsilon.Upper) {
		return g, nil
	}
	return split, nil
}

// DeltaAt returns an upper bound on δ at epsilon >= 0. For an Event it is EpsilonAt solved
// for δ, to 1e-6 relative, at the cost of some 40 prices.
func (a Accountant) DeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	if err := accounting.ValidateEpsilon(epsilon); err != nil {
		return accounting.Interval{}, fmt.Errorf("selection: %w", err)
	}
	e, ok := event.(Event)
	if !ok {
		base, err := NewBase(event, a.Accountants...)
		if err != nil {
			return accounting.Interval{}, err
		}
		return accounting.UpperBound(base.deltaAt(epsilon)), nil
	}
	if err := e.Validate(); err != nil {
		return accounting.Interval{}, err
	}
	base, err := NewBase(e.Base, a.Accountants...)
	if err != nil {
		return accounting.Interval{}, err
	}
	return deltaOf(e.Law, base.prepared(), epsilon)
}

// deltaAt returns the least δ at ε of one run over all that is known of it.
func (b Base) deltaAt(epsilon float64) float64 {
	delta := 1.0
	for _, s := range b.sources() {
		delta = math.Min(delta, s.overProfiles(func(p Profile) float64 { return p.DeltaAt(epsilon) }))
	}
	return delta
}

// deltaOf bisects ln δ between the least float64 and 0 for the price epsilon.
func deltaOf(law Law, base Base, epsilon float64) (accounting.Interval, error) {
	lo, hi := -700.0, 0.0 // price(hi) <= epsilon: at δ = 1 everything is private
	for hi-lo > 1e-6 {
		mid := (lo + hi) / 2
		delta := math.Exp(mid)
		if delta >= 1 {
			break
		}
		price, err := PriceAt(law, base, delta)
		if err != nil {
			return accounting.Interval{}, err
		}
		if price.Guarantee.Epsilon.Upper <= epsilon {
			hi = mid
		} else {
			lo = mid
		}
	}
	return accounting.UpperBound(math.Exp(hi)), nil
}

// CalibrateNoiseMultiplier returns the least noise multiplier with which the whole
// tuning, the best of K runs of event(σ), costs at most epsilon at delta. It is rounded
// towards more noise; see accounting.CalibrateNoiseMultiplier.
func CalibrateNoiseMultiplier(law Law, event func(noiseMultiplier float64) accounting.Event, epsilon, delta float64, accountants ...accounting.Accountant) (float64, error) {
	return accounting.CalibrateNoiseMultiplier(NewAccountant(accountants...), func(sigma float64) accounting.Event {
		return Event{Law: law, Base: event(sigma)}
	}, epsilon, delta)
}
