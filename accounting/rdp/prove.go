package rdp

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/renyi"
)

// mostOrders bounds the orders of a proof of a profile.
const mostOrders = 128

// ProveProfile returns what shows a privacy profile at epsilons, by the best orders at some of
// them. It is nil for an event without a curve.
func (a Accountant) ProveProfile(q ask.Question, epsilons, _ []float64) *accounting.Proof {
	curve, _, err := a.approximate(q)
	if err != nil {
		return nil
	}
	curve = Memoized(curve)
	var orders []float64
	for i := 0; i < len(epsilons); i += 1 + len(epsilons)/mostOrders {
		_, order, err := a.LogDeltaOf(curve, epsilons[i])
		if err == nil && !math.IsInf(order, 1) && !slices.Contains(orders, order) {
			orders = append(orders, order)
		}
	}
	return certificate.Proof(renyi.RuleProfile, orders)
}
