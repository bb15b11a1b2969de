package koskela2023

import (
	"math"

	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
)

// paperMethod computes as the paper says it does: all Rényi bounds at integer orders from
// 2, the least ε by Lemma 3.
type paperMethod struct {
	cfg  Figure1Config
	base rdp.Curve
}

func newPaperMethod(cfg Figure1Config) (paperMethod, error) {
	curve, err := rdp.FromEvent(cfg.event())
	if err != nil {
		return paperMethod{}, err
	}
	divergences := make([]float64, cfg.MaxOrder+1)
	for order := 2; order <= cfg.MaxOrder; order++ {
		divergences[order] = curve(float64(order))
	}
	return paperMethod{cfg, onGrid(divergences)}, nil
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
	divergences := make([]float64, p.cfg.MaxOrder+1)
	for order := 2; order <= p.cfg.MaxOrder; order++ {
		a := float64(order - 1)
		divergences[order] = p.base(float64(order)) + mean*p.delta(math.Log1p(1/a)) + math.Log(mean)/a
	}
	return onGrid(divergences)
}

// delta returns δ of one training at epsilon, by Lemma 3.
func (p paperMethod) delta(epsilon float64) float64 {
	least := 0.0
	for order := 2.0; order <= float64(p.cfg.MaxOrder); order++ {
		least = math.Min(least, rdp.CanonneKamathSteinke.LogDelta(order, p.base(order), epsilon))
	}
	return math.Exp(least)
}

// epsilon returns ε of a curve by Lemma 3.
func (p paperMethod) epsilon(curve rdp.Curve) float64 {
	least := math.Inf(1)
	for order := 2.0; order <= float64(p.cfg.MaxOrder); order++ {
		least = math.Min(least, rdp.CanonneKamathSteinke.Epsilon(order, curve(order), p.cfg.Delta))
	}
	return least
}

// variants returns ε of variant 1 by Theorem 6 and of variant 2 by Theorem 4.
func (p paperMethod) variants(mean, rate float64) (first, second float64, err error) {
	tuning := p.tuning(mean)
	rest, err := selection.KoskelaTheorem6(tuning, p.base, rate)
	if err != nil {
		return 0, 0, err
	}
	amplified, err := selection.ZhuWang(tuning, rate)
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
