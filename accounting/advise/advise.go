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
	OneRun   Way      // without tuning
	Ways     []Way    // by growing Noise, one run among them
	Warnings []error
}

// noAdvice is the advice with an error: infinite noise.
func noAdvice() Advice {
	nothing := math.Inf(1)
	return Advice{OneRun: Way{NoiseMultiplier: nothing, Epsilon: nothing, Published: nothing, Noise: nothing}}
}

// Ask finds the least noise of every way, by some eight prices each. It takes seconds. progress, if
// not nil, is called with the name of the next way.
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

// price fills in the noise and the price of the whole. The search begins at start.
func (w *Way) price(q Question, start float64) (err error) {
	var price accounting.Price
	if w.NoiseMultiplier, price, err = w.leastNoise(q, start); err != nil {
		return err
	}
	w.Noise = w.NoiseMultiplier / (q.SamplingRate * float64(q.Examples) * w.Share)
	w.Epsilon, w.Theorem = price.Guarantee.Epsilon.Upper, cmp.Or(price.Bounds[0].Theorem, price.Guarantee.Method)
	w.Published, w.Checked = math.Inf(1), price.Guarantee.Certificate != nil
	if b, ok := price.LeastPublished(); ok {
		w.Published = b.Epsilon
	}
	return nil
}

// Affordable reports whether a way's mean cost is at most the wanted one, up to the rounding of the
// law's mean.
func (a Advice) Affordable(w Way) bool { return w.Cost <= a.Question.MeanCost*(1+1e-6) }

// Reaches reports whether a way is known to have the wanted quantile.
func (a Advice) Reaches(w Way) bool { return w.Quantile >= a.Question.Quantile-1e-6 }

// Recommended returns a way and the reason for it. It compares the ways that are Affordable and
// reach the quantile. Of those within 1 % of the least noise of a mean gradient, it returns the one
// with the lowest cost in 99 of 100 tunings. If no way reaches the quantile, it returns the
// affordable one with the largest quantile.
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
		return best, fmt.Sprintf("No way reaches %s. %q has the largest expected quantile, %.3g.", q.goals(), best.Name, best.Quantile)
	}
	near := within(good, 1.01)
	best := slices.MinFunc(near, func(x, y Way) int { return cmp.Compare(x.Cost99, y.Cost99) })
	noise := best.Noise / a.OneRun.Noise
	if len(good) == 1 {
		return best, fmt.Sprintf("Only this way reaches %s. It has %.3g times the noise of one run.", q.goals(), noise)
	}
	reason := fmt.Sprintf("%d ways reach %s. ", len(good), q.goals())
	if len(near) > 1 {
		reason += fmt.Sprintf("This one has %.3g times the noise of one run. Of the %d ways within 1 %% of the least noise, it has the lowest cost in 99 of 100 tunings.", noise, len(near))
	} else {
		reason += fmt.Sprintf("This one has the least noise, %.3g times that of one run.", noise)
	}
	if len(good) > len(near) {
		next := good[len(near)]
		reason += fmt.Sprintf(" The next, %s, has %.1f %% more noise.", next.Name, 100*(next.Noise/best.Noise-1))
	}
	return best, reason
}

// goals describes the wanted quantile and cost.
func (q Question) goals() string {
	return fmt.Sprintf("an expected quantile of at least %g at a mean cost of at most %g trainings", q.Quantile, q.MeanCost)
}

// within returns the first way and those with at most factor times its noise.
func within(good []Way, factor float64) []Way {
	n := 1
	for n < len(good) && good[n].Noise <= factor*good[0].Noise {
		n++
	}
	return good[:n]
}
