package exact

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// ErrNotMonotone is returned where the best test is not a threshold on θ.
var ErrNotMonotone = errors.New("exact: the likelihood ratio is not monotone in θ (drift toward the threshold)")

// DeltaAt returns the least δ at which the final parameter is (ε, δ)-private, in either direction
// between the worlds:
//
//	δ(ε) = ∫ (p_1 - e^ε p_0)_+
//
// epsilon is >= 0 and at most 30. Both directions are equal by symmetry.
func (l Law) DeltaAt(epsilon float64) (accounting.Interval, error) {
	if err := check.Between(0, maxEpsilon).OfAnySize().Of("exact: epsilon", epsilon); err != nil {
		return accounting.NoDelta(), err
	}
	return interval(l.delta(epsilon)), nil
}

// TotalVariation returns the greatest advantage TPR - FPR of any test on the final
// parameter, δ(0).
func (l Law) TotalVariation() accounting.Interval { return interval(l.delta(0)) }

// EpsilonAt returns the least ε at which the final parameter is (ε, delta)-private.
//
// delta is in [1e-12, 1). Where δ(30) > delta the upper end is +Inf.
func (l Law) EpsilonAt(delta float64) (accounting.Interval, error) {
	rule := check.Rule{Text: "must be in [1e-12, 1)", Holds: func(x float64) bool { return x >= 1e-12 && x < 1 }}
	if err := rule.Of("exact: delta", delta); err != nil {
		return accounting.NoEpsilon(), err
	}
	guess := math.NaN()
	if l.monotone() {
		guess = l.guessEpsilon(delta)
	}
	return solveEpsilon(l.delta, delta, guess), nil
}

// TPRAt returns the greatest true positive rate of any test on the final parameter at a false
// positive rate in (0, 1). It is 1 - f(fpr), with f the trade-off function. For Toward it returns
// ErrNotMonotone.
func (l Law) TPRAt(fpr float64) (accounting.Interval, error) {
	if err := check.OpenUnit.Of("exact: false positive rate", fpr); err != nil {
		return accounting.NoDelta(), err
	}
	if !l.monotone() {
		return accounting.NoDelta(), ErrNotMonotone
	}
	return interval(l.monotoneTPR(fpr)), nil
}

func (l Law) delta(epsilon float64) (lower, upper float64) {
	if l.monotone() {
		return l.monotoneDelta(epsilon)
	}
	return l.signedDelta(epsilon)
}

const maxEpsilon = 30

func interval(lower, upper float64) accounting.Interval {
	lower = math.Min(lower, upper) // both may be 1, but for rounding
	return accounting.Certified(lower, lower+(upper-lower)/2, upper)
}

// solveEpsilon inverts a bracketed δ(ε), which falls with ε. It starts from a guess, or bisects if
// that is NaN. The ends are values of ε at which the bracket itself is on the safe side of delta:
// above it at the lower end, not above it at the upper.
func solveEpsilon(at func(epsilon float64) (lower, upper float64), delta, guess float64) accounting.Interval {
	if _, upper := at(0); upper <= delta {
		return accounting.Exact(0)
	}
	if lower, _ := at(maxEpsilon); lower > delta {
		return accounting.Certified(maxEpsilon, maxEpsilon, math.Inf(1))
	}
	if math.IsNaN(guess) {
		guess = bisectEpsilon(at, delta)
	}
	low, high := guess, guess
	for step := 1e-10 * (1 + guess); ; step *= 4 {
		low = math.Max(0, guess-step)
		if lower, _ := at(low); low == 0 || lower > delta {
			break
		}
	}
	for step := 1e-10 * (1 + guess); ; step *= 4 {
		high = guess + step
		if high > maxEpsilon {
			high = math.Inf(1)
			break
		}
		if _, upper := at(high); upper <= delta {
			break
		}
	}
	return accounting.Certified(low, guess, high)
}

func bisectEpsilon(at func(epsilon float64) (lower, upper float64), delta float64) float64 {
	low, high := 0.0, float64(maxEpsilon)
	for high-low > 1e-9*(1+low) {
		middle := low + (high-low)/2
		if lower, _ := at(middle); lower > delta {
			low = middle
		} else {
			high = middle
		}
	}
	return low + (high-low)/2
}
