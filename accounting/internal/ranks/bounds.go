package ranks

import (
	"math"

	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Bounds is what one profile of a run allows, asked at a list of ε: how far apart the run's laws Q
// and Q' on neighboring data may be, in either order. Prices of selections are made of it.
type Bounds struct {
	Name   string // of the profile
	stick  *baserun.HockeyStick
	lines  rankLines
	points []baserun.Point
	scale  float64 // the run's ε around which the list is made
}

// Around returns the bounds of each profile of a run, asked around its ε at delta. Without profiles
// it returns those of the Rényi curve. A profile with that ε above 150 is left out.
func Around(run baserun.Run, delta float64) []Bounds {
	var all []Bounds
	for _, s := range run.ProfileSources() {
		if points, scale, ok := s.Around(delta); ok {
			all = append(all, Bounds{s.Name, baserun.NewHockeyStick(points), newRankLines(points), points, scale})
		}
	}
	return all
}

// HockeyStick returns an upper bound on ∫ (Q - t Q')₊ at t >= 0. It does not rise with t.
func (b Bounds) HockeyStick(t float64) float64 { return b.stick.At(t) }

// MostMass returns P(p), an upper bound on the mass that Q' can give to outputs of mass p in [0, 1]
// under Q: see pointwise. It does not fall with p.
func (b Bounds) MostMass(p float64) float64 { return b.lines.at(p) }

// BestOf returns a bound on ∫ (A - e^ε A')₊ for the best of K runs, over the outputs of one kind of
// run, per chance of such a run. All runs have the ranks that b allows; one has the profile of that
// kind. If that is b itself, the result bounds the privacy profile of the best of K runs.
func (b Bounds) BestOf(k law.Distribution) func(one Bounds, epsilon float64) float64 {
	p := curveHull(k, b.lines).binned(binFor(b.scale))
	return func(one Bounds, epsilon float64) float64 { return p.deltaAt(epsilon, one.stick) }
}

// EpsilonsAt returns ε of the best of K runs at delta, by the ranks that b allows, one by one. If
// withTaken is set, it also returns the ε with the ranks that the outputs take. Each is +Inf
// without such a bound, the second also if these ranks do not matter.
func (b Bounds) EpsilonsAt(k law.Distribution, delta float64, withTaken bool) (pointwise, interleaved float64) {
	whole := curveHull(k, b.lines)
	pointwise = whole.binned(binFor(b.scale)).epsilonAt(delta, b.stick)
	if !withTaken || math.IsInf(pointwise, 1) {
		return pointwise, math.Inf(1)
	}
	taken, ok := newInterleaved(k, b.points, whole, pointwise, delta)
	if !ok {
		return pointwise, math.Inf(1)
	}
	return pointwise, taken.epsilonAt(pointwise)
}
