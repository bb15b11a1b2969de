package auto

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

var _ accounting.Quick = Accountant{}

// QuickEpsilonAt returns an upper end of ε, never below that of EpsilonAt, and whether it left out
// bounds. For a tuning on a sample with a training it uses only the bounds by likelihood ratios,
// which mostly are the least. For a random allocation it computes no lower end. It prices all other
// events in full.
func (a Accountant) QuickEpsilonAt(event accounting.Event, delta float64) (upper float64, leftOut bool, err error) {
	node, err := a.prepare(event)
	if err != nil {
		return math.Inf(1), false, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return math.Inf(1), false, fmt.Errorf("auto: %w", err)
	}
	if e, ok := node.Event.(subsample.Event); ok {
		upper, err := subsample.QuickEpsilonAt(e, delta, a)
		if err == nil && !math.IsInf(upper, 1) {
			return upper, true, nil
		}
	}
	a.unchecked = true
	if upper, ok := a.one().QuickEpsilonAt(node, delta); ok {
		return upper, false, nil
	}
	price, err := a.price(node, delta)
	return price.Guarantee.Epsilon.Upper, false, err
}
