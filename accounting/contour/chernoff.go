package contour

import "math"

// problem is one direction of a program: its moment generating function on the real line.
type problem struct {
	dir   direction
	laws  []*law
	mu2   float64
	meter *meter
}

// logM returns K(a) = Σ T K_p(a) + µ² a(a+1)/2 and a bound on its error.
func (p *problem) logM(a float64) (k, errK float64) {
	k = p.mu2 * a * (a + 1) / 2
	errK = 4 * unit * k
	for _, w := range p.laws {
		kp, ep := w.logM(p.dir, a)
		k += w.count * kp
		errK += w.count * ep
	}
	return k, errK
}

// logKappa returns log κ(a) = a log a - (1+a) log(1+a), the logarithm of
// sup_y (1-e^{-y}) e^{-ay}: the supremum is at e^{-y} = a/(1+a). κ(0) = 1.
func logKappa(a float64) float64 {
	if a == 0 {
		return 0
	}
	return -math.Log1p(a) - a*math.Log1p(1/a)
}

// point is log κ(a) + K(a), rounded up, at one a.
type point struct{ a, value float64 }

// at evaluates a point.
func (p *problem) at(a float64) point {
	if a == 0 {
		return point{}
	}
	k, errK := p.logM(a)
	lk := logKappa(a)
	v := lk + k + errK + 8*unit*(math.Abs(k)+math.Abs(lk))
	if math.IsNaN(v) {
		v = math.Inf(1)
	}
	return point{a, v}
}

// logDelta is Chernoff's bound at this a: δ(ε) <= κ(a) M(a) e^{-aε}, since
// (1-e^{-y})_+ <= κ(a) e^{ay} for every a >= 0.
func (q point) logDelta(epsilon float64) float64 {
	v := q.value - q.a*epsilon
	return math.Min(0, v+4*unit*(math.Abs(q.value)+math.Abs(q.a*epsilon)))
}

// epsilon is the same bound solved for ε.
func (q point) epsilon(logDelta float64) float64 {
	if q.a == 0 {
		return math.Inf(1)
	}
	e := (q.value - logDelta) / q.a
	return e + 4*unit*(math.Abs(q.value)+math.Abs(logDelta))/q.a
}

// chernoffEpsilon minimizes the bound of ε over a. (log κ + K - log δ)/a is quasi-convex in
// a, for its numerator is convex and positive at 0. Any a gives a valid bound, so nothing
// rests on how well the search ends. It returns the best point and all that were tried.
func (p *problem) chernoffEpsilon(logDelta, start float64) (best point, tried []point) {
	return search(p.at, func(q point) float64 { return q.epsilon(logDelta) }, start)
}

// chernoffDelta minimizes the bound of log δ over a; it is convex.
func (p *problem) chernoffDelta(epsilon, start float64) (best point, tried []point) {
	return search(p.at, func(q point) float64 { return q.value - q.a*epsilon }, start)
}

const (
	leastA = 1e-8
	mostA  = 1e15
)

// search minimizes a quasi-convex function of the points at(a): expand from start by factors until the
// minimum is bracketed, then golden sections until log a is known to 0.02.
func search(at func(float64) point, value func(point) float64, start float64) (best point, tried []point) {
	eval := func(a float64) (point, float64) {
		q := at(a)
		tried = append(tried, q)
		return q, value(q)
	}
	a := math.Min(math.Max(start, leastA), mostA)
	factor := 2.0
	mid, vm := eval(a)
	hi, vh := eval(a * factor)
	lo, vl := mid, vm
	if vh < vm { // walk up
		for vh < vm && hi.a < mostA {
			lo, vl, mid, vm = mid, vm, hi, vh
			factor = math.Min(factor*1.5, 30)
			hi, vh = eval(mid.a * factor)
		}
	} else { // walk down
		lo, vl = eval(a / factor)
		for vl <= vm && lo.a > leastA {
			hi, mid, vm = mid, lo, vl
			factor = math.Min(factor*1.5, 30)
			lo, vl = eval(mid.a / factor)
		}
	}
	best, vb := mid, vm
	x0, x1, x2 := math.Log(lo.a), math.Log(mid.a), math.Log(hi.a)
	for x2-x0 > 0.05 {
		x := x1 - 0.382*(x1-x0)
		if x2-x1 > x1-x0 {
			x = x1 + 0.382*(x2-x1)
		}
		q, v := eval(math.Exp(x))
		if v < vb {
			best, vb = q, v
		}
		switch {
		case v < vm && x > x1:
			x0, x1, vm = x1, x, v
		case v < vm:
			x2, x1, vm = x1, x, v
		case x > x1:
			x2 = x
		default:
			x0 = x
		}
	}
	return best, tried
}
