package monotone

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// maxOrder is the last order of Divergences.
const maxOrder = 1000

// epsilonTolerance is the relative width of the integral to which the divergence at the best order
// is certified. Then ε is known to some 1e-4/(α-1), at most a relative 3e-6 for µ from 0.25 to 2.
// It needs a third of the cells that DivergenceTolerance needs.
const epsilonTolerance = 1e-4

// RDPEpsilon returns the ε at delta from the Rényi divergences, and the order of the worse
// direction. Each direction has its own best order, and the larger ε counts. conversion turns
// divergences into ε. delta is in (0, 1).
//
// δ of a direction follows from the divergence of that direction, so this is a bound. It is never
// above Algorithm3Epsilon, which uses the larger divergence at each order.
//
// The search over orders uses cheap lower bounds. The divergence at the chosen order is certified.
// The interval contains the ε of the chosen orders, and Upper is an upper bound on the exact ε.
func (m Gaussian) RDPEpsilon(conversion rdp.Conversion, delta float64) (epsilon accounting.Interval, order float64, err error) {
	if err := errors.Join(m.validateDivergences(), accounting.ValidateDelta(delta), conversion.Validate()); err != nil {
		return accounting.NoEpsilon(), 0, err
	}
	m.k = m.Law.Distribution()
	var worst integral
	coarse := m.cells(1480)
	for side := range 2 {
		best := rdp.OverOrders(func(order float64) float64 {
			if order > maxOrder {
				return math.Inf(1)
			}
			return conversion.Epsilon(order, m.coarse(coarse, order, side), delta)
		})
		d := m.divergence(m.cells(296), best.Order, side, epsilonTolerance)
		if high := conversion.Epsilon(best.Order, d.Upper, delta); high > worst.most || order == 0 {
			order, worst.most = best.Order, high
		}
		worst.least = math.Max(worst.least, conversion.Epsilon(best.Order, d.Lower, delta))
	}
	return accounting.Certified(worst.least, worst.least+(worst.most-worst.least)/2, worst.most), order, nil
}

// Algorithm3Epsilon returns the ε at delta of Algorithm 3 as printed, and its order. Line 4 takes
// the larger of the two divergences at each order, and one best order serves both. The best order
// is often where the two divergences cross. The search stops within some thousandths of that order,
// with ε within 1e-3 of its least. The interval contains the ε of the chosen order. RDPEpsilon is a
// bound too, and is never above this.
//
// Reference: Xiang, Wang, Wang, arXiv:2402.13087, Algorithm 3.
func (m Gaussian) Algorithm3Epsilon(conversion rdp.Conversion, delta float64) (epsilon accounting.Interval, order float64, err error) {
	if err := errors.Join(m.validateDivergences(), accounting.ValidateDelta(delta), conversion.Validate()); err != nil {
		return accounting.NoEpsilon(), 0, err
	}
	m.k = m.Law.Distribution()
	coarse := m.cells(1480)
	best := rdp.OverOrders(func(order float64) float64 {
		if order > maxOrder {
			return math.Inf(1)
		}
		return conversion.Epsilon(order, m.coarseLarger(coarse, order), delta)
	})
	forth := m.divergence(m.cells(296), best.Order, 0, epsilonTolerance)
	back := m.divergence(m.cells(296), best.Order, 1, epsilonTolerance)
	least := conversion.Epsilon(best.Order, math.Max(forth.Lower, back.Lower), delta)
	most := conversion.Epsilon(best.Order, math.Max(forth.Upper, back.Upper), delta)
	return accounting.Certified(least, least+(most-least)/2, most), best.Order, nil
}

// coarse returns a lower bound on a divergence without splitting cells. It equals, to the bit, the
// lower end of divergence on the same cells, with a sixth of the exponentials.
func (m Gaussian) coarse(cells []cell, order float64, side int) float64 {
	left, right := m.leftTail(order, side), m.rightTail(order, side)
	scale := scaleOf(cells, order, side, left, right)
	sum := 0.0
	for i := range cells {
		if c := &cells[i]; c.massErr < 1 {
			sum += c.leastPower(order, side, scale)
		}
	}
	sum += math.Exp(left.least - scale)
	sum += math.Exp(right.least - scale)
	return m.lowerDivergence(sum, order, scale)
}

// coarseLarger returns coarse of the larger divergence.
func (m Gaussian) coarseLarger(cells []cell, order float64) float64 {
	return math.Max(m.coarse(cells, order, 0), m.coarse(cells, order, 1))
}

// RDPEpsilonFloor returns a lower bound on the ε of the worse direction at delta in (0, 0.1]. It
// holds for every real order > 1 and the conversion of Canonne, Kamath and Steinke. So a printed ε
// below it cannot come from a Rényi divergence of the game.
//
//	ε(α) = D(α) + c(α),  c(α) = ln((α-1)/α) - ln(δα)/(α-1)
//
// D does not fall. c'(α) = ln(δα)/(α-1)², so c falls up to α = 1/δ and is least there. Between the
// orders of a grid, ε(α) is at least D at the lower one plus c at the upper one. Above the last it
// is at least D there plus c(1/δ).
func (m Gaussian) RDPEpsilonFloor(delta float64) (float64, error) {
	if err := errors.Join(m.validateDivergences(), accounting.ValidateDelta(delta)); err != nil {
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

// Algorithm3Floor returns the same for Algorithm3Epsilon: a lower bound on its ε at every order.
// The larger of the two divergences does not fall with the order either.
func (m Gaussian) Algorithm3Floor(delta float64) (float64, error) {
	if err := errors.Join(m.validateDivergences(), accounting.ValidateDelta(delta)); err != nil {
		return 0, err
	}
	m.k = m.Law.Distribution()
	cells := m.cells(740)
	return overOrdersAtLeast(func(order float64) float64 { return m.coarseLarger(cells, order) }, delta), nil
}

// overOrdersAtLeast bounds ε(α) from below over all orders, from a lower bound on D. See
// RDPEpsilonFloor.
func overOrdersAtLeast(divergence func(order float64) float64, delta float64) float64 {
	add := func(order float64) float64 {
		return math.Log1p(-1/order) - numeric.Log(delta*order)/(order-1)
	}
	const ratio = 1.03
	order := 1.01
	least := add(order) // of all orders up to this one, as D >= 0
	for order < maxOrder && order*ratio < 1/delta {
		next := 1 + (order-1)*ratio
		least = math.Min(least, divergence(order)+add(next))
		order = next
	}
	return math.Min(least, divergence(order)+math.Min(add(1/delta), 0))
}
