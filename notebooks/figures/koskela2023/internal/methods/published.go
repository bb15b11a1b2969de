// Package methods has the four methods of the paper around one training: the training by itself,
// variants 1 and 2, and the baseline. It has their events, and their prices by the paper's bounds.
package methods

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// Bounds computes as the paper describes: all Rényi bounds at integer orders from 2, the least ε by
// Lemma 3.
type Bounds struct {
	Base rdp.Curve // of one training

	target   float64 // δ
	maxOrder int
}

// NewBounds prices one training at delta by the integer orders 2 to maxOrder.
func NewBounds(training accounting.Event, delta float64, maxOrder int) (Bounds, error) {
	curve, err := rdp.FromEvent(training)
	if err != nil {
		return Bounds{}, err
	}
	divergences := make([]float64, maxOrder+1)
	for order := 2; order <= maxOrder; order++ {
		divergences[order] = curve(float64(order))
	}
	return Bounds{onGrid(divergences), delta, maxOrder}, nil
}

// onGrid is the curve through the integer orders of a slice, +Inf elsewhere.
func onGrid(divergences []float64) rdp.Curve {
	return func(order float64) float64 {
		n := int(order)
		if float64(n) != order || n < 2 || n >= len(divergences) {
			return math.Inf(1)
		}
		return divergences[n]
	}
}

// Tuning is Theorem 5, the Poisson law of Papernot and Steinke (2022), Theorem 6, with δ̂ the
// least over the orders of the grid. It may not be set to 0.
func (b Bounds) Tuning(mean float64) rdp.Curve {
	divergences := make([]float64, b.maxOrder+1)
	for order := 2; order <= b.maxOrder; order++ {
		a := float64(order - 1)
		divergences[order] = b.Base(float64(order)) + mean*b.delta(math.Log1p(1/a)) + math.Log(mean)/a
	}
	return onGrid(divergences)
}

// delta returns δ of one training at epsilon, by Lemma 3.
func (b Bounds) delta(epsilon float64) float64 {
	least := 0.0
	for order := 2.0; order <= float64(b.maxOrder); order++ {
		least = math.Min(least, rdp.CanonneKamathSteinke.LogDelta(order, b.Base(order), epsilon))
	}
	return math.Exp(least)
}

// Epsilon returns ε of a curve by Lemma 3.
func (b Bounds) Epsilon(curve rdp.Curve) float64 {
	least := math.Inf(1)
	for order := 2.0; order <= float64(b.maxOrder); order++ {
		least = math.Min(least, rdp.CanonneKamathSteinke.Epsilon(order, curve(order), b.target))
	}
	return least
}

// Variants returns ε of variant 1 by Theorem 6 and of variant 2 by Theorem 4.
func (b Bounds) Variants(mean, rate float64) (first, second float64, err error) {
	tuning := b.Tuning(mean)
	rest, err := subsample.KoskelaTheorem6(tuning, b.Base, rate)
	if err != nil {
		return 0, 0, err
	}
	amplified, err := rdp.ZhuWang(tuning, rate)
	if err != nil {
		return 0, 0, err
	}
	return b.Epsilon(rest), b.Epsilon(rdp.Sum(amplified, b.Base)), nil
}

// Crossings returns the q at which the bounds of the two variants cross: between two
// neighbors of rates where the order of first and second changes, closed in by bisection.
func (b Bounds) Crossings(mean float64, rates, first, second []float64) (found []float64, err error) {
	for i := 1; i < len(rates); i++ {
		low, high, above := rates[i-1], rates[i], first[i-1] > second[i-1]
		if first[i] > second[i] == above {
			continue
		}
		for high > low*(1+1e-6) {
			middle := math.Sqrt(low * high)
			one, two, err := b.Variants(mean, middle)
			if err != nil {
				return nil, err
			}
			if one > two == above {
				low = middle
			} else {
				high = middle
			}
		}
		found = append(found, high)
	}
	return found, nil
}

// Published returns the prices of the four methods around one training, K from a Poisson law.
func Published(mean, tuningRate float64, maxOrder int) (all [4]Accountant) {
	for i, epsilon := range []func(b Bounds) (float64, error){
		func(b Bounds) (float64, error) { return b.Epsilon(b.Base), nil },
		func(b Bounds) (float64, error) {
			first, _, err := b.Variants(mean, tuningRate)
			return first, err
		},
		func(b Bounds) (float64, error) {
			_, second, err := b.Variants(mean, tuningRate)
			return second, err
		},
		func(b Bounds) (float64, error) { return b.Epsilon(b.Tuning(mean)), nil },
	} {
		all[i] = Accountant{maxOrder, epsilon}
	}
	return all
}

// Accountant gives an event of one training the ε of a method around it.
type Accountant struct {
	maxOrder int
	method   func(b Bounds) (float64, error)
}

func (Accountant) Name() string                        { return "the paper's bounds" }
func (Accountant) Neighboring() accounting.Neighboring { return accounting.AddOrRemoveOne }

func (a Accountant) EpsilonAt(training accounting.Event, delta float64) (accounting.Guarantee, error) {
	b, err := NewBounds(training, delta, a.maxOrder)
	if err != nil {
		return accounting.Guarantee{}, err
	}
	epsilon, err := a.method(b)
	return accounting.Guarantee{Epsilon: accounting.UpperBound(math.Max(0, epsilon)), Delta: delta, Neighboring: accounting.AddOrRemoveOne, Method: a.Name()}, err
}

func (a Accountant) DeltaAt(accounting.Event, float64) (accounting.Interval, error) {
	return accounting.Interval{}, accounting.ErrUnsupportedEvent
}
