package pld

import "math"

// firstStep predicts the step for the width. Spreading and merging add h²/6 and h²/12 a run to the
// variance of the loss, and ε moves by (a+1/2)/2 times that. The result checks the prediction.
func (g *grid) firstStep() float64 {
	h := math.Sqrt(4 * g.width / ((g.tilt + 0.5) * g.steps))
	if n := g.onPoints(); n > 0 {
		h = math.Min(h, 0.6*g.width/n)
	}
	// A run moves by less than a step, so no step below width/steps is needed.
	return math.Max(0.4*g.width/g.steps, math.Min((g.hi-g.lo)/256, math.Max(h, (g.hi-g.lo)/(1<<17))))
}

// onPoints returns the number of mechanisms on points. Their errors do not average out, and each
// costs up to a step.
func (g *grid) onPoints() (n float64) {
	for _, f := range g.mechanisms {
		if f.base.reach() == 0 && f.count == 1 {
			n++
		}
	}
	return n
}

// align lowers h to put a loss with much mass on the grid. It takes the mechanism with the most
// runs. The loss is its largest point loss, since merging cannot keep an isolated top atom between
// grid points. Without one it is ∓log(1-q), where the losses of samples without the example gather.
func (g *grid) align(h float64) float64 {
	top, weight := 0.0, 0.0
	for _, f := range g.single {
		if _, smooth := f.base.(attackBase); smooth {
			continue
		}
		for _, a := range f.base.points() {
			l := f.pointLoss(a, g.d)
			if l > 0 && !math.IsInf(l, 1) && (f.count > weight || f.count == weight && l > top) {
				top, weight = l, f.count
			}
		}
		if l := -math.Log1p(-f.rate); f.rate < 1 && !f.fixedSize && f.count > weight {
			top, weight = l, f.count
		}
	}
	if !(top > h/2) || top/h > 1e9 {
		return h
	}
	return top / math.Ceil(top/h)
}

// step returns the step that is used for h. capped reports that the largest grid allows no smaller
// one.
func (g *grid) step(h float64) (used float64, capped bool) {
	used, capped = g.coarsen(h)
	if aligned := g.align(used); aligned*float64(g.maxGrid) > g.hi-g.lo {
		used = aligned
	}
	return used, capped
}

// coarsen raises h until window and single runs fit the largest grid allowed.
func (g *grid) coarsen(h float64) (float64, bool) {
	need := g.hi - g.lo
	for _, f := range g.mechanisms {
		lo, hi := f.lossRange(g.d, g.logTail)
		need = math.Max(need, (hi-lo)/2)
	}
	least := math.Max(need/float64(g.maxGrid)*1.25, 0.1*g.width/g.steps)
	if h <= least*(1+1e-9) {
		return least, true
	}
	return h, false
}

// lossRange returns the approximate range of the losses of one run.
func (f mechanism) lossRange(d direction, logTail float64) (lo, hi float64) {
	if w := f.power; w != nil {
		return w.points[0].loss, w.points[len(w.points)-1].loss
	}
	if b, ok := f.base.(whole); ok {
		return b.ownRange(f, d, logTail)
	}
	if f.fixedSize {
		f.fixedSize = false
		_, hi = f.lossRange(remove, logTail)
		return -hi, hi
	}
	if a, b, ok := f.base.line(logTail); ok {
		lo, hi = f.sampledLoss(f.base.loss(a)), f.sampledLoss(f.base.loss(b))
		if d == add {
			lo, hi = -hi, -lo
		}
	}
	points := f.base.points()
	if b, ok := f.base.(attackBase); ok {
		points = b.within(d, logTail)
	}
	for _, a := range points {
		if l := f.pointLoss(a, d); !math.IsInf(l, 0) {
			lo, hi = math.Min(lo, l), math.Max(hi, l)
		}
	}
	return lo, hi
}

// fastSize returns the least n >= least of the form 2^k, 3·2^k or 5·2^k.
func fastSize(least int) int {
	n := 1 << 10
	for n < least {
		n *= 2
	}
	for _, m := range []int{n / 8 * 5, n / 4 * 3} {
		if m >= least {
			return m
		}
	}
	return n
}
