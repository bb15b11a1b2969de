package accounting

import "math"

// end is a value of the parameter, and log(ε/target) there.
type end struct{ x, miss float64 }

func (e end) meets() bool { return e.miss <= 0 }

// overshoot is how far beyond the root of the secant the next point is put, as a share of the
// step: then both ends of the bracket close in.
const overshoot = 0.05

// closeIn narrows a bracket to CalibrationTolerance and returns its private end, by secants of
// log ε against log x, which is nearly straight. Where two steps in a row do not halve the bracket,
// or a secant leaves it, it is bisected.
//
// Invariant: private meets the target; public does not, or equals private. Nothing else is
// assumed of the accountant.
func closeIn(at func(float64) (end, error), private, public end) (float64, error) {
	near, other := private, public // the two last points, the one with the smaller miss first
	for slow := 0; math.Abs(private.x-public.x) > CalibrationTolerance*math.Min(private.x, public.x); {
		p, q := math.Log(private.x), math.Log(public.x)
		u, ok := beyond(near, other)
		if lo, hi := math.Min(p, q), math.Max(p, q); !ok || slow >= 2 || !(u > lo && u < hi) {
			u, slow = p+(q-p)/2, 0
		}
		middle, err := at(math.Exp(u))
		if err != nil {
			return 0, err
		}
		if middle.meets() {
			private = middle
		} else {
			public = middle
		}
		if math.Abs(math.Log(private.x)-math.Log(public.x)) > math.Abs(p-q)/2 {
			slow++
		}
		if near, other = middle, near; math.Abs(other.miss) < math.Abs(near.miss) {
			near, other = other, near
		}
	}
	return private.x, nil
}

// beyond returns log x a little on the far side, seen from near, of the root of the secant; ok is
// false if there is none.
func beyond(near, other end) (u float64, ok bool) {
	a, b := math.Log(near.x), math.Log(other.x)
	step := -near.miss * (b - a) / (other.miss - near.miss)
	if math.IsNaN(step) || math.IsInf(step, 0) {
		return 0, false
	}
	return a + step*(1+overshoot) + math.Copysign(0.4*CalibrationTolerance, step), true
}
