package lineintegral

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// node is a point of the real line, with the loss, the logarithm of the tilted density e^{αl}ρ, and
// that of q over the posterior σ² l'.
type node struct{ v, loss, tilted, slope I }

// realLine is the tilted law of one phase at a real a, on the points x_k = k·step.
type realLine struct {
	law
	dir   direction
	a     float64
	alpha I
	step  float64
	first int
	nodes []node
	scale float64 // a guess of log M(a)
	m     I       // M(a) e^-scale
}

// Numbers of nodes and points are capped; a question that needs more is not checked.
const mostNodes = 1 << 14

// precision chooses the points: their distance over σ, and the logarithm of the mass beyond,
// negated. Without layers, large a need no closer points.
type precision struct {
	step, tail float64
	layers     bool
}

var fine, coarse = precision{0.25, 38, true}, precision{0.5, 25, true}

// LogMoment returns log M(a) of one step in the remove direction, which is the larger one (Mironov,
// Talwar and Zhang 2019, arXiv:1908.10530v1, Theorem 5), and for a replaced record that of both.
// The upper end is near, by about 1e-14. There are not always enough nodes.
func LogMoment(f Phase, replaced bool, a float64) (log I, nodes int, ok bool) {
	if !(f.Rate > 0 && f.Rate < 1 && f.Noise > 1e-100 && f.Noise < 1e100 && a > 0) {
		return I{}, 0, false
	}
	for step := min(0.25, 0.45*f.Noise); ; step /= 2 {
		r, fits := newRealLine(Program{Replaced: replaced}.law(f), remove, a, precision{step: step, tail: 38})
		if fits {
			log, nodes, ok = r.logM(), len(r.nodes), true
		}
		if !fits || log.Hi-log.Lo <= 1e-11*(1+log.Hi) { // the error of the rule is small
			return log, nodes, ok
		}
	}
}

// newRealLine returns the tilted law. ok is false if the bound on M would be useless.
//
// The trapezoid rule. The integrand e^{αl}ρ is analytic for |Im x| < πσ². On Im x = ±y, with θ =
// y/σ², its size is at most e^{y²/2σ²} G times its value at Re x. In the remove direction G = 1,
// as |1-q+q e^{v+iθ}| <= e^l. In the add direction G = cos(θ/2)^-a, as
//
//	|1-q+q e^{v+iθ}|² = e^{2l} (1 - 4r(1-r) sin²(θ/2)) >= e^{2l} cos²(θ/2),  r = q e^{v-l}.
//
// So the rule errs by at most E M(a), with E = 2 e^{y²/2σ²} G/(e^{2πy/step}-1) (Trefethen and
// Weideman 2014, Theorem 5.1). M(a) lies between the sum divided by 1+E and by 1-E. For a trimmed
// law see edge, and for that of a replaced record replaced.go.
func newRealLine(w law, d direction, a float64, p precision) (r realLine, ok bool) {
	r = realLine{law: w, dir: d, a: a, alpha: d.order(a)}
	s2 := w.Noise * w.Noise
	bend := max(0, (a+1)/4/s2-1) / s2
	if w.replaced {
		bend = max(0, ((a+1)/4+slopeBend)/s2-1) / s2
	}
	if r.step = w.Noise * p.step; p.layers {
		r.step = min(r.step, math.Sqrt(0.4/bend))
	}
	if w.cut.some() {
		r.step = min(r.step, 0.14*w.cut.Width)
	}
	r.step = exact(r.step)
	from, to, ok := w.points(d, a, p.tail, r.step)
	if !ok {
		return r, false
	}
	r.first = from
	top := math.Inf(-1)
	for k := from; k <= to; k++ {
		x := float64(k) * r.step
		n := w.node(d, a, x)
		if w.cut.some() {
			n.tilted = n.tilted.Sub(w.cut.rise(x))
		}
		top = max(top, n.tilted.Hi)
		r.nodes = append(r.nodes, n)
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return r, false
	}
	r.scale = top
	var sum interval.Sum
	for _, n := range r.nodes {
		sum.Add(n.tilted.Sub(interval.Of(top)).Exp())
	}
	total := sum.I().Mul(interval.Of(r.step))
	low, high := float64(from)*r.step, float64(to)*r.step
	ends := w.leftOut(d, a, low, high, r.step, I{}, newAngle(I{}), one, 0, top)
	total = total.Add(I{Lo: 0, Hi: ends})
	if w.cut.some() {
		y := 1.2 * w.cut.Width
		if !(y < 3*s2) { // the strip ends at πσ²
			return r, false
		}
		error := r.edge(y).Mul(interval.Of(2)).Div(r.periods(y)).Hi
		total = total.Add(I{Lo: -error, Hi: error})
	} else {
		error := r.relativeError()
		if !(error < 0.5) {
			return r, false
		}
		total = total.Div(one.Add(I{Lo: -error, Hi: error}))
	}
	if !(total.Lo > 0) {
		return r, false
	}
	r.scale = top + numeric.Log(total.Hi)
	r.m = total.Mul(interval.Of(top).Sub(interval.Of(r.scale)).Exp())
	return r, r.m.Lo > 0.25 && r.m.Hi < 4
}

// relativeError returns the least E over some y.
func (r realLine) relativeError() float64 {
	least := math.Inf(1)
	for _, f := range [...]float64{1, 0.6, 0.35, 0.2, 0.1, 0.05} {
		y := f * min(4*r.Noise, 0.9*math.Pi*r.Noise*r.Noise)
		theta := interval.Of(y).Div(r.square)
		up := interval.Of(y).Mul(theta).Mul(half)
		switch {
		case r.replaced:
			up = up.Add(r.logGrowth(newAngle(theta)))
		case r.dir == add:
			up = up.Sub(interval.Of(r.a).Mul(theta.Mul(half).Cos().Log()))
		}
		least = min(least, up.Exp().Mul(interval.Of(2)).Div(r.periods(y)).Hi)
	}
	return least
}

// periods returns e^{2πy/step} - 1.
func (r realLine) periods(y float64) I {
	return interval.Of(y).Mul(interval.Pi()).Mul(interval.Of(2)).Div(interval.Of(r.step)).Expm1()
}

// points returns the first and the last point of a trapezoid sum over the tilted law.
func (w law) points(d direction, a, tail, step float64) (from, to int, ok bool) {
	lo, hi := w.window(d, a, tail)
	lo, hi = math.Floor(lo/step), math.Ceil(hi/step)
	if !(hi-lo < mostNodes) || !(math.Abs(lo) < 1<<26 && hi < 1<<26) {
		return 0, 0, false
	}
	return int(lo), int(hi), true
}

// logM returns log M(a).
func (r realLine) logM() I { return interval.Of(r.scale).Add(r.m.Log()) }

// exact rounds a step down to 20 bits. Its multiples up to 2^26 then have no rounding error.
func exact(step float64) float64 {
	fraction, exponent := math.Frexp(step)
	return math.Ldexp(math.Floor(fraction*(1<<20)), exponent-20)
}

// node returns a point.
func (w law) node(d direction, a, x float64) node {
	v := w.exponent(x)
	l := w.loss(v)
	n := node{v: v, loss: l, slope: l.Sub(v)}
	if w.replaced {
		other := w.exponent(-x)
		m := w.loss(other)
		n.loss, n.slope = l.Sub(m), logOfSum(v.Sub(l), other.Sub(m)).Neg()
	}
	n.tilted = w.tilt(d, a, x).Add(w.logDensity(x))
	return n
}

// tilt returns αl at x, and (a+1) l(x) - a l(-x) for a replaced record.
func (w law) tilt(d direction, a, x float64) I {
	l := d.order(a).Mul(w.loss(w.exponent(x)))
	if w.replaced {
		l = l.Sub(interval.Of(a).Mul(w.loss(w.exponent(-x))))
	}
	return l
}

// logGrowth returns the logarithm of the growth G of a replaced record: see replaced.go.
func (r realLine) logGrowth(a angle) I {
	log := logTurned(r.a, a)
	if a.cos.Lo >= 0 {
		if flat := interval.Of(r.a).Mul(r.rest.Log()).Neg(); flat.Hi < log.Hi {
			return flat
		}
	}
	return log
}

// logTurned returns the logarithm of cos(θ/2)^-c, with cos²(θ/2) = (1+cos θ)/2.
func logTurned(c float64, a angle) I {
	return interval.Of(c).Mul(a.cos.Add(one).Mul(half).Positive().Log()).Mul(half).Neg()
}

// window returns where the tilted law has its mass. Any choice gives a valid bound.
func (w law) window(d direction, a, tail float64) (lo, hi float64) {
	reach := w.Noise * math.Sqrt(2*tail)
	if d == remove {
		top := a + 1 + reach
		if w.replaced {
			top += a * w.rate.Hi
		}
		if w.cut.some() {
			return -reach, min(top, w.cut.end(w.Phase, a+1, tail))
		}
		return -reach, top
	}
	low, high := -a, 0.0 // the lowest hump solves x = -a r(x)
	for range 50 {
		mid := (low + high) / 2
		v := (2*mid - 1) / (2 * w.Noise * w.Noise)
		if mid < -a/(1+(1-w.Rate)/w.Rate*math.Exp(-v)) {
			low = mid
		} else {
			high = mid
		}
	}
	return low - reach, reach
}

// leftOut bounds the sizes of the terms of a trapezoid sum below the point lo and above hi, times
// e^-scale. The points are shifted by b in the imaginary direction, lift = b²/2σ², and a holds
// the angle b/σ². bend is cos(b/width) for a trimmed law. Above hi, the losses are those at x +
// ahead.
//
// The size of a term is at most G step e^{lift + αl}ρ, with G as in newRealLine. Its logarithm
// falls outward with a slope of at least that at the end:
//
//	remove  (x-α)/σ² above, |x|/σ² below, since 0 <= l' <= 1/σ²
//	add     x/σ² above, (|x| - a r(x))/σ² below, since r rises
//	add     with e^{-al} <= (1-q)^-a instead of G: |x|/σ². It needs cos θ >= 0.
//	trimmed (x-α)/σ² + e^u bend/width above, u = (x-x0)/width, as |g| = exp(-e^u bend)
//
// A replaced record has the slopes of the remove direction, less a r(-x)/σ² above. G is as in the
// add direction.
func (w law) leftOut(d direction, c, lo, hi, step float64, lift I, a angle, bend I, ahead, scale float64) float64 {
	log := lift.Add(interval.Of(step).Log()).Sub(interval.Of(scale))
	term := func(x float64, exponent, slope I) float64 { // slope times σ²
		if !(slope.Lo > 0) {
			return math.Inf(1)
		}
		size := log.Add(w.logDensity(x)).Add(exponent).Exp()
		return size.Div(slope.Mul(interval.Of(step)).Div(w.square).Expm1()).Hi
	}
	order := d.order(c)
	below, above := w.tilt(d, c, lo), w.tilt(d, c, hi+ahead)
	if w.replaced {
		growth := logTurned(c, a)
		below, above = below.Add(growth), above.Add(growth)
		order = order.Add(interval.Of(c).Mul(w.posterior(-hi)))
	}
	if d == remove && w.cut.some() {
		rise := w.cut.rise(hi).Mul(bend)
		slope := interval.Of(hi).Sub(order).Add(rise.Mul(w.square).Div(interval.Of(w.cut.Width)))
		return interval.Up(term(lo, below, interval.Of(-lo)) + term(hi, above.Sub(rise), slope))
	}
	if d == remove {
		return interval.Up(term(lo, below, interval.Of(-lo)) + term(hi, above, interval.Of(hi).Sub(order)))
	}
	logGrowth := logTurned(c, a)
	left := term(lo, below.Add(logGrowth), interval.Of(-lo).Sub(interval.Of(c).Mul(w.posterior(lo))))
	right := term(hi, above.Add(logGrowth), interval.Of(hi))
	if a.cos.Lo >= 0 {
		flat := order.Mul(w.rest.Log())
		left = min(left, term(lo, flat, interval.Of(-lo)))
		right = min(right, term(hi, flat, interval.Of(hi)))
	}
	return interval.Up(left + right)
}

// posterior returns r = q e^{v-l} at x.
func (w law) posterior(x float64) I {
	v := w.exponent(x)
	return w.logRate.Add(v).Sub(w.loss(v)).Exp()
}
