package exact

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// BestOfK is the release of the best of K runs, K drawn from a law, when a run is a
// Gaussian mechanism, N(0, 1) without the canary and N(µ, 1) with it, and its score grows
// with its output. The release is then the largest of K outputs, with distribution function
//
//	f(Φ(y)) and f(Φ(y-µ)),   f(x) = E[x^K],
//
// and for K = 0, with chance f(0), an output of its own that tells nothing.
//
// This is a lower limit for every bound on private selection that holds for all scores,
// and the exact price under the assumption of such a score.
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

// DeltaAt returns the least δ for which the release is (ε, δ)-private in both directions.
//
// The line is cut into intervals. In [a, b] the likelihood ratio of the worlds lies between
//
//	f'(Φ(a-µ))/f'(Φ(b)) e^(µa-µ²/2) and f'(Φ(b-µ))/f'(Φ(a)) e^(µb-µ²/2),
//
// since f' grows. Where e^ε is not between the two, the integral of (p_1 - e^ε p_0)_+ over
// [a, b] is known from the distribution functions; elsewhere the interval is halved until
// what is left is below 1e-7 of δ, or the work becomes too much: then the interval is wide,
// which happens for µ below some 0.05 and for laws of very many runs. Rounding, of the law's functions above all, is allowed
// for by 1e-10 of each probability.
//
// epsilon is in [0, 30].
func (b BestOfK) DeltaAt(epsilon float64) (accounting.Interval, error) {
	if err := b.Validate(); err != nil {
		return accounting.Interval{}, err
	}
	if err := check.Between(0, maxEpsilon).Of("exact: epsilon", epsilon); err != nil {
		return accounting.Interval{}, err
	}
	b.k = b.Law.Distribution()
	return interval(b.delta(epsilon)), nil
}

// EpsilonAt returns the least ε for which the release is (ε, delta)-private in both
// directions. delta is in [1e-12, 1).
func (b BestOfK) EpsilonAt(delta float64) (accounting.Interval, error) {
	if err := errors.Join(b.Validate(), validateDelta(delta)); err != nil {
		return accounting.Interval{}, err
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
	outside := math.Max(first.below[0]-b.k.PGF(0), first.below[1]-b.k.PGF(0)) + math.Max(last.above[0], last.above[1])
	rounding := roundingOfLaws * (g.won + g.factor*g.lost)
	return math.Max(0, g.sure-rounding), math.Min(1, g.sure+g.doubt+rounding+math.Max(0, outside))
}

const roundingOfLaws = 1e-10

// point holds what is known at one output y, of the worlds without (0) and with (1) the
// canary.
type point struct {
	y            float64
	above, below [2]float64 // chance of a larger, and a smaller or no output
	logSlope     [2]float64 // ln f'(Φ(y-µ)), and without µ
}

func (b BestOfK) at(y float64) (p point) {
	p.y = y
	for world, z := range [2]float64{y, y - b.Mu} {
		p.above[world] = b.k.SuccessProbability(numeric.NormalCDF(-z))
		p.below[world] = b.k.PGF(numeric.NormalCDF(z))
		p.logSlope[world] = b.k.LogPGFDerivative(numeric.NormalCDF(z))
	}
	return p
}

// gain adds up a direction's integral.
type gain struct {
	BestOfK
	epsilon, factor, sign float64
	sure, doubt           float64
	won, lost             float64 // mass of the two worlds in the intervals that count
	splits                int     // that may still be made: they make the bracket narrow, not true
}

// maxSplits bounds the work of one direction. A thousand are needed at µ = 1/4.
const maxSplits = 5000

// add adds the interval between two points.
func (g *gain) add(a, b point, depth int) {
	least := a.logSlope[1] - b.logSlope[0] + g.Mu*a.y - g.Mu*g.Mu/2
	most := b.logSlope[1] - a.logSlope[0] + g.Mu*b.y - g.Mu*g.Mu/2
	mass := [2]float64{between(a, b, 0), between(a, b, 1)}
	if g.sign < 0 {
		least, most = -most, -least
		mass[0], mass[1] = mass[1], mass[0]
	}
	switch {
	case most < g.epsilon:
	case least > g.epsilon:
		g.count(mass, 0)
	default:
		left := mass[0] * (math.Exp(most) - g.factor)
		if math.IsNaN(left) || left > mass[1] {
			left = mass[1]
		}
		if left <= 1e-17 || depth > 50 || left <= 1e-10*g.sure || g.splits == 0 {
			g.count(mass, math.Max(0, left))
			return
		}
		g.splits--
		middle := g.at(a.y + (b.y-a.y)/2)
		g.add(a, middle, depth+1)
		g.add(middle, b, depth+1)
	}
}

func (g *gain) count(mass [2]float64, doubt float64) {
	g.won, g.lost = g.won+mass[1], g.lost+mass[0]
	g.sure += math.Max(0, mass[1]-g.factor*mass[0])
	g.doubt += doubt
}

// between returns the mass of a world between two points, from the nearer tail.
func between(a, b point, world int) float64 {
	if a.above[world] < a.below[world] {
		return math.Max(0, a.above[world]-b.above[world])
	}
	return math.Max(0, b.below[world]-a.below[world])
}
