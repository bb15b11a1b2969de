package pld

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
)

// Knows returns nil if the accountant prices event as part of any composition, and otherwise an
// error with the reason. The error wraps accounting.ErrUnsupportedEvent if the kind of event is
// unknown.
func (a Accountant) Knows(event accounting.Event) error {
	node, err := a.take(event)
	if err == nil {
		_, err = compile(node, a.Neighboring())
	}
	return err
}

// RemoveEpsilonAt returns a lower end of ε, in nats, at delta in (0, 1), in the remove direction: ε
// of the laws with the example against those without it. A lower end for a Poisson sample follows
// from it. EpsilonAt takes the larger of two directions. The result is 0 without a lower bound, and
// with an error.
func (a Accountant) RemoveEpsilonAt(event accounting.Event, delta float64) (float64, error) {
	if err := accounting.ValidateDelta(delta); err != nil {
		return 0, fmt.Errorf("pld: %w", err)
	}
	return a.lowerOfRemove(event, func(p program) (accounting.Interval, error) {
		epsilon, _, _, _, err := a.epsilon(p, delta)
		return epsilon, err
	})
}

// RemoveDeltaAt returns a lower end of δ, in [0, 1], at epsilon >= 0 in the remove direction. It is
// 0 with an error.
func (a Accountant) RemoveDeltaAt(event accounting.Event, epsilon float64) (float64, error) {
	if err := accounting.ValidateEpsilon(epsilon); err != nil {
		return 0, fmt.Errorf("pld: %w", err)
	}
	return a.lowerOfRemove(event, func(p program) (accounting.Interval, error) {
		logs, err := a.logDelta(p, epsilon)
		return accounting.Interval{Lower: lowerDelta(logs.Lower), HasLower: logs.HasLower}, err
	})
}

// lowerOfRemove returns the largest lower end of the programs of event.
func (a Accountant) lowerOfRemove(event accounting.Event, ask func(program) (accounting.Interval, error)) (float64, error) {
	programs, err := a.programs(event)
	if err != nil {
		return 0, err
	}
	lower := 0.0
	for _, p := range programs {
		p.removeOnly = true
		known, err := ask(p)
		if err != nil {
			return 0, err
		}
		if known.HasLower {
			lower = math.Max(lower, known.Lower)
		}
	}
	return lower, nil
}
