package selection

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting"
)

// RDPEpsilonFloor returns a number that no order, of real orders > 1, undercuts: the ε of the
// worse direction at delta in (0, 0.1], by the conversion of Canonne, Kamath and Steinke, is
// at least that at its best order. A printed ε below the floor does not follow from any
// Rényi divergence of the game.
//
//	ε(α) = D(α) + c(α),  c(α) = ln((α-1)/α) - ln(δα)/(α-1)
//
// D does not fall and c'(α) = ln(δα)/(α-1)², so that c is least at
// α = 1/δ and falls up to there. Between the orders of a grid, ε(α) is at least
// D at the lower one plus c at the upper one; above the last, at least D there plus c(1/δ).
func (m MonotoneGaussian) RDPEpsilonFloor(delta float64) (float64, error) {
	if err := errors.Join(m.Validate(), accounting.ValidateDelta(delta)); err != nil {
		return 0, err
	}
	m.k = m.Law.Distribution()
	cells := m.cells(740)
	worst := 0.0
	for side := range 2 {
		worst = math.Max(worst, overOrdersAtLeast(func(order float64) float64 { return m.coarse(cells, order, side) }, delta))
	}
	return worst, nil
}

// Algorithm3Floor returns the same for Algorithm3Epsilon: with the larger of the two
// divergences at each order, which does not fall either, no order gives less.
func (m MonotoneGaussian) Algorithm3Floor(delta float64) (float64, error) {
	if err := errors.Join(m.Validate(), accounting.ValidateDelta(delta)); err != nil {
		return 0, err
	}
	m.k = m.Law.Distribution()
	cells := m.cells(740)
	return overOrdersAtLeast(func(order float64) float64 { return m.coarseLarger(cells, order) }, delta), nil
}

// overOrdersAtLeast bounds ε(α) from below over all orders, from a lower bound of D; see
// RDPEpsilonFloor.
func overOrdersAtLeast(divergence func(order float64) float64, delta float64) float64 {
	add := func(order float64) float64 {
		return math.Log1p(-1/order) - math.Log(delta*order)/(order-1)
	}
	const ratio = 1.03
	order := 1.01
	least := add(order) // of all orders up to this one, as D >= 0
	for order < maxMonotoneOrder && order*ratio < 1/delta {
		next := 1 + (order-1)*ratio
		least = math.Min(least, divergence(order)+add(next))
		order = next
	}
	return math.Min(least, divergence(order)+math.Min(add(1/delta), 0))
}
