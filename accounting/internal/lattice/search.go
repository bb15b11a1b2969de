package lattice

import "math"

// The attacks that are tried. The best centers of G found by trial lie up to 5σ above P. Neither
// more centers nor more values change a lower end by more than a few percent.
var (
	centers    = []float64{0, 1, 2, 3, 4, 5} // in σ, above P
	firstCells = 20
	finerCells = 40
)

// EpsilonAt returns the largest lower ends of ε, in nats, that the attacks of this package find
// for repeats >= 1 independent periods at delta in (0, 1): for a removed record and for an added
// one. Cost: about half a second.
func EpsilonAt(s Placement, repeats int, delta float64) (remove, add float64) {
	best, found, bestCenter := Pair{}, 0.0, math.NaN()
	try := func(p Pair, center float64) {
		r, a := p.EpsilonAt(repeats, delta, Quick)
		remove, add = math.Max(remove, r), math.Max(add, a)
		if e := math.Max(r, a); e > found {
			best, found, bestCenter = p, e, center
		}
	}
	if s.Moved == 1 {
		try(Largest(s), math.NaN())
	}
	for _, k := range centers {
		try(Sums(s, s.P+k*s.NoiseMultiplier, firstCells, delta), s.P+k*s.NoiseMultiplier)
	}
	if !math.IsNaN(bestCenter) {
		try(Sums(s, bestCenter, finerCells, delta), bestCenter)
	}
	if found == 0 {
		return remove, add
	}
	r, a := best.EpsilonAt(repeats, delta, Fine)
	return math.Max(remove, r), math.Max(add, a)
}

// DeltaAt returns lower ends of δ at epsilon >= 0, as EpsilonAt does for ε, by fewer attacks.
// Cost: about a twentieth of a second.
func DeltaAt(s Placement, repeats int, epsilon float64) (remove, add float64) {
	const drop = 1e-12 // δ below about 1e-11 may be given as 0
	try := func(p Pair) {
		r, a := p.DeltaAt(repeats, epsilon, drop, Quick)
		remove, add = math.Max(remove, r), math.Max(add, a)
	}
	if s.Moved == 1 {
		try(Largest(s))
	}
	for _, k := range centers {
		try(Sums(s, s.P+k*s.NoiseMultiplier, firstCells/2, drop))
	}
	return remove, add
}
