package pld

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld/internal/lossgrid"
)

// question asks for ε at logDelta, or for log δ at epsilon.
type question struct {
	logDelta, epsilon float64
	forDelta          bool
}

// answer holds ends for ε, or for log δ.
type answer struct {
	lower, upper float64
	n            int  // grid points
	capped       bool // the grid was as large as allowed
	crossed      bool // the ends of a direction crossed by more than rounding
}

// grid answers questions about one direction of a composition.
type grid struct {
	single     []mechanism // as the program lists them
	mechanisms []mechanism // with the runs composed if they can be (power)
	d          direction
	width      float64
	maxGrid    int
	question   question
	coarse     coarseCopy
	target     target
	tilt       float64 // that of Chernoff's bound, before settle lowered it
	lo, hi     float64 // window of losses
	aLow       float64
	aHigh      float64
	steps      float64
	logTail    float64
	tried      []lossgrid.Run // the last upper laws
	up         []lossgrid.Run // those of the best upper end, for the check; nil if there are none
	h          float64
}

func newGrid(mechanisms []mechanism, d direction, width float64, maxGrid int, q question) *grid {
	g := &grid{single: mechanisms, mechanisms: mechanisms, d: d, width: width, question: q, coarse: newCoarse(mechanisms, d)}
	g.maxGrid = max(1<<12, maxGrid/len(mechanisms))
	for _, f := range mechanisms {
		g.steps += f.count
	}
	if q.forDelta {
		g.target = g.coarse.atEpsilon(q.epsilon)
	} else {
		g.target = g.coarse.atDelta(q.logDelta)
	}
	g.logTail = math.Max(-700, g.target.logDelta-numeric.Log(g.steps)-22)
	g.compact()
	// Nothing narrower than width/steps is resolved. Tilts larger than this would only overflow.
	g.target.a = math.Min(g.target.a, 10*g.steps/width)
	g.tilt = g.target.a
	g.target, g.lo, g.hi, g.aLow, g.aHigh = g.coarse.settle(g.target)
	a := g.target.a
	g.lo = math.Min(g.lo, g.target.epsilon-12/(a+1))
	g.hi = math.Max(g.hi, g.target.epsilon+12/(a+1))
	return g
}

// compact composes the runs of mechanisms with two outcomes.
func (g *grid) compact() {
	if g.target.logDelta < leastPower {
		return
	}
	g.mechanisms, g.steps = slices.Clone(g.single), 0
	for i, f := range g.mechanisms {
		g.mechanisms[i], _ = f.powered(g.d, g.logTail)
		g.steps += g.mechanisms[i].count
	}
}

// Rounding may exchange two equal ends by at most crossing, relative and absolute.
const crossing = 1e-10

// maxTries bounds the number of different steps.
const maxTries = 3

// solve refines the step until the interval is as narrow as requested, or the grid is as large as
// allowed. It keeps the best ends of all tries, as each is certified. An answer whose upper end is
// at most known is not refined.
func (g *grid) solve(known float64) answer {
	best := g.withoutGrid()
	if best.upper <= known || best.upper <= best.lower {
		return best
	}
	h := g.firstStep()
	if math.IsNaN(h) || math.IsInf(h, 1) { // no step was found for the losses
		return best
	}
	if upper, ok := g.cheapBound(known, h); ok {
		return answer{lower: best.lower, upper: math.Min(best.upper, upper), n: 1}
	}
	for range maxTries {
		var capped bool
		h, capped = g.step(h)
		got := g.try(h, known)
		if got.lower > best.lower { // false for NaN
			best.lower = got.lower
		}
		if got.upper < best.upper {
			best.upper, g.up, g.h = got.upper, g.tried, h
		}
		best.n, best.capped = got.n, capped
		best.crossed = best.lower > best.upper+crossing*(1+math.Abs(best.upper))
		width := g.inEpsilon(best)
		if width <= g.width || capped || best.upper <= known {
			return best
		}
		shrink := 0.8 * math.Sqrt(g.width/width)
		if math.IsInf(width, 1) || math.IsNaN(width) {
			shrink = 0.25
		}
		h *= math.Max(0.1, math.Min(0.7, shrink))
	}
	return best
}

// withoutGrid returns the bounds that need no grid.
func (g *grid) withoutGrid() answer {
	epsilon, logRest := g.ceiling()
	if g.question.forDelta {
		best := answer{lower: math.Inf(-1)}
		if g.question.epsilon >= epsilon {
			best.upper = logRest
		}
		return best
	}
	if g.question.logDelta >= logRest {
		return answer{upper: epsilon}
	}
	return answer{upper: math.Inf(1)}
}

// cheapBound returns Chernoff's bound of a coarse discretization if it is at most known. Then the
// direction does not matter, and its grid is not needed.
func (g *grid) cheapBound(known, h float64) (upper float64, ok bool) {
	if math.IsInf(known, -1) || !g.question.forDelta && g.target.epsilon > known {
		return 0, false
	}
	h, _ = g.coarsen(h)
	for _, factor := range []float64{64, 8} {
		g.h = factor * h
		g.up, _ = g.laws(g.h)
		if upper = g.chernoff(g.up, g.h); upper <= known {
			return upper, true
		}
	}
	return 0, false
}

// inEpsilon returns the width of an answer in ε. For an answer in log δ that is about width / a, as
// the tilt a is the slope of log δ. Atoms can make the slope flatter.
func (g *grid) inEpsilon(a answer) float64 {
	if a.upper == a.lower {
		return 0
	}
	if g.question.forDelta {
		return (a.upper - a.lower) / math.Min(20, math.Max(g.target.a, 1))
	}
	return a.upper - a.lower
}

// laws returns the upper and the lower law of each mechanism at step h.
func (g *grid) laws(h float64) (up, low []lossgrid.Run) {
	for _, f := range g.mechanisms {
		cells, infinite := f.halfCells(g.d, h, g.logTail)
		more := 0.0
		if f.power != nil {
			more = f.power.edge
		}
		up = append(up, lossgrid.NewRun(pessimistic(cells, infinite, h), f.count, more, h))
		low = append(low, lossgrid.NewRun(f.lower(cells, infinite, h), f.count, more, h))
	}
	return up, low
}

// try composes both discretizations at step h.
func (g *grid) try(h, known float64) answer {
	up, low := g.laws(h)
	g.tried = up
	out := answer{lower: math.Inf(-1), upper: g.chernoff(up, h)}
	if out.upper <= known {
		return out
	}
	first, n := g.span(h)
	out.n = n
	upper := g.profile(up, h, first, n, true)
	lower := g.profile(low, h, first, n, false)
	if g.question.forDelta {
		out.upper = math.Min(out.upper, upper.LogDeltaAt(g.question.epsilon))
		out.lower = lower.LogDeltaAt(g.question.epsilon)
	} else {
		out.upper = math.Min(out.upper, upper.EpsilonAt(g.question.logDelta))
		out.lower = lower.EpsilonAt(g.question.logDelta)
	}
	return out
}

// span returns the first point of a grid of step h, and the number of points.
func (g *grid) span(h float64) (first, n int) {
	pad := 8*h + math.Min(2*h*math.Sqrt(g.steps), (g.hi-g.lo)/10)
	first = int(math.Floor((g.lo - pad) / h))
	return first, fastSize(int(math.Ceil((g.hi+pad)/h)) - first + 1)
}

func (g *grid) profile(runs []lossgrid.Run, h float64, first, n int, upper bool) *lossgrid.Profile {
	w := lossgrid.Window{Step: h, Tilt: g.target.a, Low: g.aLow, High: g.aHigh, First: first, Points: n}
	return w.Profile(runs, g.target.epsilon, upper)
}

// chernoff returns the bound δ <= κ(a) E e^{a(S-ε)} + P(infinite) of the pessimistic law, solved
// for the unknown.
func (g *grid) chernoff(up []lossgrid.Run, h float64) float64 {
	a := g.target.a
	total := lossgrid.LogKappa(a)
	slack, infinite := 0.0, 0.0
	for _, r := range up {
		logM := r.LogM(a, h)
		total += r.Count * logM
		slack += r.Count * 16 * unit * (1 + math.Abs(logM) + a*h*(math.Abs(float64(r.First))+float64(len(r.P))))
		infinite += r.Count * r.Infinite
	}
	total += slack
	if g.question.forDelta {
		return math.Min(0, numeric.Log(math.Exp(total-a*g.question.epsilon)+infinite)+4*unit)
	}
	left := -math.Expm1(numeric.Log(infinite) - g.question.logDelta)
	if !(left > 0) {
		return math.Inf(1)
	}
	return math.Max(0, (total-g.question.logDelta-numeric.Log(left))/a+slack/math.Max(a, 1))
}
