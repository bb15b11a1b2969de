package exact

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// BestOfK is the release of the best of K runs, K drawn from a law. A run is a Gaussian mechanism,
// N(0, 1) without the canary and N(µ, 1) with it, and its score grows with its output. The release
// is then the largest of K outputs, with distribution function
//
//	f(Φ(y)) and f(Φ(y-µ)),   f(x) = E[x^K].
//
// For K = 0, with chance f(0), the release is another output, equal in both worlds.
//
// This is a lower limit for every bound on private selection that holds for all scores. For a score
// that grows with the output it is the exact price.
type BestOfK struct {
	Law law.Law
	Mu  float64 // µ = 1/noise multiplier, in (0, 20]

	k law.Distribution // of Law, while a question is answered
}

// Validate returns an error that names every field out of range.
func (b BestOfK) Validate() error {
	f := check.In("exact: BestOfK.")
	f.That(b.Law != nil, "Law", "is nil", "must be a law of the number of runs")
	if b.Law != nil {
		f.Below("Law", b.Law.Validate())
	}
	f.Number("Mu", b.Mu, check.UpTo(20))
	return f.Err()
}

// DeltaAt returns the least δ at which the release is (ε, δ)-private in both directions.
//
// The line is cut into intervals. In [a, b] the likelihood ratio of the worlds lies between
//
//	f'(Φ(a-µ))/f'(Φ(b)) e^(µa-µ²/2) and f'(Φ(b-µ))/f'(Φ(a)) e^(µb-µ²/2),
//
// since f' grows. If e^ε is not between the two, the integral of (p_1 - e^ε p_0)_+ over [a, b] is
// known from the distribution functions. Otherwise the interval is halved until the rest is below
// 1e-7 of δ, or the work becomes too much. In the latter case the bracket is wide. That happens for
// µ below about 0.05 and for laws of very many runs.
//
// The allowance for rounding, mostly of the law's functions, is 1e-10 of each probability. The mass
// of a small interval is a difference; its allowance is 1e-12 of the larger term.
//
// epsilon is in [0, 30].
func (b BestOfK) DeltaAt(epsilon float64) (accounting.Interval, error) {
	if err := b.Validate(); err != nil {
		return accounting.NoDelta(), err
	}
	if err := check.Between(0, maxEpsilon).OfAnySize().Of("exact: epsilon", epsilon); err != nil {
		return accounting.NoDelta(), err
	}
	b.k = b.Law.Distribution()
	return interval(b.delta(epsilon)), nil
}

// EpsilonAt returns the least ε at which the release is (ε, delta)-private in both directions.
// delta is in [1e-12, 1).
func (b BestOfK) EpsilonAt(delta float64) (accounting.Interval, error) {
	if err := errors.Join(b.Validate(), validateDelta(delta)); err != nil {
		return accounting.NoEpsilon(), err
	}
	b.k = b.Law.Distribution()
	return solveEpsilon(b.delta, delta, math.NaN()), nil
}

func (b BestOfK) delta(epsilon float64) (lower, upper float64) {
	plusLower, plusUpper := b.direction(epsilon, +1)
	minusLower, minusUpper := b.direction(epsilon, -1)
	return math.Max(plusLower, minusLower), math.Max(plusUpper, minusUpper)
}

// direction returns the bracket of ∫ (p_1 - e^ε p_0)_+ for sign 1, and of the same with the
// worlds swapped for sign -1.
func (b BestOfK) direction(epsilon, sign float64) (lower, upper float64) {
	g := &gain{BestOfK: b, epsilon: epsilon, factor: math.Exp(epsilon), sign: sign, splits: maxSplits}
	const cell = 0.125
	low, high := -9-math.Log1p(b.k.Mean()), 9+math.Log1p(b.k.Mean())+b.Mu
	n := int(math.Ceil((high - low) / cell))
	last := b.at(low)
	for i := range n {
		next := b.at(low + (high-low)*float64(i+1)/float64(n))
		g.add(last, next, 0)
		last = next
	}
	// Beyond the ends: the whole mass of one world, at most.
	first := b.at(low)
	outside := math.Max(first.below[0], first.below[1]) + math.Max(last.above[0], last.above[1])
	rounding := roundingOfLaws*(g.won+g.factor*g.lost) + 4*(g.cancelled[1]+g.factor*g.cancelled[0])
	sure := math.Max(0, g.won-g.factor*g.lost)
	return math.Max(0, sure+g.some-rounding), math.Min(1, sure+g.some+g.doubt+rounding+outside)
}

// The rounding of the summed masses of many intervals, and of one mass.
const roundingOfLaws, roundingOfOne = 1e-10, 1e-12

// point holds what is known at one output y, of the worlds without (0) and with (1) the
// canary.
type point struct {
	y            float64
	above, below [2]float64 // chance of a larger, and a smaller output
	logSlope     [2]float64 // ln f'(Φ(y-µ)), and without µ
	cancelled    [2]float64 // the error of below, besides its last digits
}

func (b BestOfK) at(y float64) (p point) {
	p.y = y
	for world, z := range [2]float64{y, y - b.Mu} {
		p.above[world] = b.k.SuccessProbability(numeric.NormalCDF(-z))
		p.below[world], p.cancelled[world] = b.rise(numeric.NormalCDF(z))
		p.logSlope[world] = b.k.LogPGFDerivative(numeric.NormalCDF(z))
	}
	return p
}

// rise returns f(x) - f(0) and its cancellation error from f(0). It is the chance that there are
// runs, all with outputs below the quantile x.
//
// As f' is convex, the rise lies between x f'(x/2) and x (f'(0)+f'(x))/2. These keep their digits
// where the difference does not.
func (b BestOfK) rise(x float64) (rise, cancelled float64) {
	none := b.k.PGF(0)
	if none == 0 {
		return b.k.PGF(x), 0
	}
	slope := func(x float64) float64 { return math.Exp(b.k.LogPGFDerivative(x)) }
	least, most := x*slope(x/2), x*(slope(0)+slope(x))/2
	if most-least <= 1e-11*least {
		return least, 0
	}
	return math.Max(least, math.Min(most, b.k.PGF(x)-none)), 0x1p-51 * none
}

// gain adds up a direction's integral.
type gain struct {
	BestOfK
	epsilon, factor, sign float64
	won, lost             float64    // mass of the two worlds in the intervals that count
	some, doubt           float64    // from below, and besides, in the undecided intervals
	cancelled             [2]float64 // the most of an interval that counts
	splits                int        // splits that are left: they make the bracket narrow, not true
}

// maxSplits bounds the work of one direction. A thousand are needed at µ = 1/4.
const maxSplits = 5000

// add adds the interval between two points.
func (g *gain) add(a, b point, depth int) {
	least := a.logSlope[1] - b.logSlope[0] + g.Mu*a.y - g.Mu*g.Mu/2
	most := b.logSlope[1] - a.logSlope[0] + g.Mu*b.y - g.Mu*g.Mu/2
	lost, won := between(a, b, 0), between(a, b, 1)
	if g.sign < 0 {
		least, most = -most, -least
		lost, won = won, lost
	}
	switch {
	case most < g.epsilon:
	case least > g.epsilon:
		g.won, g.lost = g.won+won.mass, g.lost+lost.mass
		g.cancelled = [2]float64{math.Max(g.cancelled[0], lost.cancelled), math.Max(g.cancelled[1], won.cancelled)}
	default:
		// The masses of narrow intervals are differences. Their error has no sign, and must not add up as
		// if it were a gain.
		left := lost.most() * (math.Exp(most) - g.factor)
		if math.IsNaN(left) || left > won.most() {
			left = won.most()
		}
		if left <= 1e-17 || depth > 50 || left <= 1e-10*(g.won-g.factor*g.lost) || g.splits == 0 {
			g.some += math.Max(0, won.least()-g.factor*lost.most())
			g.doubt += math.Max(0, left)
			return
		}
		g.splits--
		middle := g.at(a.y + (b.y-a.y)/2)
		g.add(a, middle, depth+1)
		g.add(middle, b, depth+1)
	}
}

// part is the mass of a world between two points.
type part struct{ mass, of, cancelled float64 } // a difference of two chances; of is the larger

func (p part) least() float64 { return math.Max(0, p.mass-roundingOfOne*p.of-p.cancelled) }
func (p part) most() float64  { return p.mass + roundingOfOne*p.of + p.cancelled }

// between returns the mass of a world between two points, from the nearer tail.
func between(a, b point, world int) part {
	if a.above[world] < a.below[world] {
		return part{math.Max(0, a.above[world]-b.above[world]), a.above[world], 0}
	}
	return part{math.Max(0, b.below[world]-a.below[world]), b.below[world], a.cancelled[world] + b.cancelled[world]}
}
