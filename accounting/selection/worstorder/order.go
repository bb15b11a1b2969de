package worstorder

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// EpsilonAt returns the ε at delta of the worst order, in nats: no bound on the best of K runs, K from law, that holds for this pair
// and all orders can be below. It is 0 if the order has δ <= delta at ε = 0. Time and memory grow with the square of the outputs;
// 400 take about 0.1 s.
func EpsilonAt(l law.Law, pair Pair, delta float64) (float64, error) {
	if err := validate(l, pair); err != nil {
		return 0, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return 0, fmt.Errorf("worstorder: %w", err)
	}
	both := newBoth(l, pair)
	at := numeric.LeastTrue(1e-9, func(epsilon float64) bool { return epsilon > mostEpsilon || both.deltaAt(epsilon) <= delta })
	return math.Min(at, mostEpsilon) * (1 - 1e-9), nil // LeastTrue returns the upper end
}

// mostEpsilon is the largest limit that is looked for: e^ε times leastChance stays a small number.
const mostEpsilon = 600

// DeltaAt returns the largest δ at epsilon >= 0 of an order, in either direction of the neighboring relation.
func DeltaAt(l law.Law, pair Pair, epsilon float64) (float64, error) {
	if err := validate(l, pair); err != nil {
		return 0, err
	}
	if err := accounting.ValidateEpsilon(epsilon); err != nil {
		return 0, fmt.Errorf("worstorder: %w", err)
	}
	return newBoth(l, pair).deltaAt(epsilon), nil
}

// Order returns the outputs from the best rank to the worst, in the order whose δ at epsilon >= 0 is the largest for the event
// that the data are those of pair.With.
func Order(l law.Law, pair Pair, epsilon float64) ([]int, error) {
	if err := validate(l, pair); err != nil {
		return nil, err
	}
	if err := accounting.ValidateEpsilon(epsilon); err != nil {
		return nil, fmt.Errorf("worstorder: %w", err)
	}
	g := newGame(l.Distribution(), pair)
	_, chosen := g.solve(math.Exp(epsilon))
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

// both is both directions.
type both [2]*game

func newBoth(l law.Law, pair Pair) both {
	k := l.Distribution()
	return both{newGame(k, pair), newGame(k, pair.swapped())}
}

func (b both) deltaAt(epsilon float64) float64 {
	x := math.Exp(epsilon)
	first, _ := b[0].solve(x)
	second, _ := b[1].solve(x)
	return math.Max(first, second)
}
