package monotone

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Gaussian is the reduced tuning game. Each run releases one number, N(0, 1) on one data set and
// N(µ, 1) on its neighbor. The best of K runs is the largest. The law of the best run has density
// φ(x) f'(Φ(x)) against φ(x-µ) f'(Φ(x-µ)).
//
// Its results are exact, up to certified numerics, for Gaussian runs with a score that is a
// strictly increasing or decreasing function of that number. They are not bounds for other scores:
// papernot2022's three-point order costs more. Nor are they bounds for runs that are only
// approximately Gaussian, see ApproximateMu.
//
// Reference: Xiang, Wang, Wang, arXiv:2402.13087, Section 5 and Algorithm 3.
type Gaussian struct {
	Law law.Law // its Rényi divergences need P[K = 1] > 0
	Mu  float64 // µ in (0, 20]

	k law.Distribution // of Law, set while a method runs
}

// Validate returns an error unless the law is valid and µ is in (0, 20].
func (m Gaussian) Validate() error {
	if m.Law == nil {
		return errors.New("monotone: Gaussian.Law is nil: must be a law")
	}
	if err := m.Law.Validate(); err != nil {
		return err
	}
	return check.UpTo(20).Of("monotone: Gaussian.Mu", m.Mu)
}

// validateDivergences is Validate for what needs divergences. They are infinite without P[K = 1].
func (m Gaussian) validateDivergences() error {
	if err := m.Validate(); err != nil {
		return err
	}
	if p := m.Law.Distribution().LogPMF(1); !(p > math.Inf(-1)) {
		return fmt.Errorf("monotone: Gaussian.Law, the %v, has P[K = 1] = 0: must be > 0", m.Law)
	}
	return nil
}

// DivergenceTolerance is the relative width of the integral to which divergences are certified.
const DivergenceTolerance = 1e-5

// Divergences returns the Rényi divergences, in nats, of the best run at order: from the data set
// with N(0, 1) to that with N(µ, 1), and back.
//
//	A = f(0) + ∫ φ(x)^α f'(Φ(x))^α φ(x-µ)^(1-α) f'(Φ(x-µ))^(1-α) dx,  D = ln(A)/(α-1)
//
// order is in (1, 1000]. The intervals are some DivergenceTolerance/(α-1) wide. They are wider if K
// is so large that masses leave the range of float64. Their ends are bounds for exact arithmetic,
// with an allowance for the rounding of ranks and masses.
//
// Each cell of [µ-37, 37] has masses P and P' and a likelihood ratio r with mean P/P' in a known
// range. t^α is convex. So the cell's part of the integral is at least P^α P'^(1-α), and at most P'
// times the chord of t^α over the range at the mean. Cells are split until the two agree. Outside
// of the cells, with m = (1-α)µ, or αµ on the way back,
//
//	∫ φ(x)^α φ(x-µ)^(1-α) dx = e^(α(α-1)µ²/2) ∫ φ(x-m) dx
//
// in closed form, and f' lies between its values at the end and in the limit.
func (m Gaussian) Divergences(order float64) (forth, back accounting.Interval, err error) {
	if err := m.validateDivergences(); err != nil {
		return accounting.NoEpsilon(), accounting.NoEpsilon(), err
	}
	if !(order > 1 && order <= maxOrder) {
		return accounting.NoEpsilon(), accounting.NoEpsilon(), fmt.Errorf("monotone: order %g: must be in (1, %d]", order, maxOrder)
	}
	m.k = m.Law.Distribution()
	return m.divergence(m.cells(296), order, 0, DivergenceTolerance), m.divergence(m.cells(296), order, 1, DivergenceTolerance), nil
}

// divergence returns the divergence from side to the other one.
func (m Gaussian) divergence(cells []cell, order float64, side int, tolerance float64) accounting.Interval {
	left, right := m.leftTail(order, side), m.rightTail(order, side)
	scale := scaleOf(cells, order, side, left, right)
	bounds := func(c *cell) (float64, float64) { return c.power(order, side, scale) }
	_, sum := m.refine(cells, bounds, tolerance)
	for _, tail := range [2]integral{left, right} {
		sum.least += math.Exp(tail.least - scale)
		sum.most += math.Exp(tail.most - scale)
	}
	low := m.lowerDivergence(sum.least, order, scale)
	high := math.Max(low, (scale+numeric.Log(sum.most+m.noRun(scale)))/(order-1)+rounding)
	if !(high < math.Inf(1)) {
		return accounting.Certified(low, low, math.Inf(1))
	}
	return accounting.Certified(low, low+(high-low)/2, high)
}

// rounding is an allowance for the rounding of a divergence.
const rounding = 1e-13

// lowerDivergence returns the divergence of an integral that is at least sum times e^scale.
func (m Gaussian) lowerDivergence(sum, order, scale float64) float64 {
	low := (scale+numeric.Log(sum+m.noRun(scale)))/(order-1) - rounding
	if !(low > 0 && low < math.Inf(1)) {
		return 0 // nothing known, or below the range of numbers
	}
	return low
}

// noRun is f(0), the part of the integral where no run is made, times e^-scale.
func (m Gaussian) noRun(scale float64) float64 { return math.Exp(m.k.LogPMF(0) - scale) }

// scaleOf returns the logarithm of the largest part of the integral.
func scaleOf(cells []cell, order float64, side int, left, right integral) float64 {
	scale := math.Max(left.least, right.least)
	for i := range cells {
		if masses := &cells[i].logMass; !math.IsInf(masses[1-side], -1) {
			scale = math.Max(scale, order*masses[side]+(1-order)*masses[1-side])
		}
	}
	return scale
}

// leastPower returns the lower bound of power. The error of the masses must be less than 1.
func (c *cell) leastPower(order float64, side int, scale float64) float64 {
	value := math.Exp(order*c.logMass[side] + (1-order)*c.logMass[1-side] - scale)
	return value * math.Max(0, 1-2*order*c.massErr)
}

// power bounds the integral of P^α P'^(1-α) over the cell, times e^-scale.
func (c *cell) power(order float64, side int, scale float64) (least, most float64) {
	lower, upper := c.lower, c.upper
	if side == 1 {
		lower, upper = -upper, -lower
	}
	if !(c.massErr < 1) {
		// Too narrow for differences. The density of the second law is at most f'/√(2π).
		mass := numeric.Log(c.to.x-c.from.x) + c.to.logWeight[1-side] - 0.9
		return 0, math.Exp(mass + order*upper - scale)
	}
	value := math.Exp(order*c.logMass[side] + (1-order)*c.logMass[1-side] - scale)
	doubt := 2 * order * c.massErr
	mean := math.Min(math.Max(c.logMass[side]-c.logMass[1-side], lower), upper)
	// The chord at the mean, divided by mean^α: shares of the two ends.
	chord := math.Exp(order * (upper - mean)) // nothing is above the upper end
	if upper > lower && upper-lower < 600 {
		share := math.Expm1(mean-lower) / math.Expm1(upper-lower)
		chord = math.Min(chord, share*math.Exp(order*(upper-mean))+(1-share)*math.Exp(order*(lower-mean)))
	}
	return value * math.Max(0, 1-doubt), value * math.Max(chord, 1) * (1 + doubt)
}

// leftTail bounds the logarithm of the integral over x < c, the left end. Let s be the shift of the
// first law and s' that of the second. Then f'(0)^α f'(Φ(c-s'))^(1-α) is below the product of
// weights, and f'(Φ(c-s))^α f'(0)^(1-α) above.
func (m Gaussian) leftTail(order float64, side int) integral {
	cut, _ := m.ends()
	end := m.point(cut)
	at, limit := [2]float64{end.logWeight[side], end.logWeight[1-side]}, m.k.LogPGFDerivative(0)
	mass := m.tilt(order) + numeric.LogNormalCDF(cut-m.center(order, side))
	return integral{
		least: mass + order*limit + (1-order)*at[1],
		most:  mass + order*at[0] + (1-order)*limit,
	}
}

// rightTail bounds the logarithm of the integral to the right of the cells. There the weights lie
// between those at the end and f'(1).
func (m Gaussian) rightTail(order float64, side int) integral {
	_, cut := m.ends()
	end := m.point(cut)
	at, limit := [2]float64{end.logWeight[side], end.logWeight[1-side]}, m.k.LogPGFDerivative(1)
	mass := m.tilt(order) + numeric.LogNormalCDF(m.center(order, side)-cut)
	return integral{
		least: mass + order*at[0] + (1-order)*limit,
		most:  mass + order*limit + (1-order)*at[1],
	}
}

// center is the mean of the tilted normal law φ_s^α φ_s'^(1-α).
func (m Gaussian) center(order float64, side int) float64 {
	if side == 0 {
		return (1 - order) * m.Mu
	}
	return order * m.Mu
}

func (m Gaussian) tilt(order float64) float64 { return order * (order - 1) * m.Mu * m.Mu / 2 }
