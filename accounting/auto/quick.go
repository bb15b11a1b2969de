package auto

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

var _ accounting.Quick = Accountant{}

// QuickEpsilonAt returns an upper end of ε, never below that of Unchecked, and whether it left out
// bounds. It uses only bounds that mostly are the least: for the best of K runs those of
// selection.QuickEpsilonAt, and for a tuning on a sample with a training those by likelihood
// ratios. For a random allocation it computes no lower end. It prices all other events in full.
func (a Accountant) QuickEpsilonAt(event accounting.Event, delta float64) (upper float64, leftOut bool, err error) {
	node, err := a.prepare(event)
	if err != nil {
		return math.Inf(1), false, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return math.Inf(1), false, fmt.Errorf("auto: %w", err)
	}
	a.unchecked = true
	quick, err := math.Inf(1), error(nil)
	switch e := node.Event.(type) {
	case subsample.Event:
		quick, err = subsample.QuickEpsilonAt(e, delta, a)
	case selection.BestOf:
		quick, err = selection.QuickEpsilonAt(e, delta, a)
	}
	if err == nil && !math.IsInf(quick, 1) {
		return quick, true, nil
	}
	if upper, ok := a.one().QuickEpsilonAt(node, delta); ok {
		return upper, false, nil
	}
	price, err := a.price(node, delta)
	return price.Guarantee.Epsilon.Upper, false, err
}
