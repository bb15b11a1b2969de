package monotone

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// A cellPoint is an end of a cell: ranks and weights of x under N(0, 1) and N(µ, 1).
type cellPoint struct {
	x             float64
	below, above  [2]float64 // Φ(x-s) and Φ(s-x), s = 0 and µ
	rankErr       [2]float64 // relative, of both ranks
	logWeight     [2]float64 // ln f'(Φ(x-s))
	weightErr     [2]float64 // of logWeight, from the rank's error
	f, complement [2]float64 // f(Φ(x-s)), and 1 minus it with its digits
}

// A cell has bounds on the two laws of the best run on (x0, x1]: their masses with a relative
// error, and the range of the log likelihood ratio ln(dA/dA').
//
//	ln(dA/dA')(x) = µ²/2 - µx + ln f'(Φ(x)) - ln f'(Φ(x-µ))
//
// f' does not fall. So each of the three parts is monotone, and their ends give the range.
type cell struct {
	from, to     cellPoint
	logMass      [2]float64
	mass         [2]float64
	massErr      float64 // relative, of both together
	lower, upper float64 // of the ratio's logarithm
	least, most  float64 // of the integral that is refined
}

func (m Gaussian) point(x float64) cellPoint {
	p := cellPoint{x: x}
	for i, shift := range [2]float64{0, m.Mu} {
		z := x - shift
		p.below[i], p.above[i] = numeric.NormalCDF(z), numeric.NormalCDF(-z)
		p.rankErr[i] = (8 + 2*z*z) * 0x1p-53 // z has an error of an eps of itself, Φ one of z² eps
		p.logWeight[i] = m.k.LogPGFDerivative(p.below[i])
		if z < slackFrom {
			// ln f' is convex in ln x, so it moves most upward.
			p.weightErr[i] = m.k.LogPGFDerivative(p.below[i]*(1+p.rankErr[i])) - p.logWeight[i]
		}
		p.f[i], p.complement[i] = m.k.PGF(p.below[i]), m.k.SuccessProbability(p.above[i])
	}
	return p
}

// cell returns the cell between two points.
func (m Gaussian) cell(from, to cellPoint, slack float64) cell {
	c := cell{from: from, to: to}
	for i := range c.logMass {
		logMass, err := mass(from, to, i)
		c.logMass[i], c.mass[i] = logMass, math.Exp(logMass)
		c.massErr += err
	}
	middle := m.Mu * m.Mu / 2
	c.lower = middle - m.Mu*to.x + from.logWeight[0] - to.logWeight[1] - slack - from.weightErr[0] - to.weightErr[1]
	c.upper = middle - m.Mu*from.x + to.logWeight[0] - from.logWeight[1] + slack + to.weightErr[0] + from.weightErr[1]
	return c
}

// mass returns the logarithm of f(q1) - f(q0) and its relative error. It is the difference of f or
// of 1-f, whichever is smaller, or (q1 - q0) f' with f' between its values at the ends. The one
// with the smaller error is returned. A rank's relative error moves 1-f by no more, and f by
// x f'(x)/f(x) times as much, which grows with x. f itself adds 8 eps.
func mass(from, to cellPoint, i int) (logMass, err float64) {
	rankErr := math.Max(from.rankErr[i], to.rankErr[i])
	difference := func(a, b, oneMinusA, oneMinusB, errBelow float64) (value, err float64) {
		if oneMinusA < 0.5 {
			a, b, errBelow = oneMinusB, oneMinusA, rankErr
		}
		return numeric.Log(math.Max(0, b-a)), 2 * (8*0x1p-53 + errBelow) * b / (b - a)
	}
	power := to.below[i] * math.Exp(to.logWeight[i]) / to.f[i]
	byF, errF := difference(from.f[i], to.f[i], from.complement[i], to.complement[i], power*rankErr)
	byRank, errRank := difference(from.below[i], to.below[i], from.above[i], to.above[i], rankErr)
	low, high := from.logWeight[i], to.logWeight[i]
	errRank += math.Expm1((high-low)/2) + 8*0x1p-53*(2+math.Abs(low)) + from.weightErr[i] + to.weightErr[i]
	if errF <= errRank {
		return byF, errF
	}
	return byRank + low + (high-low)/2, errRank
}

// integral is a sum over cells that lies between two bounds.
type integral struct{ least, most float64 }

// refine splits the cells of [from, to]. bounds returns lower and upper bounds of a nonnegative
// integral over one cell. refine stops when their sums are relatively tolerance apart, or at
// maxCells.
func (m Gaussian) refine(cells []cell, bounds func(*cell) (least, most float64), tolerance float64) ([]cell, integral) {
	const maxCells, minWidth = 20_000, 1e-6
	slack := m.slack()
	for i := range cells {
		cells[i].least, cells[i].most = bounds(&cells[i])
	}
	for {
		sum := total(cells)
		if sum.most-sum.least <= tolerance*sum.least || len(cells) >= maxCells {
			return cells, sum
		}
		allowed := tolerance * sum.least / float64(2*len(cells))
		next := make([]cell, 0, 2*len(cells))
		for _, c := range cells {
			if !(c.most-c.least > allowed) || c.to.x-c.from.x < minWidth {
				next = append(next, c)
				continue
			}
			middle := m.point(c.from.x + (c.to.x-c.from.x)/2)
			for _, half := range [2]cell{m.cell(c.from, middle, slack), m.cell(middle, c.to, slack)} {
				next = append(next, half)
				last := &next[len(next)-1]
				last.least, last.most = bounds(last)
			}
		}
		if len(next) == len(cells) {
			return cells, sum
		}
		cells = next
	}
}

func total(cells []cell) integral {
	var sum integral
	for i := range cells {
		sum.least += cells[i].least
		sum.most += cells[i].most
	}
	return sum
}

// slack is a bound on the change of ln f' by rounding of a rank that is not below Φ(slackFrom), and
// a little more.
func (m Gaussian) slack() float64 {
	return 1e-12 + m.k.LogPGFDerivative(1) - m.k.LogPGFDerivative(1-16*0x1p-53)
}

// slackFrom is where rankErr is 16 eps. To the right a rank's error is smaller.
const slackFrom = -2

// reach is the x at which Φ(-x) is nearly subnormal.
const reach = 37

// ends returns where the cells begin and end. There the ranks of both laws are not subnormal.
func (m Gaussian) ends() (left, right float64) { return m.Mu - reach, reach }

// cells covers the range between the ends evenly.
func (m Gaussian) cells(count int) []cell {
	slack := m.slack()
	out := make([]cell, count)
	left, right := m.ends()
	from := m.point(left)
	for i := range out {
		to := m.point(left + (right-left)*float64(i+1)/float64(count))
		out[i] = m.cell(from, to, slack)
		from = to
	}
	return out
}
