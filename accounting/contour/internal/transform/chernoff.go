package transform

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// MGF is the moment generating function of some steps in one direction, on the real line.
type MGF struct {
	Dir       Direction
	Laws      []*Law
	MuSquared float64
	Meter     *Meter
}

// logM returns K(a) = Σ T K_p(a) + µ² a(a+1)/2 and a bound on its error.
func (p *MGF) logM(a float64) (k, errK float64) {
	k = p.MuSquared * a * (a + 1) / 2
	errK = 4 * Unit * k
	for _, w := range p.Laws {
		kp, ep := w.logM(p.Dir, a)
		k += w.Count * kp
		errK += w.Count * ep
	}
	return k, errK
}

// LogKappa returns log κ(a) = a log a - (1+a) log(1+a). κ(a) is sup_y (1-e^{-y}) e^{-ay}, reached
// at e^{-y} = a/(1+a); κ(0) = 1.
func LogKappa(a float64) float64 {
	if a == 0 {
		return 0
	}
	return -math.Log1p(a) - a*math.Log1p(1/a)
}

// Point is log κ(a) + K(a), rounded up, at one a.
type Point struct{ A, Value float64 }

// At evaluates a point.
func (p *MGF) At(a float64) Point {
	if a == 0 {
		return Point{}
	}
	k, errK := p.logM(a)
	lk := LogKappa(a)
	v := lk + k + errK + 8*Unit*(math.Abs(k)+math.Abs(lk))
	if math.IsNaN(v) {
		v = math.Inf(1)
	}
	return Point{a, v}
}

// LogDelta returns Chernoff's bound at this a: δ(ε) <= κ(a) M(a) e^{-aε}, since (1-e^{-y})_+ <=
// κ(a) e^{ay} for every a >= 0.
func (q Point) LogDelta(epsilon float64) float64 {
	v := q.Value - q.A*epsilon
	return math.Min(0, v+4*Unit*(math.Abs(q.Value)+math.Abs(q.A*epsilon)))
}

// Epsilon returns the same bound solved for ε.
func (q Point) Epsilon(logDelta float64) float64 {
	if q.A == 0 {
		return math.Inf(1)
	}
	e := (q.Value - logDelta) / q.A
	return e + 4*Unit*(math.Abs(q.Value)+math.Abs(logDelta))/q.A
}

// ChernoffEpsilon minimizes the bound of ε over a. It returns the best point and all points tried.
// (log κ + K - log δ)/a is quasi-convex in a, as its numerator is convex and positive at 0. Any a
// gives a valid bound, so the search may end anywhere.
func (p *MGF) ChernoffEpsilon(logDelta, start float64) (best Point, tried []Point) {
	return Search(p.At, func(q Point) float64 { return q.Epsilon(logDelta) }, start)
}

// ChernoffDelta minimizes the bound of log δ over a. That bound is convex.
func (p *MGF) ChernoffDelta(epsilon, start float64) (best Point, tried []Point) {
	return Search(p.At, func(q Point) float64 { return q.Value - q.A*epsilon }, start)
}

const (
	leastA = 1e-8
	mostA  = 1e15
)

// Search minimizes a quasi-convex function of the points at(a). It expands from start by factors
// until the minimum is bracketed. Golden sections follow until log a is known to 0.02.
func Search(at func(float64) Point, value func(Point) float64, start float64) (best Point, tried []Point) {
	eval := func(a float64) (Point, float64) {
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
		for vh < vm && hi.A < mostA {
			lo, vl, mid, vm = mid, vm, hi, vh
			factor = math.Min(factor*1.5, 30)
			hi, vh = eval(mid.A * factor)
		}
	} else { // walk down
		lo, vl = eval(a / factor)
		for vl <= vm && lo.A > leastA {
			hi, mid, vm = mid, lo, vl
			factor = math.Min(factor*1.5, 30)
			lo, vl = eval(mid.A / factor)
		}
	}
	best, vb := mid, vm
	x0, x1, x2 := numeric.Log(lo.A), numeric.Log(mid.A), numeric.Log(hi.A)
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
