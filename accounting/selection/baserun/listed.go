package baserun

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// ListedFor returns the run for one price at delta of the best of K runs. Laws read slow profiles
// from the list that bounds by ranks ask for. They ask some twenty questions one by one, which cost
// more than the whole list. The chords of the list are above the profile by some 1e-5 of it, as it
// is convex in e^ε. Behind the list its last value bounds all.
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

// listed is the source as its list around the ε at delta knows it.
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

// ProfileSources are the profiles of a run, and its Rényi curve where there are none.
func (b Run) ProfileSources() []Source { return b.Sources()[:max(1, len(b.Profiles))] }

// Around returns what is known of the profile around scale, its ε at delta; ok is false if that is
// above 150.
func (s Source) Around(delta float64) (known []Point, scale float64, ok bool) {
	if scale = s.EpsilonAt(delta); !(scale <= mostAround) {
		return nil, scale, false
	}
	scale = math.Max(scale, leastAround)
	top := math.Min(math.Max(2*scale, s.EpsilonAt(1e-3*delta)), 2*mostAround)
	return s.list.around(s, scale, top), scale, true
}

// The ε of one run at which bounds by ranks look around: below the first it looks around that,
// above the second not at all, as e^(2ε) must be far from overflow.
const (
	leastAround = 1e-6
	mostAround  = 150
)
