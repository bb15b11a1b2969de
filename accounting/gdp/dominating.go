package gdp

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// µ is refined until its relative width is below muWidth.
const muWidth = 1e-6

// MuOnDelta returns an interval of the smallest µ such that µ-GDP dominates the event for δ in
// [low, high]: ε(δ) <= ε of µ-GDP at δ, for each such δ. The upper end is certified to dominate.
// With an [Accountant] of this package it is the event's µ.
//
// Proof. Between two known points the profile lies below their chord, which is linear in x = e^ε.
// The profile of µ-GDP is convex and its slope is -α at ε = -µ Φ⁻¹(α) - µ²/2. So it lies above the
// chord if two conditions hold. It does so at both ends. And if the tangent of the chord's slope
// touches it in between, G_µ(α) <= β there. For the chord δ = 1-β-αx this means µ >= Φ⁻¹(1-α) -
// Φ⁻¹(β).
func (c *TradeOff) MuOnDelta(low, high float64) (accounting.Interval, error) {
	if !(low >= leastDelta && low <= high && high < 1) {
		return accounting.NoEpsilon(), fmt.Errorf("gdp: δ from %g to %g: must be %g <= low <= high < 1", low, high, float64(leastDelta))
	}
	if c.exact {
		return muInterval(c.mu, c.muChecked), nil
	}
	for _, delta := range []float64{low, high} {
		if _, err := c.ask(delta); err != nil {
			return accounting.NoEpsilon(), err
		}
	}
	for range c.questions() {
		lower, upper, worst := c.muOnKnown(low, high)
		if upper-lower <= muWidth*upper || math.IsInf(lower, 1) || worst < 0 {
			return accounting.Certified(lower, lower+(upper-lower)/2, upper), nil
		}
		if asked, err := c.between(worst); err != nil {
			return accounting.NoEpsilon(), err
		} else if !asked {
			break
		}
	}
	lower, upper, _ := c.muOnKnown(low, high)
	estimate := lower + (upper-lower)/2
	if math.IsInf(upper, 1) {
		estimate = upper
	}
	return accounting.Certified(lower, estimate, upper), nil
}

// muOnKnown returns both bounds from the known points, and the stretch that decides the upper one,
// -1 if there is nothing to refine.
func (c *TradeOff) muOnKnown(low, high float64) (lower, upper float64, worst int) {
	worst = -1
	for i, k := range c.known {
		if k.upDelta < low*(1-1e-8) {
			break
		}
		inside := k.upDelta <= high*(1+1e-8)
		if inside {
			upper, lower = math.Max(upper, k.cover), math.Max(lower, k.below)
		}
		// The stretch from here to the next point lies in the range if its upper end does.
		if i+1 < len(c.known) && inside && c.known[i+1].upDelta >= low*(1-1e-8) {
			if mu := stretch(k, c.known[i+1]); mu > upper {
				upper, worst = mu, i
			} else if worst < 0 {
				worst = i
			}
		}
	}
	return math.Min(lower, upper), upper, worst
}

// withMu computes the two points' bounds on µ.
func (k knowledge) withMu() knowledge {
	k.cover = covering(k.upEpsilon, k.upDelta)
	if k.lowDelta > 0 && k.lowDelta < 1 && k.lowEpsilon >= 0 && !math.IsInf(k.lowEpsilon, 1) {
		k.below = muAt(k.lowEpsilon, k.lowDelta)
	}
	return k
}

// covering returns the smallest µ, rounded up, whose profile is at least delta at epsilon.
func covering(epsilon, delta float64) float64 {
	if !(delta < 1) || !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		return math.Inf(1)
	}
	if !(delta > 0) {
		return 0
	}
	target := numeric.Log(delta)
	reaches := func(mu float64) bool { return lowerLog(mu, epsilon) >= target }
	lo := muAt(epsilon, delta)
	hi := lo * (1 + 1e-13)
	for step := 1e-13; !reaches(hi); step *= 4 {
		if lo, hi = hi, hi*(1+step); step > 1e6 {
			return math.Inf(1)
		}
	}
	return hi
}

// stretch returns a µ whose profile lies above the chord between two points.
func stretch(a, b knowledge) float64 {
	ends := math.Max(a.cover, b.cover)
	gap := math.Expm1(b.upEpsilon - a.upEpsilon)
	if !(gap > 0) || math.IsInf(ends, 1) {
		return ends
	}
	drop := a.upDelta - b.upDelta
	if !(drop > 0) {
		return ends
	}
	alpha := quantileOfLog(numeric.Log(drop) - numeric.Log(gap) - a.upEpsilon) // Φ⁻¹(α), α = drop/(x_b-x_a)
	if touch := -ends*alpha - ends*ends/2; touch < a.upEpsilon-1e-9*(1+a.upEpsilon) || touch > b.upEpsilon+1e-9*(1+b.upEpsilon) {
		return ends
	}
	return math.Max(ends, (quantile(a.upDelta+drop/gap)-alpha)*(1+1e-12)+1e-14) // 1-β = δ_a + α x_a
}

// quantile returns Φ⁻¹.
func quantile(p float64) float64 {
	switch {
	case !(p > 0):
		return math.Inf(-1)
	case p >= 1:
		return math.Inf(1)
	case p < 1e-300: // where logarithms of p may be wrong, see numeric.Log
		return quantileOfLog(numeric.Log(p))
	}
	return mathext.NormalQuantile(p)
}

// quantileOfLog returns Φ⁻¹(e^logP), by Newton's method if e^logP underflows.
func quantileOfLog(logP float64) float64 {
	if logP > -650 {
		return quantile(math.Exp(math.Min(0, logP)))
	}
	x := -math.Sqrt(-2 * logP)
	for range 8 {
		x -= (numeric.LogNormalCDF(x) - logP) * numeric.MillsRatio(-x) // slope φ/Φ = 1/R(-x)
	}
	return x
}

// muOfRates returns the µ whose best test has these rates: Φ⁻¹(TPR) - Φ⁻¹(FPR).
func muOfRates(fpr, tpr float64) float64 { return math.Max(0, quantile(tpr)-quantile(fpr)) }

// MuOnTypeI returns an interval of the smallest µ such that f(α) >= Φ(Φ⁻¹(1-α) - µ) for each type I
// error α in [low, high]. The upper end is certified to dominate there. With an [Accountant] of
// this package it is the event's µ.
//
// Proof. The known lines bound f from below by a convex, piecewise linear function. The trade-off
// function of µ-GDP is convex. So it lies below on a straight piece if it does so at the ends of
// the piece.
func (c *TradeOff) MuOnTypeI(low, high float64) (accounting.Interval, error) {
	if !(low > 0 && low <= high && high < 1) {
		return accounting.NoEpsilon(), fmt.Errorf("gdp: type I errors from %g to %g: must be 0 < low <= high < 1", low, high)
	}
	if c.exact {
		return muInterval(c.mu, c.muChecked), nil
	}
	for i := range 5 { // lines to start from
		if err := c.refineBy(math.Exp(numeric.Log(low)+(numeric.Log(high)-numeric.Log(low))*float64(i)/4), c.questions()/5); err != nil {
			return accounting.NoEpsilon(), err
		}
	}
	for tries := 0; ; tries++ {
		lower, upper, at := c.muOnKnots(low, high)
		if upper-lower <= 10*muWidth*upper || tries >= 10 || math.IsInf(upper, 1) {
			estimate := upper
			if !math.IsInf(upper, 1) {
				estimate = lower + (upper-lower)/2
			}
			return accounting.Certified(lower, estimate, upper), nil
		}
		before := len(c.known)
		if err := c.refineBy(at, c.questions()/10+1); err != nil {
			return accounting.NoEpsilon(), err
		}
		if len(c.known) == before {
			tries = 10
		}
	}
}

// muOnKnots returns both bounds from the known lines, and the type I error that decides the upper
// one.
func (c *TradeOff) muOnKnots(low, high float64) (lower, upper, at float64) {
	at = low
	for _, alpha := range append(c.knots(low, high), low, high) {
		most, _ := c.upperTPR(alpha)
		if mu := muOfRates(alpha, most) * (1 + 1e-12); mu > upper {
			upper, at = mu, alpha
		}
		rate, _ := c.lowerTPR(alpha)
		lower = math.Max(lower, muOfRates(alpha, rate)*(1-1e-12))
	}
	return math.Min(lower, upper), upper, at
}

// line is height - slope·α.
type line struct{ height, slope float64 }

// knots returns the type I errors between low and high where the largest known line changes.
func (c *TradeOff) knots(low, high float64) []float64 {
	var lines []line
	for _, k := range c.known {
		if k.upEpsilon <= largestEpsilon {
			x := math.Exp(k.upEpsilon)
			lines = append(lines, line{1 - k.upDelta, x}, line{(1 - k.upDelta) / x, 1 / x})
		}
	}
	slices.SortFunc(lines, func(a, b line) int { // steepest first; of equal slopes the highest last
		return cmp.Or(-cmp.Compare(a.slope, b.slope), cmp.Compare(a.height, b.height))
	})
	// hull holds the lines so far that are largest somewhere, by increasing crossings.
	var hull []line
	for _, l := range lines {
		for len(hull) > 0 && (hull[len(hull)-1].slope == l.slope ||
			len(hull) > 1 && cross(hull[len(hull)-1], l) <= cross(hull[len(hull)-2], hull[len(hull)-1])) {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, l)
	}
	var out []float64
	for i := 1; i < len(hull); i++ {
		if alpha := cross(hull[i-1], hull[i]); alpha > low && alpha < high {
			out = append(out, alpha)
		}
	}
	return out
}

// cross returns where two lines of different slopes are equal.
func cross(a, b line) float64 { return (a.height - b.height) / (a.slope - b.slope) }
