package subsample

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection"
)

// DominatingPair returns a pair of laws on finitely many outcomes that dominates a tuning on a
// sample and the training after it. Package pld composes the pair with other mechanisms on the same
// data. The pair is finest for prices at delta. See selection.DominatingPair.
//
// It returns an error if no profile of a run or of the training is known, or if its ε is above 150.
//
// Proof. mixtureDelta is above the privacy profile of the whole in both directions, at every ε >= 0
// and for every dominating pair and profile: see likelihood. selection.PairOf needs no more. ∎
func DominatingPair(event Event, delta float64, accountants ...accounting.Accountant) (pld.DiscretePair, error) {
	pair, _, err := ShownPair(event, delta, accountants...)
	return pair, err
}

// ShownPair returns DominatingPair with what shows it. It is for prices with a proof.
func ShownPair(event Event, delta float64, accountants ...accounting.Accountant) (pair pld.DiscretePair, shown selection.Shown, err error) {
	if err := event.check(); err != nil {
		return pair, nil, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return pair, nil, fmt.Errorf("subsample: %w", err)
	}
	base, training, err := basesOf(event, accountants)
	if err != nil {
		return pair, nil, err
	}
	// The pair of the tuning has an outcome that reveals the record. Its chance is below the tail
	// of the whole.
	tuning, shownTuning, err := selection.ShownPairOf(event.Tuning.Law, base, delta/10)
	if err != nil {
		return pair, nil, err
	}
	all := ranks.Around(training, delta*selection.PairTail)
	var bounds []func(epsilon float64) float64
	for _, known := range all {
		bounds = append(bounds, func(epsilon float64) float64 {
			return mixtureDelta(tuning, known.Stick, event.TuningRate, epsilon, event.Variant)
		})
	}
	pair, err = selection.PairOf(delta, bounds...)
	return pair, func() *accounting.Proof {
		var of []*accounting.Proof
		for _, known := range all {
			_, _, steps := proofOf(known, shownTuning)
			of = append(of, certificate.Proof(selected.RuleFates, nil, steps...))
		}
		return settle.Values(pair.With, pair.Without, of...)
	}, err
}

// leastEpsilon returns the least ε at which a falling bound is at most delta. If there is none up
// to mostEpsilon, it returns more than that.
func leastEpsilon(bound func(epsilon float64) float64, delta float64) float64 {
	return numeric.LeastTrue(1e-7, func(epsilon float64) bool { return epsilon > mostEpsilon || bound(epsilon) <= delta })
}
