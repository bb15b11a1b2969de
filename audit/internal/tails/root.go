package tails

// LastBelow returns the largest x in [lo, hi] with f(x) <= level, to within tol, for an
// f that grows. The x returned is one at which f was evaluated and found to be <= level
// (lo if there is none). ok is false if f(hi) <= level: the root lies beyond hi.
//
// The search is regula falsi with the Illinois weight, and a bisection whenever three
// steps did not halve the bracket.
func LastBelow(f func(float64) float64, level, lo, hi, tol float64) (x float64, ok bool) {
	fhi := f(hi) - level
	if fhi <= 0 {
		return hi, false
	}
	flo := f(lo) - level
	if flo > 0 {
		return lo, true
	}
	side, width := 0, hi-lo
	for i := 0; hi-lo > tol && i < 200; i++ {
		x := hi - fhi*(hi-lo)/(fhi-flo)
		if i%3 == 2 && hi-lo > width/2 || !(x > lo && x < hi) {
			x = lo + (hi-lo)/2
		}
		if i%3 == 2 {
			width = hi - lo
		}
		if y := f(x) - level; y > 0 {
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
	return lo, true
}

// Grow returns the first of start, 2 start, 4 start, ... at which f is above level, or
// limit.
func Grow(f func(float64) float64, level, start, limit float64) float64 {
	for x := start; x < limit; x *= 2 {
		if f(x) > level {
			return x
		}
	}
	return limit
}

// FirstTrue returns the least i in [0, n) with ok(i), for an ok that turns true once, or n.
func FirstTrue(n int, ok func(int) bool) int {
	lo, hi := 0, n
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if ok(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// AboutFirst returns an n with ok(n), for an ok that turns true once, to within 1 % of the
// least from 2 on; limit and false if not even limit is one.
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
