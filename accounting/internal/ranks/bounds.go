package ranks

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
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
	source baserun.Source
}

// Around returns the bounds of each profile of a run, asked around its ε at delta. Without profiles
// it returns those of the Rényi curve. A profile with that ε above 150 is left out.
func Around(run baserun.Run, delta float64) []Bounds {
	var all []Bounds
	for _, s := range run.ProfileSources() {
		if points, scale, ok := s.Around(delta); ok {
			all = append(all, Bounds{s.Name, baserun.NewHockeyStick(points), newRankLines(points), points, scale, s})
		}
	}
	return all
}

// AroundReached is Around at delta, or at the first of its roots √δ, √√δ, ... at which a profile
// has an ε. So a run without a finite ε at delta has bounds too.
func AroundReached(run baserun.Run, delta float64) (all []Bounds) {
	for ; len(all) == 0 && delta < 0.999; delta = math.Max(1e-300, math.Sqrt(delta)) {
		all = Around(run, delta)
	}
	return all
}

// HockeyStick returns an upper bound on ∫ (Q - t Q')₊ at t >= 0. It does not rise with t.
func (b Bounds) HockeyStick(t float64) float64 { return b.stick.At(t) }

// Stick returns HockeyStick for t that are mostly close to the one before, which takes less time.
// It must not be called concurrently.
func (b Bounds) Stick() func(t float64) float64 { return b.stick.Near() }

// MostMass returns P(p), an upper bound on the mass that Q' can give to outputs of mass p in [0, 1]
// under Q: see pointwise. It does not fall with p.
func (b Bounds) MostMass(p float64) float64 { return b.lines.at(p) }

// BestOf returns a bound on ∫ (A - e^ε A')₊ for the best of K runs, over the outputs of one kind of
// run, per chance of such a run. All runs have the ranks that b allows; one has the profile of that
// kind. If that is b itself, the result bounds the privacy profile of the best of K runs.
func (b Bounds) BestOf(k law.Distribution) func(one Bounds, epsilon float64) float64 {
	bound, _, _ := b.BestOfShown(k)
	return bound
}

// BestOfShown is BestOf with the slopes and weights that show it: see Found.
func (b Bounds) BestOfShown(k law.Distribution) (bound func(one Bounds, epsilon float64) float64, slopes, weights []float64) {
	p := curveHull(k, b.lines).binned(binFor(b.scale))
	return func(one Bounds, epsilon float64) float64 { return p.deltaAt(epsilon, one.stick) }, p.slopes, p.weights
}

// Found has the ε of the best of K runs at one δ, and what shows it.
type Found struct {
	Pointwise   float64 // by the ranks that the profile allows, one by one; +Inf without such a bound
	Interleaved float64 // with the ranks that the outputs take; +Inf without such a bound

	// Slopes and Weights are those of the bound δ_A(ε) <= Σ Weights[i] H(e^ε Slopes[i]) that gives
	// Pointwise. The slopes rise.
	Slopes, Weights []float64
	// Masses has the masses s at which the bound that gives Interleaved is made.
	Masses []float64
}

// EpsilonsAt returns ε of the best of K runs at delta, by the ranks that b allows. Interleaved is
// set if withTaken is set and these ranks matter.
func (b Bounds) EpsilonsAt(k law.Distribution, delta float64, withTaken bool) Found {
	whole := curveHull(k, b.lines)
	p := whole.binned(binFor(b.scale))
	found := Found{Pointwise: p.epsilonAt(delta, b.stick), Interleaved: math.Inf(1), Slopes: p.slopes, Weights: p.weights}
	if !withTaken || math.IsInf(found.Pointwise, 1) {
		return found
	}
	taken, ok := newInterleaved(k, b.points, whole, found.Pointwise, delta)
	if !ok {
		return found
	}
	found.Interleaved = taken.epsilonAt(found.Pointwise)
	for _, place := range taken.places {
		found.Masses = append(found.Masses, place.s)
	}
	return found
}

// Proof returns the ε of the list, and what shows δ there, or nil.
func (b Bounds) Proof() (selected.Epsilons, *accounting.Proof) { return b.source.Proof(b.points) }

// ProveBestOf returns what shows the privacy profile of the best of K runs at any ε, rank by rank,
// or nil.
func (b Bounds) ProveBestOf(k law.Distribution) *accounting.Proof {
	_, slopes, weights := b.BestOfShown(k)
	epsilons, shown := b.Proof()
	return certificate.Proof(selected.RulePointwise, selected.Witness{Run: []selected.Epsilons{epsilons}, Slack: selected.Raises[0].Slack, Slopes: slopes, Weights: weights}, shown)
}

// Known returns the values of the profile, by rising ε, for a check.
func (b Bounds) Known() []selected.Known {
	known := make([]selected.Known, len(b.points))
	for i, p := range b.points {
		known[i] = selected.Known{Epsilon: p.E, Delta: p.Delta}
	}
	return known
}
