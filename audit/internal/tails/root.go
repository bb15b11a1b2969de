package tails

import "sort"

// LastBelow returns the largest x in [lo, hi] with f(x) <= level, to within tol, for an f that
// grows. f was evaluated at the returned x and found to be <= level; x is lo without such a point.
// ok is false if f(hi) <= level: the root lies beyond hi.
//
// The search is regula falsi with the Illinois weight. It bisects whenever three steps did not
// halve the bracket.
func LastBelow(f func(float64) float64, level, lo, hi, tol float64) (x float64, ok bool) {
	above := func(x float64) float64 { return f(x) - level }
	fhi := above(hi)
	if fhi <= 0 {
		return hi, false
	}
	flo := above(lo)
	if flo > 0 {
		return lo, true
	}
	return between(above, lo, hi, flo, fhi, tol), true
}

// LastBelowFrom is LastBelow without a known upper end below limit. It tries f at lo, lo+step, lo+2
// step, lo+4 step, ... until f is above the level. It evaluates f once at each x, and searches
// between the last two.
func LastBelowFrom(f func(float64) float64, level, lo, step, limit, tol float64) (x float64, ok bool) {
	above := func(x float64) float64 { return f(x) - level }
	last, flast := lo, above(lo)
	if flast > 0 {
		return lo, true
	}
	for last < limit {
		x := min(lo+step, limit)
		fx := above(x)
		if fx > 0 {
			return between(above, last, x, flast, fx, tol), true
		}
		last, flast, step = x, fx, 2*step
	}
	return last, false
}

// between is the search of LastBelow for the last x with f(x) <= 0. f is flo <= 0 at lo and fhi > 0
// at hi.
func between(f func(float64) float64, lo, hi, flo, fhi, tol float64) float64 {
	side, width := 0, hi-lo
	for i := 0; hi-lo > tol && i < 200; i++ {
		x := hi - fhi*(hi-lo)/(fhi-flo)
		if i%3 == 2 && hi-lo > width/2 || !(x > lo && x < hi) {
			x = lo + (hi-lo)/2
		}
		if i%3 == 2 {
			width = hi - lo
		}
		if y := f(x); y > 0 {
			hi, fhi = x, y
			if side == 1 {
				flo /= 2
			}
			side = 1
		} else {
			lo, flo = x, y
			if side == -1 {
				fhi /= 2
			}
			side = -1
		}
	}
	return lo
}

// First returns the least n in [1, limit] with ok(n), for an ok that turns true once. It asks for
// no n above twice the least. found is false if ok(limit) is false.
func First(limit int, ok func(int) bool) (n int, found bool) {
	hi := 1
	for !ok(hi) {
		if hi >= limit {
			return limit, false
		}
		hi = min(2*hi, limit)
	}
	low := hi / 2 // not ok, or 0
	return low + 1 + sort.Search(hi-low-1, func(i int) bool { return ok(low + 1 + i) }), true
}

// AboutFirst returns an n with ok(n), for an ok that turns true once. n is within 1 % of the least
// from 2 on. It returns limit and false if ok(limit) is false.
func AboutFirst(limit int, ok func(int) bool) (n int, found bool) {
	hi := 4
	for !ok(hi) {
		if hi >= limit {
			return hi, false
		}
		hi = min(4*hi, limit)
	}
	lo := hi / 4
	for hi-lo > max(1, hi/100) {
		if mid := lo + (hi-lo)/2; ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, true
}
