package worstorder

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// EpsilonAt returns the ε at delta of the worst order, in nats. No bound on the best of K runs, K
// from law, that holds for this pair and all orders can be below it. It is 0 if the order has δ <=
// delta at ε = 0. It is also 0 with an error: that limits nothing. Time and memory grow with the
// square of the number of outputs. 400 outputs take about 0.1 s.
func EpsilonAt(l law.Law, pair Pair, delta float64) (float64, error) {
	if err := validate(l, pair); err != nil {
		return 0, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return 0, fmt.Errorf("worstorder: %w", err)
	}
	return newBoth(l, pair).epsilonAt(delta), nil
}

// epsilonAt brackets ε and ends with Newton's steps in x = e^ε. Each order's δ is convex in x, and
// so is the largest. So a step from the side where δ is too large stays on that side, which is that
// of the limits.
func (b both) epsilonAt(delta float64) float64 {
	x, excess, slope := 0.0, 0.0, 0.0 // the largest x at which δ was found to be too large
	above := numeric.LeastTrue(0.01, func(epsilon float64) bool {
		if epsilon > mostEpsilon {
			return true
		}
		at, falls := b.deltaAt(math.Exp(epsilon))
		if at > delta {
			x, excess, slope = math.Exp(epsilon), at-delta, falls
		}
		return at <= delta
	})
	if above == 0 {
		return 0
	}
	for range 50 {
		next := min(x+excess/slope, math.Exp(min(above, mostEpsilon)))
		if !(next > x*(1+1e-13)) {
			break
		}
		at, falls := b.deltaAt(next)
		x, excess, slope = next, at-delta, falls
		if !(excess > 0) { // next is the root, up to rounding
			break
		}
	}
	return numeric.Log(x) * (1 - 1e-9) // from below
}

// mostEpsilon is the largest limit of the search. Up to it e^ε times leastChance is small.
const mostEpsilon = 600

// DeltaAt returns the largest δ at epsilon >= 0 of an order, in either direction of the neighboring
// relation. It is a lower limit too, and 0 with an error.
func DeltaAt(l law.Law, pair Pair, epsilon float64) (float64, error) {
	if err := validate(l, pair); err != nil {
		return 0, err
	}
	if err := accounting.ValidateEpsilon(epsilon); err != nil {
		return 0, fmt.Errorf("worstorder: %w", err)
	}
	at, _ := newBoth(l, pair).deltaAt(math.Exp(epsilon))
	return at, nil
}

// Order returns the outputs from the best rank to the worst, in the order with the largest δ at
// epsilon >= 0. It is the worst order for one direction: pair.With against pair.Without.
func Order(l law.Law, pair Pair, epsilon float64) ([]int, error) {
	if err := validate(l, pair); err != nil {
		return nil, err
	}
	if err := accounting.ValidateEpsilon(epsilon); err != nil {
		return nil, fmt.Errorf("worstorder: %w", err)
	}
	g := newGame(l.Distribution(), pair)
	chosen := g.solve(math.Exp(epsilon))
	var order []int
	for i, j := 0, 0; i+j < g.n; {
		if chosen[g.at(i, j)] {
			order = append(order, g.order[i])
			i++
		} else {
			order = append(order, g.order[g.n-1-j])
			j++
		}
	}
	return order, nil
}

func validate(l law.Law, pair Pair) error {
	if l == nil {
		return fmt.Errorf("worstorder: law is nil: must be a law")
	}
	if err := l.Validate(); err != nil {
		return err
	}
	return pair.Validate()
}

// both has the games of both directions, or one if they are the same.
type both []*game

func newBoth(l law.Law, pair Pair) both {
	k := l.Distribution()
	if pair.mirrored() {
		return both{newGame(k, pair)}
	}
	return both{newGame(k, pair), newGame(k, pair.swapped())}
}

// deltaAt returns the larger δ at e^ε = x, and by how much it falls per unit of x.
func (b both) deltaAt(x float64) (delta, slope float64) {
	delta = -1
	for _, g := range b {
		if at, falls := g.deltaAt(x); at > delta {
			delta, slope = at, falls
		}
	}
	return delta, slope
}
