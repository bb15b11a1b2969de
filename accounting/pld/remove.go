package pld

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
)

// Knows returns nil if the accountant prices the event as part of any composition, and otherwise an
// error with the reason. The error wraps accounting.ErrUnsupportedEvent if the kind of event is
// unknown.
func (a Accountant) Knows(q ask.Question) error {
	_, err := compile(q)
	return err
}

// RemoveEpsilonTo returns a lower end of ε, in nats, at delta in (0, 1), in the remove direction: ε
// of the laws with the example against those without it. A lower end for a Poisson sample follows
// from it. EpsilonAt takes the larger of two directions. The result is 0 without a lower bound, and
// with an error.
func (a Accountant) RemoveEpsilonTo(q ask.Question, delta float64) (float64, error) {
	return a.lowerOfRemove(q, func(p program) (accounting.Interval, error) {
		epsilon, _, _, _, err := a.epsilon(p, delta)
		return epsilon, err
	})
}

// RemoveDeltaTo returns a lower end of δ, in [0, 1], at epsilon >= 0 in the remove direction. It is
// 0 with an error.
func (a Accountant) RemoveDeltaTo(q ask.Question, epsilon float64) (float64, error) {
	return a.lowerOfRemove(q, func(p program) (accounting.Interval, error) {
		logs, err := a.logDelta(p, epsilon)
		return accounting.Interval{Lower: lowerDelta(logs.Lower), HasLower: logs.HasLower}, err
	})
}

// lowerOfRemove returns the largest lower end of the programs of event.
func (a Accountant) lowerOfRemove(q ask.Question, solve func(program) (accounting.Interval, error)) (float64, error) {
	programs, err := a.programs(q)
	if err != nil {
		return 0, err
	}
	lower := 0.0
	for _, p := range programs {
		p.removeOnly = true
		known, err := solve(p)
		if err != nil {
			return 0, err
		}
		if known.HasLower {
			lower = math.Max(lower, known.Lower)
		}
	}
	return lower, nil
}
