package gdp

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
)

// EpsilonAt returns the least ε, in nats, for which µ-GDP implies (ε, δ)-differential
// privacy: DeltaAt solved for ε.
//
// mu is >= 0, delta in (0, 1). The ends of the interval differ by rounding only: δ is
// raised and lowered by the error bound of its own computation before solving.
//
// Special cases are:
//
//	mu = 0                          returns 0
//	mu = +Inf                       returns +Inf
//	delta >= DeltaAt(mu, 0)         returns 0
//
// Cost: about 100 evaluations of δ, some tens of microseconds.
func EpsilonAt(mu, delta float64) (accounting.Interval, error) {
	if err := ValidateMu(mu); err != nil {
		return accounting.Interval{}, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return accounting.Interval{}, fmt.Errorf("gdp: %w", err)
	}
	if math.IsInf(mu, 1) || math.IsInf(mu*mu, 1) {
		return accounting.Exact(math.Inf(1)), nil
	}
	target := math.Log(delta)
	_, upper := crossing(mu, func(epsilon float64) bool {
		return logDelta(mu, epsilon)+logDeltaError(mu, epsilon) <= target
	}, target)
	lower, _ := crossing(mu, func(epsilon float64) bool {
		return logDelta(mu, epsilon)-logDeltaError(mu, epsilon) <= target
	}, target)
	return accounting.Certified(lower, lower+(upper-lower)/2, upper), nil
}

// crossing returns neighbors lo <= hi in ε between which done turns true, to the last
// bits: done(hi) holds, done(lo) does not or lo = 0.
func crossing(mu float64, done func(epsilon float64) bool, logTarget float64) (lo, hi float64) {
	if done(0) {
		return 0, 0
	}
	// δ <= Φ(-a) <= exp(-a²/2) for a >= 0, so ε = µ²/2 + µ√(2 log(1/δ)) is enough, but
	// for rounding: doubled until it is.
	hi = mu*mu/2 + mu*math.Sqrt(-2*logTarget)
	for !done(hi) {
		lo, hi = hi, 2*hi
	}
	for hi-lo > 0x1p-51*hi {
		middle := lo + (hi-lo)/2
		if middle <= lo || middle >= hi {
			break
		}
		if done(middle) {
			hi = middle
		} else {
			lo = middle
		}
	}
	return lo, hi
}

// MuAt returns the largest µ for which µ-GDP implies (epsilon, delta)-differential
// privacy, rounded down: the Gaussian mechanism with noise multiplier 1/µ satisfies it.
//
// epsilon is >= 0 and finite, delta in (0, 1).
//
// Reference: Balle and Wang (2018), arXiv:1805.06530v2, Algorithm 1 (the same search with
// another bracket).
func MuAt(epsilon, delta float64) (float64, error) {
	if err := accounting.ValidateEpsilon(epsilon); err != nil {
		return 0, fmt.Errorf("gdp: %w", err)
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return 0, fmt.Errorf("gdp: %w", err)
	}
	target := math.Log(delta)
	holds := func(mu float64) bool {
		return logDelta(mu, epsilon)+logDeltaError(mu, epsilon) <= target
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
	return lo, nil
}
