package advise

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
)

// Advice answers a Question.
type Advice struct {
	Question Question // with its defaults
	OneRun   Way      // what is left without tuning
	Ways     []Way    // by growing Noise, one run among them
	Warnings []error
}

// noAdvice is the advice with an error: no noise is enough.
func noAdvice() Advice {
	nothing := math.Inf(1)
	return Advice{OneRun: Way{NoiseMultiplier: nothing, Epsilon: nothing, Published: nothing, Noise: nothing}}
}

// Ask finds the least noise of every way, by some eight prices each: seconds in all. progress, if not nil, is told which way is next.
func Ask(q Question, progress func(done, total int, name string)) (Advice, error) {
	if err := q.Validate(); err != nil {
		return noAdvice(), err
	}
	q = q.given()
	a := Advice{Question: q, Warnings: q.warnings()}
	list, err := q.ways()
	if err != nil {
		return noAdvice(), err
	}
	start := 1.
	for i := range list {
		if progress != nil {
			progress(i, len(list), list[i].Name)
		}
		if err := list[i].price(q, start); err != nil {
			return noAdvice(), fmt.Errorf("advise: %s: %w", list[i].Name, err)
		}
		start = list[i].NoiseMultiplier
	}
	a.OneRun, a.Ways = list[0], list
	slices.SortStableFunc(a.Ways, func(x, y Way) int { return cmp.Compare(x.Noise, y.Noise) })
	return a, nil
}

// price fills in the noise, looked for near start, and what the whole costs with it.
func (w *Way) price(q Question, start float64) (err error) {
	var price accounting.Price
	if w.NoiseMultiplier, price, err = w.leastNoise(q, start); err != nil {
		return err
	}
	w.Noise = w.NoiseMultiplier / (q.SamplingRate * float64(q.Examples) * w.Share)
	w.Epsilon, w.Theorem = price.Guarantee.Epsilon.Upper, cmp.Or(price.Bounds[0].Theorem, price.Guarantee.Method)
	w.Published = math.Inf(1)
	if b, ok := price.LeastPublished(); ok {
		w.Published = b.Epsilon
	}
	return nil
}

// Affordable reports whether a way stays within the cost that is asked for, on average. The law's mean is rounded.
func (a Advice) Affordable(w Way) bool { return w.Cost <= a.Question.MeanCost*(1+1e-6) }

// Reaches reports whether a way is known to have the quantile that is asked for.
func (a Advice) Reaches(w Way) bool { return w.Quantile >= a.Question.Quantile-1e-6 }

// Recommended returns the way with the least noise of a mean gradient among those that have the expected quantile within the cost,
// and why; of ways within 1 % of the least noise it is the one whose cost in 99 of 100 tunings is the least. If none has it, it is the affordable way with the largest quantile.
func (a Advice) Recommended() (Way, string) {
	q := a.Question
	var good []Way
	for _, w := range a.Ways {
		if a.Affordable(w) && a.Reaches(w) {
			good = append(good, w)
		}
	}
	if len(good) == 0 {
		best := a.OneRun
		for _, w := range a.Ways {
			if a.Affordable(w) && w.Quantile > best.Quantile {
				best = w
			}
		}
		return best, fmt.Sprintf("no way has an expected quantile of %g at a mean cost of %g trainings; %q has the largest, %.3g", q.Quantile, q.MeanCost, best.Name, best.Quantile)
	}
	near := within(good, 1.01)
	best := slices.MinFunc(near, func(x, y Way) int { return cmp.Compare(x.Cost99, y.Cost99) })
	reason := fmt.Sprintf("of the %d ways with an expected quantile of at least %g at a mean cost of at most %g trainings it leaves the least noise, %.3g times that of one run",
		len(good), q.Quantile, q.MeanCost, best.Noise/a.OneRun.Noise)
	if len(near) > 1 {
		reason += fmt.Sprintf(", and of the %d within 1 %% of it costs the least in 99 of 100 tunings", len(near))
	}
	if len(good) > len(near) {
		reason += fmt.Sprintf("; the next, %s, has %.1f %% more", good[len(near)].Name, 100*(good[len(near)].Noise/best.Noise-1))
	}
	return best, reason
}

// within returns the ways that have little more noise than the first, and that one.
func within(good []Way, factor float64) []Way {
	n := 1
	for n < len(good) && good[n].Noise <= factor*good[0].Noise {
		n++
	}
	return good[:n]
}
