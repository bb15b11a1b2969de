package pld

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// power is many runs of a mechanism with two outcomes, composed exactly. The number of runs with
// the outcome of the larger loss is binomial, and determines the loss.
//
// Discretizing n runs one by one costs up to n steps of the grid if losses are on few points, since
// losses from rounding down do not average out. The binomial has n+1 points, is put on the grid
// once, and costs one step.
type power struct {
	points    []point // of increasing loss
	infinite  float64 // chance of an outcome that only the first law has
	low, high float64 // mass below and above the points, at most
	runs      float64
	edge      float64 // runs x (1 + largest size of a loss of one run), for the slack
}

const (
	maxPowerRuns   = 1 << 24
	maxPowerPoints = 1 << 17
	// Points are listed for a δ down to e^leastPower. Points of mass far below it lose their digits.
	leastPower = -600
)

// powered returns the mechanism with its runs composed, if it has two outcomes of finite loss.
// Masses beyond the points are at most e^logTail at each end.
func (f mechanism) powered(d direction, logTail float64) (mechanism, bool) {
	if f.fixedSize || f.shown > 0 || f.count < 2 || f.count > maxPowerRuns || f.base.reach() > 0 {
		return f, false
	}
	outcomes, infinite := f.outcomes(f.base.points(), d)
	if len(outcomes) != 2 || outcomes[0].p < leastMass || outcomes[1].p < leastMass {
		return f, false
	}
	low, high := outcomes[0], outcomes[1]
	if low.loss > high.loss {
		low, high = high, low
	}
	w, ok := binomial(low, high, f.count, logTail)
	if !ok {
		return f, false
	}
	w.infinite = -math.Expm1(f.count * math.Log1p(-infinite))
	f.power, f.count = w, 1
	return f, true
}

// binomial lists C(n,k) high^k low^(n-k) around its mode.
//
// The ratio of the mass at k+1 to the one at k falls with k. So the mass above k is at most mass
// r/(1-r), r the ratio at k; likewise below. The walk ends when that is below e^logTail.
func binomial(low, high point, n, logTail float64) (*power, bool) {
	logLow, logHigh := numeric.Log(low.p), numeric.Log(high.p)
	odds := high.p / low.p
	all, _ := math.Lgamma(n + 1)
	at := func(k float64) (p point, logMass float64) {
		some, _ := math.Lgamma(k + 1)
		rest, _ := math.Lgamma(n - k + 1)
		logMass = all - some - rest + k*logHigh + (n-k)*logLow
		// Each term errs by 4 units of itself, the masses of a run by their eta, e^x by the error of x.
		eta := unit*(4*(all+some+rest-k*logHigh-(n-k)*logLow)+16) + k*high.eta + (n-k)*low.eta
		return point{k*high.loss + (n-k)*low.loss, math.Exp(logMass), math.Expm1(eta)}, logMass
	}
	w := &power{runs: n, edge: n * (1 + math.Max(math.Abs(low.loss), math.Abs(high.loss)))}
	mode := math.Min(n, math.Floor((n+1)*odds/(1+odds)))
	walk := func(k, step float64) (points []point, rest float64) {
		for ; k >= 0 && k <= n; k += step {
			p, logMass := at(k)
			if points = append(points, p); len(points) > maxPowerPoints {
				return points, 1
			}
			r := (n - k) / (k + 1) * odds
			if step < 0 {
				r = k / (n - k + 1) / odds
			}
			if r < 1 && logMass+numeric.Log(r/(1-r)) < logTail {
				return points, math.Exp(logTail)
			}
		}
		return points, 0
	}
	down, below := walk(mode, -1)
	up, above := walk(mode+1, 1)
	if len(down) > maxPowerPoints || len(up) > maxPowerPoints {
		return nil, false
	}
	for i := len(down) - 1; i >= 0; i-- {
		w.points = append(w.points, down[i])
	}
	w.points, w.low, w.high = append(w.points, up...), below, above
	return w, true
}

// cells returns the points on the half grid, and one cell of unknown mass for each end. An upper
// law keeps twice the bound of that mass, a lower one leaves it out.
func (w *power) cells(h float64) (cells []cell, infinite float64) {
	cells = make([]cell, 0, len(w.points)+2)
	for i, p := range w.points {
		c := p.cell(h / 2)
		if i == 0 && w.low > 0 {
			cells = append(cells, cell{j: c.j - 1, p: w.low, eta: 1, under: true})
		}
		cells = append(cells, c)
	}
	if w.high > 0 {
		cells = append(cells, cell{j: cells[len(cells)-1].j, p: w.high, eta: 1, over: true})
	}
	return cells, w.infinite
}
