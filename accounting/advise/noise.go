package advise

import (
	"fmt"
	"math"

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
// tolerance, and its price. It takes secant steps in ln ε over ln σ within a bracket.
func (w Way) leastNoise(q Question, start float64) (sigma float64, price accounting.Price, err error) {
	missing, meeting := math.Inf(-1), math.Inf(1)
	x, lastX, lastGap := numeric.Log(start), math.NaN(), math.NaN()
	for range mostPrices {
		here, err := auto.NewAccountant().PriceAt(w.Event(math.Exp(x)), q.Delta)
		if err != nil {
			return math.Inf(1), accounting.Price{}, err
		}
		gap := numeric.Log(here.Guarantee.Epsilon.Upper / q.Epsilon)
		if gap <= 0 {
			meeting, price = x, here
		} else {
			missing = x
		}
		if meeting-missing <= tolerance {
			return math.Exp(meeting), price, nil
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
	return math.Inf(1), accounting.Price{}, fmt.Errorf("ε %g, δ %g: %w, noise multipliers from e^%d to e^%d", q.Epsilon, q.Delta, accounting.ErrNoBracket, leastLog, mostLog)
}
