package selection

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
)

// maxMonotoneOrder is the last order of Divergences.
const maxMonotoneOrder = 1000

// RDPEpsilon returns the ε at delta that Algorithm 3 gives. Each direction has its own best
// order, which is tighter than the best order for the larger of the two divergences: δ of a
// direction follows from the divergence of that direction alone. Orders are searched with
// cheap lower bounds, and the divergence there is certified: the interval holds what the
// chosen orders give, and Upper is an upper bound of the exact ε.
//
// conversion turns divergences into ε; delta is in (0, 1). The order of the worse direction
// is returned too.
//
// Reference: Xiang, Wang, Wang, arXiv:2402.13087, Algorithm 3.
func (m MonotoneGaussian) RDPEpsilon(conversion rdp.Conversion, delta float64) (epsilon accounting.Interval, order float64, err error) {
	if err := errors.Join(m.Validate(), accounting.ValidateDelta(delta), conversion.Validate()); err != nil {
		return accounting.Interval{}, 0, err
	}
	m.k = m.Law.Distribution()
	var worst integral
	coarse := m.cells(1480)
	for side := range 2 {
		best := rdp.OverOrders(func(order float64) float64 {
			if order > maxMonotoneOrder {
				return math.Inf(1)
			}
			return conversion.Epsilon(order, m.coarse(coarse, order, side), delta)
		})
		d := m.divergence(m.cells(296), best.Order, side, DivergenceTolerance)
		if high := conversion.Epsilon(best.Order, d.Upper, delta); high > worst.most || order == 0 {
			order, worst.most = best.Order, high
		}
		worst.least = math.Max(worst.least, conversion.Epsilon(best.Order, d.Lower, delta))
	}
	return accounting.Certified(worst.least, worst.least+(worst.most-worst.least)/2, worst.most), order, nil
}

// coarse returns a lower bound on a divergence, without splitting cells.
func (m MonotoneGaussian) coarse(cells []cell, order float64, side int) float64 {
	return m.divergence(cells, order, side, math.Inf(1)).Lower
}

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
	add := func(order float64) float64 {
		return math.Log1p(-1/order) - math.Log(delta*order)/(order-1)
	}
	cells := m.cells(740)
	worst := 0.0
	for side := range 2 {
		const ratio = 1.03
		order := 1.01
		least := add(order) // of all orders up to this one, as D >= 0
		for order < maxMonotoneOrder && order*ratio < 1/delta {
			next := 1 + (order-1)*ratio
			least = math.Min(least, m.coarse(cells, order, side)+add(next))
			order = next
		}
		last := math.Min(add(1/delta), 0)
		least = math.Min(least, m.coarse(cells, order, side)+last)
		worst = math.Max(worst, least)
	}
	return worst, nil
}
