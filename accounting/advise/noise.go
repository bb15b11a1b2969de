package advise

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/numeric"
)

const (
	tolerance     = 1e-4 // relative, of a noise multiplier
	mostPrices    = 60
	leastLog      = -14 // of the tried noise multipliers
	mostLog       = 28
	longestStep   = 2. // of a logarithm
	usualSlope    = -1 // of ln ε over ln σ
	flattestSlope = -0.05
	steepestSlope = -20
)

// leastNoise returns the least σ at which the way costs at most the target, up to a factor 1 +
// tolerance, and its price. It searches by quick prices, which leave out bounds. If one of these
// meets the target with less noise, it goes on with whole prices.
func (w Way) leastNoise(q Question, start float64) (sigma float64, price accounting.Price, err error) {
	a := auto.NewAccountant()
	quick := accounting.WithOptions(a, accounting.Options{Unchecked: true, Quick: true})
	least := math.Inf(1) // the quick ε at the end that meets the target
	meeting, missing, err := q.search(start, func(x float64) (float64, error) {
		g, err := quick.EpsilonAt(w.Event(math.Exp(x)), q.Delta)
		upper := g.Epsilon.Upper
		if upper <= q.Epsilon {
			least = upper // each end is nearer than the one before
		}
		return upper, err
	})
	if err == nil {
		start = math.Exp(meeting)
		if price, err = a.PriceAt(w.Event(start), q.Delta); err != nil {
			return math.Inf(1), accounting.Price{}, err
		}
		if price.Guarantee.Epsilon.Upper <= q.Epsilon && (!mayMeet(price, least, q.Epsilon) || w.misses(q, missing)) {
			return start, price, nil
		}
	}
	found := map[float64]accounting.Price{}
	meeting, _, err = q.search(start, func(x float64) (float64, error) {
		here, err := a.PriceAt(w.Event(math.Exp(x)), q.Delta)
		found[x] = here
		return here.Guarantee.Epsilon.Upper, err
	})
	if err != nil {
		return math.Inf(1), accounting.Price{}, err
	}
	return math.Exp(meeting), found[meeting], nil
}

// mayMeet reports whether a bound that quick prices leave out may meet the target with a little
// less noise. All bounds grow then, and least is the quick price now. So such a bound is now at
// most the target, and least does not count.
func mayMeet(price accounting.Price, least, target float64) bool {
	return slices.ContainsFunc(price.Bounds, func(b accounting.Bound) bool { return b.Epsilon != least && b.Epsilon <= target })
}

// misses reports whether the way costs more than the target at a noise multiplier e^x.
func (w Way) misses(q Question, x float64) bool {
	price, err := auto.NewAccountant().PriceAt(w.Event(math.Exp(x)), q.Delta)
	return err != nil || price.Guarantee.Epsilon.Upper > q.Epsilon
}

// search returns the ends of a bracket of ln σ as narrow as tolerance, where ε meets the target and
// where it misses it. It takes secant steps in ln ε over ln σ within a bracket.
func (q Question) search(start float64, ask func(x float64) (epsilon float64, err error)) (meeting, missing float64, err error) {
	missing, meeting = math.Inf(-1), math.Inf(1)
	x, lastX, lastGap := numeric.Log(start), math.NaN(), math.NaN()
	for range mostPrices {
		here, err := ask(x)
		if err != nil {
			return math.Inf(1), missing, err
		}
		gap := numeric.Log(here / q.Epsilon)
		if gap <= 0 {
			meeting = x
		} else {
			missing = x
		}
		if meeting-missing <= tolerance {
			return meeting, missing, nil
		}
		slope := (gap - lastGap) / (x - lastX)
		lastX, lastGap = x, gap
		if !(slope < flattestSlope && slope > steepestSlope) {
			slope = usualSlope
		}
		step := math.Max(-longestStep, math.Min(longestStep, -gap/slope))
		// Step to the other side of the root, to close the bracket from both ends.
		if gap <= 0 {
			x += step - tolerance/3
		} else {
			x += step + tolerance/3
		}
		if x <= missing || x >= meeting {
			x = missing + (meeting-missing)/2
		}
		if !(x > leastLog && x < mostLog) {
			break
		}
	}
	return math.Inf(1), missing, fmt.Errorf("ε %g, δ %g: %w, noise multipliers from e^%d to e^%d", q.Epsilon, q.Delta, accounting.ErrNoBracket, leastLog, mostLog)
}
