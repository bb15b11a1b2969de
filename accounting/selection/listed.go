package selection

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// listedFor returns the base for one price at delta, with what laws are told of a slow profile taken from the list that pointwiseBounds asks
// for: laws ask some twenty questions one by one, which cost more than all of the list together. The chords of the list are above the
// profile by some 1e-5 of it, as it is convex in e^ε; behind the list its last value bounds all.
func (b Base) listedFor(k law.Distribution, delta float64) Base {
	known := &sources{quick: b.known.quick}
	for i, s := range b.known.all {
		if i < len(b.Profiles) && !s.quick && s.deltasAt != nil {
			s = s.listed(delta / math.Max(1, k.Mean()))
		}
		known.all = append(known.all, s)
	}
	b.known = known
	return b
}

// listed is the source as its list around the ε at delta knows it.
func (s source) listed(delta float64) source {
	known, _, ok := s.knownFor(delta)
	if !ok {
		return s
	}
	h := newHockey(known)
	p := Profile{Name: s.name, quick: true, DeltaAt: func(epsilon float64) float64 { // rounded up as pointwise.deltaAt is
		return math.Min(1, h.at(numeric.ExpBelow(epsilon))*(1+1e-7))
	}}
	told := p.told().Remembering()
	s.logWeight = func(k law.Distribution, order float64) float64 { return k.MaxLogWeight(order, told) }
	s.overProfiles = func(f func(Profile) float64) float64 { return f(p) }
	s.crossing = told.Crossing
	return s
}
