package monotone

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// DeltaAt returns the exact δ at epsilon >= 0 of the best run: the larger of the two directions of
//
//	δ(ε) = ∫ [dA - e^ε dA']₊
//
// It uses the cells of Divergences, as t -> [t - e^ε]₊ is convex too. Outside of them the integral
// is between 0 and the mass of A.
func (m Gaussian) DeltaAt(epsilon float64) (accounting.Interval, error) {
	if err := errors.Join(m.Validate(), accounting.ValidateEpsilon(epsilon)); err != nil {
		return accounting.NoDelta(), err
	}
	m.k = m.Law.Distribution()
	var sum integral
	for side := range 2 {
		one := m.hockeyStick(side, epsilon, m.refineFor(side, epsilon))
		sum = integral{math.Max(sum.least, one.least), math.Max(sum.most, one.most)}
	}
	return accounting.Certified(sum.least, sum.least+(sum.most-sum.least)/2, math.Min(1, sum.most)), nil
}

// EpsilonAt returns the exact ε, in nats, of the best run at delta: DeltaAt solved for ε.
func (m Gaussian) EpsilonAt(delta float64) (accounting.Interval, error) {
	if err := errors.Join(m.Validate(), accounting.ValidateDelta(delta)); err != nil {
		return accounting.NoEpsilon(), err
	}
	m.k = m.Law.Distribution()
	var sum integral
	for side := range 2 {
		one, err := m.solve(side, delta)
		if err != nil {
			return accounting.NoEpsilon(), err
		}
		sum = integral{math.Max(sum.least, one.least), math.Max(sum.most, one.most)}
	}
	return accounting.Certified(sum.least, sum.least+(sum.most-sum.least)/2, sum.most), nil
}

// solve bounds the ε of one direction. All cells give valid bounds. Cells are refined for the
// current bounds until these are close.
func (m Gaussian) solve(side int, delta float64) (integral, error) {
	const rounds, width, bisection = 6, 1e-6, 1e-10
	cells := m.cells(1480)
	for round := 0; ; round++ {
		low := numeric.LeastTrue(bisection, func(e float64) bool { return m.hockeyStick(side, e, cells).least <= delta })
		high := numeric.LeastTrue(bisection, func(e float64) bool { return m.hockeyStick(side, e, cells).most <= delta })
		if math.IsInf(low, 1) {
			return integral{}, fmt.Errorf("monotone: no ε up to %g has δ = %g for the %v and µ = %g", float64(numeric.MaxLeastTrue), delta, m.Law, m.Mu)
		}
		if high-low <= width*(high+0.01) || round == rounds {
			return integral{math.Max(0, low*(1-2*bisection)), high}, nil
		}
		for _, epsilon := range [2]float64{low, math.Min(high, low+0.1)} {
			cells, _ = m.refine(cells, func(c *cell) (float64, float64) { return c.excess(side, epsilon) }, 10*DivergenceTolerance)
		}
	}
}

// refineFor returns cells on which δ at epsilon is known to DivergenceTolerance, relative.
func (m Gaussian) refineFor(side int, epsilon float64) []cell {
	cells, _ := m.refine(m.cells(296), func(c *cell) (float64, float64) { return c.excess(side, epsilon) }, DivergenceTolerance)
	return cells
}

// hockeyStick bounds δ at epsilon from side to the other one.
func (m Gaussian) hockeyStick(side int, epsilon float64, cells []cell) integral {
	var sum integral
	for i := range cells {
		least, most := cells[i].excess(side, epsilon)
		sum.least += least
		sum.most += most
	}
	first, last := cells[0].from, cells[len(cells)-1].to
	sum.most += first.f[side] - m.k.PGF(0) + last.complement[side]
	return integral{sum.least, math.Min(1, sum.most)}
}

// excess bounds the integral of [dA - e^ε dA']₊ over the cell, from side to the other one.
func (c *cell) excess(side int, epsilon float64) (least, most float64) {
	lower, upper := c.lower, c.upper
	if side == 1 {
		lower, upper = -upper, -lower
	}
	mass, other := c.mass[side], math.Exp(epsilon+c.logMass[1-side]) // other times e^ε, which may overflow
	if upper <= epsilon || mass == 0 {
		return 0, 0
	}
	if !(c.massErr < 1) {
		// The density of a law is at most f'/√(2π).
		return 0, math.Exp(numeric.Log(c.to.x-c.from.x) + c.to.logWeight[side] + c.to.weightErr[side] - 0.9)
	}
	doubt := 1e-15*mass + c.massErr*(mass+other)
	plain := mass - other
	least = math.Max(0, plain-doubt)
	if lower >= epsilon {
		return least, math.Max(least, plain+doubt)
	}
	// The chord from (lower, 0) to (upper, e^upper - e^ε) at the mean mass/other.
	mean := math.Min(math.Max(c.logMass[side]-c.logMass[1-side], lower), upper)
	chord := mass
	if upper-lower < 600 {
		share := math.Expm1(mean-lower) / math.Expm1(upper-lower)
		// other·share·(e^upper - e^ε), with other = mass/e^mean.
		chord = mass * share * (math.Exp(upper-mean) - math.Exp(epsilon-mean))
	}
	return least, math.Min(mass, math.Max(plain, chord)) + doubt
}
