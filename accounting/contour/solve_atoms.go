package contour

import (
	"math"

	"github.com/dplab/dplab/accounting/contour/internal/transform"
)

const (
	atomSlop = 1e-11 // of log δ, per step

	// The grids are tried only where they help and are fast enough.
	mostAtomSteps          = 1e6
	mostAtomParticipations = 3    // Σ T q
	leastAtomLog           = -300 // log δ: products of masses do not underflow
	leastAtomRate          = 1e-30
	mostAtomNoise          = 1e3 // its reciprocal is the least noise
	mostAtomLoss           = 600 // e^l does not overflow
	mostAtomNodes          = 2000
	atomWork               = 3e7  // pairs of atoms
	atomWidth              = 1e-4 // about the narrowest answer that the grids reach
)

// refine narrows a wide answer by the profile composed on a grid of losses. It does nothing and
// returns false if the grids do not apply, or if the answer is below other, that of the other
// direction.
func (q *question) refine(other float64) bool {
	if !(q.width() > atomWidth) || q.out.upper <= other {
		return false
	}
	var steps, participations, span, turns float64
	for _, w := range q.p.Laws {
		if w.Q < leastAtomRate || w.Sigma < 1/mostAtomNoise || w.Sigma > mostAtomNoise {
			return false
		}
		steps += w.Count
		participations += w.Count * w.Q
		span -= w.Count * math.Log1p(-w.Q)
		turns += 1.5 * (math.Log2(w.Count) + 1) // half of them are squares, at half the cost
	}
	if q.p.MuSquared > 0 || len(q.p.Laws) > mostCut || steps > mostAtomSteps || participations > mostAtomParticipations {
		return false
	}
	top := span // later steps lose at most span
	switch {
	case q.p.Dir == transform.Remove && q.forDelta:
		top += q.epsilon
	case q.p.Dir == transform.Remove:
		top += q.out.upper
	}
	if top > mostAtomLoss {
		return false
	}
	c := composer{p: q.p, top: top, nodes: int(math.Min(mostAtomNodes, math.Sqrt(atomWork/2/turns)))}
	slop := atomSlop * (steps + 100)
	if !q.forDelta {
		return q.logDelta >= leastAtomLog && q.meetEpsilon(c, slop, steps)
	}
	q.meetDelta(c, slop, steps)
	return true
}

// meetDelta intersects δ with the composed profiles. δ may be far below its known bound, and that
// bound decides which masses may be dropped. So grids of a quarter of the nodes come first.
func (q *question) meetDelta(c composer, slop, steps float64) {
	fine := c.nodes
	c.nodes /= 4
	for range 5 {
		before := q.out.upper
		if before < leastAtomLog {
			break
		}
		c.tiny = math.Exp(before-30) / mostAtomNodes / steps
		q.out.meet(c.all(false).logDelta(q.p.Dir, q.epsilon, slop), math.Min(0, c.all(true).logDelta(q.p.Dir, q.epsilon, slop)))
		if c.nodes == fine {
			break
		}
		if q.out.upper > before-5 {
			c.nodes = fine
		}
	}
	q.settle()
}

// settle puts the estimate in the middle of the interval.
func (q *question) settle() {
	q.out.estimate = q.out.upper
	if !math.IsInf(q.out.lower, -1) {
		q.out.estimate = q.out.lower + (q.out.upper-q.out.lower)/2
		q.out.fallback = false
	}
}

// meetEpsilon intersects ε with the composed profiles.
func (q *question) meetEpsilon(c composer, slop, steps float64) bool {
	c.tiny = math.Exp(q.logDelta-30) / mostAtomNodes / steps
	above, below := c.all(true), c.all(false)
	fits := func(e float64) bool { return above.logDelta(q.p.Dir, e, slop) <= q.logDelta }
	exceeds := func(e float64) bool { return below.logDelta(q.p.Dir, e, slop) >= q.logDelta }
	ceiling := q.out.upper
	lower := ceiling
	if !exceeds(ceiling) {
		lower = bisect(ceiling, func(e float64) bool { return !exceeds(e) }) * (1 - 8*transform.Unit)
	}
	if fits(ceiling) {
		q.out.most(bisect(ceiling, fits))
	}
	if exceeds(lower) {
		q.out.least(lower)
	}
	q.settle()
	return true
}

// composer composes the steps of a problem on grids up to the loss top. Atoms below tiny are
// dropped.
type composer struct {
	p         *problem
	top, tiny float64
	nodes     int
}

// all returns all steps of all phases.
func (c composer) all(above bool) atoms {
	var out atoms
	var done []transform.Phase
	for i, w := range c.p.Laws {
		one := c.grid(transform.Phase{Q: w.Q, Sigma: w.Sigma, Count: 1}).stepCells(w.Phase).atoms(above, c.tiny)
		run, count := one, 1.0
		for bit := math.Floor(math.Log2(w.Count)) - 1; bit >= 0; bit-- { // from the second highest bit down
			count *= 2
			run = c.grid(transform.Phase{Q: w.Q, Sigma: w.Sigma, Count: count}).square(run).atoms(above, c.tiny)
			if math.Mod(math.Floor(w.Count/math.Exp2(bit)), 2) == 1 {
				count++
				run = c.grid(transform.Phase{Q: w.Q, Sigma: w.Sigma, Count: count}).compose(run, one).atoms(above, c.tiny)
			}
		}
		if done = append(done, w.Phase); i == 0 {
			out = run
			continue
		}
		out = c.grid(done...).compose(out, run).atoms(above, c.tiny)
	}
	return out
}

// grid returns the grid of the given steps. It starts at the least possible loss and is finest on
// the scale of the usual small losses.
func (c composer) grid(steps ...transform.Phase) grid {
	var lo, square float64
	for _, f := range steps {
		lo += f.Count * math.Log1p(-f.Q)
		s := f.Q * math.Min(1, 1/f.Sigma)
		square += f.Count * s * s
	}
	return newGrid(lo, c.top, 0.5*math.Sqrt(square), c.nodes)
}
