package intersected

import (
	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
)

// ProveProfile returns what shows a privacy profile whose values at epsilons are about deltas, by the
// accountant that DeltasTo asks. It is nil if there is no such proof.
func (a Accountant) ProveProfile(q ask.Question, epsilons, deltas []float64) *accounting.Proof {
	if len(a.Named) > 0 {
		return nil
	}
	if _, ok := a.ratios(q); ok {
		return nil
	}
	return a.lines().ProveProfile(q, epsilons, deltas)
}
