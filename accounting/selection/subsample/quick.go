package subsample

import (
	"math"

	"github.com/dplab/dplab/accounting"
)

// QuickEpsilonAt returns the least ε at delta of the bounds by likelihood ratios, or +Inf if there
// is none. It leaves out the other bounds of PriceAt. So it is never below PriceAt's ε, and takes a
// fourth of the work. It serves searches that ask PriceAt in the end.
func QuickEpsilonAt(event Event, delta float64, accountants ...accounting.Accountant) (float64, error) {
	p, err := Prepare(event, delta, accountants...)
	if err != nil {
		return math.Inf(1), err
	}
	bounds, err := p.parts.likelihood()
	if err != nil {
		return math.Inf(1), err
	}
	least := math.Inf(1)
	for _, b := range bounds {
		least = math.Min(least, b.Epsilon)
	}
	return least, nil
}
