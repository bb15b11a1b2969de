package numeric

import "math"

// LeastTrue gives up at MaxLeastTrue and returns +Inf.
const MaxLeastTrue = 1e9

// LeastTrue returns the upper end of a bracket of the least x in [0, MaxLeastTrue] where ok holds.
// ok holds at the result. ok must stay true once it is. Without such an x the result is +Inf.
// tolerance is the relative width of the bracket. The search doubles x from 1e-3, then halves.
func LeastTrue(tolerance float64, ok func(x float64) bool) float64 {
	_, hi := Bracket(tolerance, ok)
	return hi
}

// Bracket returns both ends of the bracket of LeastTrue. ok does not hold at the lower one, unless
// that is 0.
func Bracket(tolerance float64, ok func(x float64) bool) (lo, hi float64) {
	if ok(0) {
		return 0, 0
	}
	hi = 1e-3
	for !ok(hi) {
		if hi > MaxLeastTrue {
			return hi, math.Inf(1)
		}
		lo, hi = hi, 2*hi
	}
	for range 200 {
		mid := lo + (hi-lo)/2
		if hi-lo <= tolerance*hi || mid <= lo || mid >= hi {
			break
		}
		if ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo, hi
}

// GoldenMinimum returns the least value of f found by a golden-section search on [a, b].
func GoldenMinimum(f func(float64) float64, a, b float64, steps int) float64 {
	const ratio = 0.6180339887498949 // (√5-1)/2
	left, right := b-ratio*(b-a), a+ratio*(b-a)
	fLeft, fRight := f(left), f(right)
	best := math.Min(f(a), math.Min(fLeft, fRight))
	for range steps {
		if fLeft <= fRight {
			b, right, fRight = right, left, fLeft
			left = b - ratio*(b-a)
			fLeft = f(left)
		} else {
			a, left, fLeft = left, right, fRight
			right = a + ratio*(b-a)
			fRight = f(right)
		}
		best = math.Min(best, math.Min(fLeft, fRight))
	}
	return best
}

// TurnsDown reports whether the point v is above the line from u to w by more than rounding. Then v
// is not a corner of the lower convex hull of the three. Points are (x, y), with x increasing. The
// test uses the share of the way from u to w. A product of two differences would underflow for y
// below 1e-154.
func TurnsDown(u, v, w [2]float64) bool {
	share := (v[0] - u[0]) / (w[0] - u[0])
	return v[1]-u[1] > share*(w[1]-u[1])+1e-15*(v[1]+share*w[1])
}
