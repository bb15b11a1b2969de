package selection

import (
	"math"

	"github.com/dplab/dplab/accounting"
)

// QuickEpsilonAt returns the least ε at delta of some of EventAt's bounds: pointwise, interleaved
// and composition, without checks. These are mostly the least, and need no Rényi curve. It is +Inf
// if none applies. So it is never below the ε of EventAt with accountants that ask for no checks.
// It serves searches that ask EventAt in the end.
func QuickEpsilonAt(event BestOf, delta float64, accountants ...accounting.Accountant) (float64, error) {
	k, base, err := preparedEvent(event, delta, accountants)
	if err != nil {
		return math.Inf(1), err
	}
	least := math.Inf(1)
	for _, family := range []family{interleavedBounds, compositionBounds} {
		bounds, err := family(k, base, delta)
		if err != nil {
			return math.Inf(1), err
		}
		for _, b := range bounds {
			least = math.Min(least, b.Epsilon*(1+lastDigits))
		}
	}
	return least, nil
}
