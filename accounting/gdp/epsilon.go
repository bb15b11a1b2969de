package gdp

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// EpsilonAt returns the least ε, in nats, at which µ-GDP implies (ε, δ)-differential privacy:
// DeltaAt solved for ε.
//
// mu is >= 0, delta in (0, 1). The ends of the interval differ only by rounding: log δ and its
// error bound are below log delta at the upper end, and above at the lower end.
//
// Special cases are:
//
//	mu = 0                          returns 0
//	mu = +Inf                       returns +Inf
//	delta >= DeltaAt(mu, 0)         returns 0
//
// Cost: some 20 evaluations of δ, some tens of microseconds.
func EpsilonAt(mu, delta float64) (accounting.Interval, error) {
	if err := validateMu(mu); err != nil {
		return accounting.NoEpsilon(), err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return accounting.NoEpsilon(), fmt.Errorf("gdp: %w", err)
	}
	if mu == 0 {
		return accounting.Exact(0), nil
	}
	if math.IsInf(mu*mu, 1) {
		return accounting.Exact(math.Inf(1)), nil
	}
	target := numeric.Log(delta)
	estimate := solveEpsilon(mu, target)
	step := 1e-15 * estimate
	if slope := logDeltaSlope(mu, estimate); slope < 0 {
		_, near, above := logDelta(mu, estimate)
		step -= 2 * (above - near) / slope
	}
	upper := estimate
	for s := step; !(upperLog(mu, upper) <= target); s *= 2 {
		upper = estimate + s
	}
	lower := estimate
	for s := step; lower > 0 && !(lowerLog(mu, lower) > target); s *= 2 {
		lower = math.Max(0, estimate-s)
	}
	return accounting.Certified(lower, estimate, upper), nil
}

// upperLog and lowerLog are the ends of log δ(ε), and nearLog is between them.
func upperLog(mu, epsilon float64) float64 { _, _, upper := logDelta(mu, epsilon); return upper }
func lowerLog(mu, epsilon float64) float64 { lower, _, _ := logDelta(mu, epsilon); return lower }
func nearLog(mu, epsilon float64) float64  { _, near, _ := logDelta(mu, epsilon); return near }

// solveEpsilon returns ε with log δ(ε) = target, to rounding, or 0 if log δ(0) is less. It uses
// Newton's method inside a bracket.
func solveEpsilon(mu, target float64) float64 {
	if nearLog(mu, 0) <= target {
		return 0
	}
	// δ <= Φ(-a) <= exp(-a²/2) for a >= 0, so ε = µ²/2 + µ√(2 log(1/δ)) is enough, up to rounding.
	lo, hi := 0.0, mu*mu/2+mu*math.Sqrt(-2*target)
	x := hi
	for range 200 {
		excess := nearLog(mu, x) - target
		if excess > 0 {
			lo = x
		} else {
			hi = x
		}
		next := x - excess/logDeltaSlope(mu, x)
		if math.Abs(next-x) <= 1e-9*x { // a Newton step squares the error: next is as good as rounding allows
			return math.Min(math.Max(next, lo), hi)
		}
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		x = next
	}
	return hi
}

// logDeltaSlope returns d(log δ)/dε = -e^ε Φ(-b)/δ = -φ(a) R(b)/δ; see logDelta.
func logDeltaSlope(mu, epsilon float64) float64 {
	a, b := epsilon/mu-mu/2, epsilon/mu+mu/2
	return -math.Exp(numeric.LogNormalDensity(a) + numeric.Log(numeric.MillsRatio(b)) - nearLog(mu, epsilon))
}

// MuAt returns the largest µ whose µ-GDP implies the target's (ε, δ)-differential privacy,
// rounded down. The Gaussian mechanism with noise multiplier 1/µ satisfies the target.
//
// The target must be valid by [accounting.Target.Validate].
//
// Reference: Balle and Wang (2018), arXiv:1805.06530v2, Algorithm 1 (the same search with another
// bracket).
func MuAt(target accounting.Target) (float64, error) {
	if err := target.Validate(); err != nil {
		return 0, fmt.Errorf("gdp: %w", err)
	}
	return muAt(target.Epsilon, target.Delta), nil
}

// muAt is MuAt for any ε >= 0 and δ in (0, 1).
func muAt(epsilon, delta float64) float64 {
	target := numeric.Log(delta)
	holds := func(mu float64) bool {
		return upperLog(mu, epsilon) <= target
	}
	// µ = δ always holds: δ(ε) <= δ(0) <= µ/√(2π). δ(ε) grows with µ, to 1.
	lo, hi := delta, math.Max(2*delta, 1)
	for holds(hi) {
		lo, hi = hi, 2*hi
	}
	for hi-lo > 0x1p-51*lo {
		middle := lo + (hi-lo)/2
		if middle <= lo || middle >= hi {
			break
		}
		if holds(middle) {
			lo = middle
		} else {
			hi = middle
		}
	}
	return lo
}
