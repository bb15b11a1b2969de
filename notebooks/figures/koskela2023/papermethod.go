package koskela2023

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// paperMethod computes as the paper describes: all Rényi bounds at integer orders from 2, the least
// ε by Lemma 3.
type paperMethod struct {
	target   float64 // δ
	maxOrder int
	base     rdp.Curve
}

// newPaperMethod prices one training at delta by the integer orders 2 to maxOrder.
func newPaperMethod(training accounting.Event, delta float64, maxOrder int) (paperMethod, error) {
	curve, err := rdp.FromEvent(training)
	if err != nil {
		return paperMethod{}, err
	}
	divergences := make([]float64, maxOrder+1)
	for order := 2; order <= maxOrder; order++ {
		divergences[order] = curve(float64(order))
	}
	return paperMethod{delta, maxOrder, onGrid(divergences)}, nil
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

// tuning is Theorem 5, the Poisson law of Papernot and Steinke (2022), Theorem 6, with δ̂ the
// least over the orders of the grid. It may not be set to 0.
func (p paperMethod) tuning(mean float64) rdp.Curve {
	divergences := make([]float64, p.maxOrder+1)
	for order := 2; order <= p.maxOrder; order++ {
		a := float64(order - 1)
		divergences[order] = p.base(float64(order)) + mean*p.delta(math.Log1p(1/a)) + math.Log(mean)/a
	}
	return onGrid(divergences)
}

// delta returns δ of one training at epsilon, by Lemma 3.
func (p paperMethod) delta(epsilon float64) float64 {
	least := 0.0
	for order := 2.0; order <= float64(p.maxOrder); order++ {
		least = math.Min(least, rdp.CanonneKamathSteinke.LogDelta(order, p.base(order), epsilon))
	}
	return math.Exp(least)
}

// epsilon returns ε of a curve by Lemma 3.
func (p paperMethod) epsilon(curve rdp.Curve) float64 {
	least := math.Inf(1)
	for order := 2.0; order <= float64(p.maxOrder); order++ {
		least = math.Min(least, rdp.CanonneKamathSteinke.Epsilon(order, curve(order), p.target))
	}
	return least
}

// variants returns ε of variant 1 by Theorem 6 and of variant 2 by Theorem 4.
func (p paperMethod) variants(mean, rate float64) (first, second float64, err error) {
	tuning := p.tuning(mean)
	rest, err := subsample.KoskelaTheorem6(tuning, p.base, rate)
	if err != nil {
		return 0, 0, err
	}
	amplified, err := rdp.ZhuWang(tuning, rate)
	if err != nil {
		return 0, 0, err
	}
	return p.epsilon(rest), p.epsilon(rdp.Sum(amplified, p.base)), nil
}

// crossings returns the q at which the bounds of the two variants cross: between two
// neighbors of rates where the order of first and second changes, closed in by bisection.
func (p paperMethod) crossings(mean float64, rates, first, second []float64) (found []float64, err error) {
	for i := 1; i < len(rates); i++ {
		low, high, above := rates[i-1], rates[i], first[i-1] > second[i-1]
		if first[i] > second[i] == above {
			continue
		}
		for high > low*(1+1e-6) {
			middle := math.Sqrt(low * high)
			one, two, err := p.variants(mean, middle)
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

// paperAccountant gives an event of one training the ε of a method around it.
type paperAccountant struct {
	maxOrder int
	method   func(p paperMethod) (float64, error)
}

func (paperAccountant) Name() string                        { return "the paper's bounds" }
func (paperAccountant) Neighboring() accounting.Neighboring { return accounting.AddOrRemoveOne }

func (a paperAccountant) EpsilonAt(training accounting.Event, delta float64) (accounting.Guarantee, error) {
	p, err := newPaperMethod(training, delta, a.maxOrder)
	if err != nil {
		return accounting.Guarantee{}, err
	}
	epsilon, err := a.method(p)
	return accounting.Guarantee{Epsilon: accounting.UpperBound(math.Max(0, epsilon)), Delta: delta, Neighboring: accounting.AddOrRemoveOne, Method: a.Name()}, err
}

func (a paperAccountant) DeltaAt(accounting.Event, float64) (accounting.Interval, error) {
	return accounting.Interval{}, accounting.ErrUnsupportedEvent
}
