package selection

import (
	"math"
	"sort"

	"github.com/dplab/dplab/accounting/selection/law"
)

// Known is what one profile says of a run, asked at a list of ε: how far its laws Q and Q' on neighboring data may be apart, in either
// order. Bounds on other protocols than the best of K are made of it; see package firstabove.
type Known struct {
	Name   string // of the profile
	hockey *hockey
	ranks  rankLines
	lines  []line
	scale  float64
}

// KnownAround returns what each profile of a run says, asked around its ε at delta; what its Rényi curve says where there is no profile. What
// puts that ε above 150 is left out.
func (b Base) KnownAround(delta float64) []Known {
	var all []Known
	for _, s := range b.Prepared().pointwiseSources() {
		if known, scale, ok := s.knownFor(delta); ok {
			all = append(all, Known{s.name, newHockey(known), newRankLines(known), known, scale})
		}
	}
	return all
}

// HockeyStick returns an upper bound on ∫ (Q - t Q')₊ at t >= 0. It does not rise with t.
func (k Known) HockeyStick(t float64) float64 { return k.hockey.at(t) }

// MostMass returns P(p), an upper bound on the mass that Q' can give to outputs of which Q gives p in [0, 1]; see PointwiseAt. It does not
// fall with p.
func (k Known) MostMass(p float64) float64 { return k.ranks.at(p) }

// BestOf returns PointwiseAt's bound on the privacy profile of the best of K runs with the ranks that k allows, of all runs, and with the
// profile one of those runs whose outputs count: as bound on ∫ (A - e^ε A')₊ over their outputs, per chance of such a run.
func (k Known) BestOf(runs law.Distribution) func(one Known, epsilon float64) float64 {
	p := newPointwise(runs, k.lines, math.Min(1, k.scale))
	return func(one Known, epsilon float64) float64 { return p.deltaAt(epsilon, one.hockey) }
}

// at returns P(p), rounded up. The lines fall up to the one that decides, then rise; any of them is above P.
func (r rankLines) at(p float64) float64 {
	value := func(i int) float64 { return r.offset[i] + r.slope[i]*p }
	if len(r.slope) == 0 {
		return 1
	}
	i := sort.Search(len(r.slope)-1, func(i int) bool { return value(i+1) >= value(i) })
	up, _ := piece{slope: r.slope[i], offset: r.offset[i]}.at(p)
	return up
}
