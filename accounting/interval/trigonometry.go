package interval

import "math"

// Sin returns sin a. It returns [-1, 1] if a is wider than about 0.4, or if a has a member beyond
// about 2.6e7.
func (a I) Sin() I { return a.turned(0) }

// Cos returns cos a, with the limits of [I.Sin].
func (a I) Cos() I { return a.turned(1) }

// Pi returns an interval around π.
func Pi() I { return I{math.Pi, 0x1.921fb54442d19p+1} }

// π/2 is halfPiHigh + halfPiLow. halfPiHigh has 29 bits, and its last one is 2^-28.
const halfPiHigh = 0x1.921fb54p+0

var halfPiLow = I{0x1.10b4611a62633p-30, 0x1.10b4611a62634p-30}

const mostTurns = 1 << 24

// turned returns sin(a + quarters·π/2).
//
// Let k be the integer that is nearest to the middle of a, divided by π/2. The members of a are r +
// k π/2 with r in a - k·halfPiHigh - k·halfPiLow.
//
// For an end x of a, d = x - k·halfPiHigh has no rounding error, if k is not 0 and r is accepted,
// that is, within [-1, 1].
//
// Proof. k·halfPiHigh has at most 53 bits and is a multiple of 2^-28. |d| < 1.02, as |k·halfPiLow|
// < 0.02. If |x| >= 1, x is a multiple of 2^-52. So is d, and such numbers below 2 are float64s. If
// |x| < 1, then |k| = 1 and |x| > 1/2, so d is a multiple of 2^-53. It has the sign of -k, as r
// has, so |d| = |r| - halfPiLow < 1. Such numbers below 1 are float64s. ∎
//
// So r is wider than a by some units in the last place of r, and by k·2^-82.
func (a I) turned(quarters int) I {
	k := math.RoundToEven((a.Lo + (a.Hi-a.Lo)/2) * (2 / math.Pi))
	if !(math.Abs(k) <= mostTurns) {
		return I{-1, 1}
	}
	r := a
	if k != 0 {
		high := float64(k * halfPiHigh)
		r = I{a.Lo - high, a.Hi - high}
		r = r.Sub(Of(k).Mul(halfPiLow))
	}
	if !(r.Lo >= -1 && r.Hi <= 1) {
		return I{-1, 1}
	}
	switch (int(k) + quarters) & 3 {
	case 0:
		return sin(r)
	case 1:
		return cos(r)
	case 2:
		return sin(r).Neg()
	}
	return cos(r).Neg()
}

// sin returns sin a, for a within [-1, 1], where it rises.
func sin(a I) I { return widened(math.Sin(a.Lo), math.Sin(a.Hi)) }

// cos returns cos a, for a within [-1, 1], where it falls with the distance from 0.
func cos(a I) I {
	lo, hi := math.Cos(a.Lo), math.Cos(a.Hi)
	r := widened(min(lo, hi), max(lo, hi))
	if a.Lo <= 0 && a.Hi >= 0 {
		r.Hi = 1
	}
	r.Hi = min(1, r.Hi)
	return r
}
