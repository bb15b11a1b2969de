package selection

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// DominatingPair returns a pair of laws on finitely many outcomes that dominates the best of K runs
// of event.Base. In any composition the tuning costs no more than the pair, in both directions of
// the neighboring relation. Package pld can compose such pairs with trainings and with each other.
// The pair is finest for compositions priced at delta.
//
// If a run has no finite ε at delta, the pair has an outcome that reveals the record. It returns an
// error if no profile of a run is known, or if its ε is above 150 at every δ.
//
// By PointwiseAt's theorem its bound is above the privacy profile of the tuning in both directions.
// [PairOf] needs no more.
func DominatingPair(event BestOf, delta float64, accountants ...accounting.Accountant) (pld.DiscretePair, error) {
	pair, _, err := ShownPair(event, delta, accountants...)
	return pair, err
}

// Shown returns what shows values of a profile that a pair of laws is above, or nil.
type Shown func() *accounting.Proof

// ShownPair returns DominatingPair with what shows it. It is for prices with a proof.
func ShownPair(event BestOf, delta float64, accountants ...accounting.Accountant) (pair pld.DiscretePair, shown Shown, err error) {
	k, base, err := preparedEvent(event, delta, accountants)
	if err != nil {
		return pair, nil, err
	}
	return dominatingPair(k, base, delta)
}

// ShownPairOf is ShownPair of the runs that base describes.
func ShownPairOf(l law.Law, base baserun.Run, delta float64) (pair pld.DiscretePair, shown Shown, err error) {
	k, base, err := prepared(l, base, delta)
	if err != nil {
		return pair, nil, err
	}
	return dominatingPair(k, base, delta)
}

// PairTail is a share of delta. The profile of a pair is followed down to PairTail times delta.
const PairTail = 1e-5

var errNoPair = fmt.Errorf("selection: no profile of one run is known up to ε = 150: %w", pld.ErrNoProfile)

// dominatingPair is ShownPairOf a valid law and a prepared run. At each ε it uses the least of the
// known profiles.
func dominatingPair(k law.Distribution, base baserun.Run, delta float64) (pair pld.DiscretePair, shown Shown, err error) {
	target := delta * PairTail / math.Max(1, k.Mean())
	all, bounds := ranks.Around(base, target), []func(epsilon float64) float64{}
	if len(all) == 0 { // a run has no finite ε there
		all = ranks.AroundReached(base, target)
		composed, most, err := mostRuns(k, base)
		if err != nil {
			return pair, nil, err
		}
		if most > 0 {
			for _, runs := range ranks.AroundReached(composed, target) {
				bounds = append(bounds, func(epsilon float64) float64 { return runs.HockeyStick(math.Exp(epsilon)) })
			}
		}
	}
	for _, known := range all {
		best := known.BestOf(k)
		bounds = append(bounds, func(epsilon float64) float64 { return best(known, epsilon) })
	}
	pair, err = PairOf(delta, bounds...)
	return pair, func() *accounting.Proof {
		var of []*accounting.Proof
		for _, known := range all {
			of = append(of, known.ProveBestOf(k))
		}
		return settle.Values(pair.With, pair.Without, of...)
	}, err
}

// PairOf returns a pair of laws on finitely many outcomes. Its divergences, in either order, are
// nowhere below those of a mechanism. So any mechanism with a known privacy profile becomes an
// event. Each of bounds must be above that profile, in both directions, at every ε >= 0. PairOf
// uses the least of them.
//
// The pair is finest for prices at delta. If the mechanism runs n times, pass the δ of the whole
// divided by n. accounting.NewProfileBound makes an event for every δ. Prices of the pair have no
// lower end. If the profile does not fall below delta, the pair has an outcome with the rest as its
// chance, which reveals the record. PairOf returns an error if bounds is empty, or if the profile
// is 1 everywhere. See [pld.PairAbove] for the proof.
func PairOf(delta float64, bounds ...func(epsilon float64) float64) (pld.DiscretePair, error) {
	if len(bounds) == 0 {
		return pld.DiscretePair{}, errNoPair
	}
	profile := func(epsilons []float64) []float64 {
		deltas := make([]float64, len(epsilons))
		for i, epsilon := range epsilons {
			deltas[i] = 1
			for _, bound := range bounds {
				deltas[i] = math.Min(deltas[i], bound(epsilon))
			}
		}
		return deltas
	}
	pair, err := pld.PairAbove(delta, profile)
	if errors.Is(err, pld.ErrNoProfile) {
		return pld.PairAbove(math.Nextafter(1, 0), profile)
	}
	return pair, err
}
