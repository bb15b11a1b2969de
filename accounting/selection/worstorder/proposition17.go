package worstorder

import (
	"math"

	"github.com/dplab/dplab/accounting/check"
)

// Proposition17 returns a lower limit, in nats, on every bound of the Rényi divergence at an order
// that holds for the best of a fixed number k of runs of any (ε, 0)-private mechanism:
//
//	kε - k ln(1+e^-ε)/(λ-1)
//
// It tends to kε: a fixed number of runs costs as much as composition. It is one of the two terms
// of the divergence of randomized response: all runs give the output that ranks last. order is
// above 1, and may be +Inf. It is 0 with an error.
//
// Reference: Papernot and Steinke (ICLR 2022), Proposition 17.
func Proposition17(runs int, epsilon, order float64) (float64, error) {
	f := check.In("worstorder: Proposition17: ")
	f.Count("runs", runs, 1)
	f.Number("epsilon", epsilon, check.Positive)
	f.That(order > 1, "order", order, "must be > 1")
	if err := f.Err(); err != nil {
		return 0, err
	}
	const rounding = 16 * 0x1p-53
	k := float64(runs)
	cost, less := k*epsilon, k*math.Log1p(math.Exp(-epsilon))/(order-1)
	return math.Max(0, cost-less-rounding*(cost+less)), nil
}
