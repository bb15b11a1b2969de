package baserun

import (
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/intersected"
)

// patience is the number of wide answers about one run after which contour is asked no more. A wide
// answer takes up to a second, as all accountants are then asked, and is hardly better than the
// Rényi curve.
const patience = 2

const (
	wideEpsilon = 0.01 // share of the upper end; contour's intervals are mostly narrower than 1e-6
	wideDelta   = 1000 // the factor between the ends of δ
)

var errUncertified = errors.New("baserun: the certified interval of one run is too wide: only its Rényi bounds are used")

// certifiedProfile returns the profile of an event, under the name of the accountant that answers
// for it. certain reports whether it is tighter than the Rényi curve. After patience wide answers
// the profile returns 1 and +Inf, and a warning.
func certifiedProfile(a intersected.Accountant, q ask.Question) (p Profile, certain bool, err error) {
	first, name, err := a.DeltaBy(q, 0)
	if err != nil {
		return Profile{}, false, err
	}
	p = answered(a, a.ForMany(q), name, &wideAnswers{patient: name != contour.NewAccountant().Name()})
	return p, first.HasLower || p.deltasAt != nil, nil
}

// answered returns the profile of an event from an accountant's answers. If the accountant fails,
// the profile returns 1 and +Inf, the safe side.
func answered(a ask.Answerer, q ask.Question, name string, wide *wideAnswers) Profile {
	return Profile{
		Name:     name,
		deltasAt: manyDeltas(a, q),
		DeltaAt: falling(func(epsilon float64) float64 {
			if wide.tooMany() {
				return 1
			}
			delta, err := a.DeltaTo(q, epsilon)
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
			g, err := a.EpsilonTo(q, delta)
			if err != nil || math.IsNaN(g.Epsilon.Upper) {
				return math.Inf(1)
			}
			chernoff := slices.ContainsFunc(g.Warnings, func(w error) bool { return errors.Is(w, contour.ErrChernoff) })
			wide.count(chernoff || !(g.Epsilon.HasLower && g.Epsilon.Width() <= wideEpsilon*g.Epsilon.Upper))
			return g.Epsilon.Upper
		},
		warning: func() error {
			if wide.tooMany() {
				return errUncertified
			}
			return nil
		},
	}
}

// wideAnswers counts the wide answers about one run.
type wideAnswers struct {
	patient bool // no limit on their number
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
