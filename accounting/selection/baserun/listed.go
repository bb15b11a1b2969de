package baserun

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// ListedFor returns the run for one price at delta of the best of K runs. In it laws read slow
// profiles from the list of values that bounds by ranks use. A law asks some twenty questions one
// by one, and these cost more than the whole list. The profile is convex in e^ε, so the chords of
// the list are above it, by some 1e-5 of its value. Beyond the list its last value is the bound.
func (b Run) ListedFor(k law.Distribution, delta float64) Run {
	known := &sources{fast: b.known.fast}
	for i, s := range b.known.all {
		if i < len(b.Profiles) && !s.Fast && s.DeltasAt != nil {
			s = s.listed(delta / math.Max(1, k.Mean()))
		}
		known.all = append(known.all, s)
	}
	b.known = known
	return b
}

// listed returns the source with its answers to laws read from its list around the ε at delta.
func (s Source) listed(delta float64) Source {
	known, _, ok := s.Around(delta)
	if !ok {
		return s
	}
	h := NewHockeyStick(known)
	p := Profile{Name: s.Name, quick: true, DeltaAt: func(epsilon float64) float64 { // rounded up as ranks does
		return math.Min(1, h.At(numeric.ExpBelow(epsilon))*(1+1e-7))
	}}
	memoized := p.AsLawProfile().Memoized()
	s.LogWeight = func(k law.Distribution, order float64) float64 { return k.MaxLogWeight(order, memoized) }
	s.OverProfiles = func(f func(Profile) float64) float64 { return f(p) }
	s.Crossing = memoized.Crossing
	return s
}

// ProfileSources returns the sources of the profiles of a run, or that of its Rényi curve if it has
// no profiles.
func (b Run) ProfileSources() []Source { return b.Sources()[:max(1, len(b.Profiles))] }

// Around returns values of the profile around scale, its ε at delta. ok is false if scale is above
// 150.
func (s Source) Around(delta float64) (known []Point, scale float64, ok bool) {
	if scale = s.EpsilonAt(delta); !(scale <= mostAround) {
		return nil, scale, false
	}
	scale = math.Max(scale, leastAround)
	top := math.Min(math.Max(2*scale, s.EpsilonAt(1e-3*delta)), 2*mostAround)
	return s.list.around(s, scale, top), scale, true
}

// Bounds by ranks use values around the ε of one run. An ε below leastAround is raised to it. Above
// mostAround they return nothing, as e^(2ε) must not overflow.
const (
	leastAround = 1e-6
	mostAround  = 150
)
