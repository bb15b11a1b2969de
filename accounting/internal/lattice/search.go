package lattice

import (
	"math"
	"sync"
)

// The attacks that are tried. The best centers of G found by trial lie up to 5σ above P. Neither
// more centers nor more values change a lower end by more than a few percent.
var (
	centers    = []float64{0, 1, 2, 3, 4, 5} // in σ, above P
	firstCells = 20
	finerCells = 40
)

// Attacks answers questions about many δ of repeats >= 1 independent periods. Its laws are built
// once. It is safe for concurrent use.
type Attacks struct {
	place   Placement
	repeats int
	least   float64 // δ
	tried   []*attack
}

// attack is one attack with the losses of all periods, each composed at the first question.
type attack struct {
	Pair
	quick, fine func() [2]losses // for a removed record and for an added one
	finer       func() *attack   // the same with more values; nil if there is none
}

// Search returns the attacks of this package for δ from least on, which is in (0, 1). Outcomes with
// a chance far below least are left out. Any δ has a right answer, and a smaller one a worse one.
// Cost: about a tenth of a second.
func Search(s Placement, repeats int, least float64) *Attacks {
	a := &Attacks{place: s, repeats: repeats, least: least}
	if s.Moved == 1 {
		a.tried = append(a.tried, a.attack(Largest(s)))
	}
	for _, k := range centers {
		center := s.P + k*s.NoiseMultiplier
		one := a.attack(Sums(s, center, firstCells, least))
		one.finer = sync.OnceValue(func() *attack { return a.attack(Sums(s, center, finerCells, least)) })
		a.tried = append(a.tried, one)
	}
	return a
}

func (a *Attacks) attack(p Pair) *attack {
	composed := func(effort Effort) func() [2]losses {
		return sync.OnceValue(func() [2]losses {
			return [2]losses{p.composed(a.repeats, false, a.least*dropped, effort), p.composed(a.repeats, true, a.least*dropped, effort)}
		})
	}
	return &attack{Pair: p, quick: composed(Quick), fine: composed(Fine)}
}

// EpsilonAt returns the largest lower ends of ε, in nats, at delta in (0, 1): for a removed record
// and for an added one. The first question about some δ takes about half a second, and others
// milliseconds.
func (a *Attacks) EpsilonAt(delta float64) (remove, add float64) {
	best, remove, add := a.best(delta)
	if best == nil {
		return remove, add
	}
	ends := best.fine()
	return math.Max(remove, ends[0].epsilon(delta)), math.Max(add, ends[1].epsilon(delta))
}

// best returns the attack with the largest lower end by a quick composition, nil if no attack has
// one above 0, and the lower ends.
func (a *Attacks) best(delta float64) (best *attack, remove, add float64) {
	found := 0.0
	try := func(one *attack) {
		ends := one.quick()
		r, d := ends[0].epsilon(delta), ends[1].epsilon(delta)
		remove, add = math.Max(remove, r), math.Max(add, d)
		if e := math.Max(r, d); e > found {
			best, found = one, e
		}
	}
	for _, one := range a.tried {
		try(one)
	}
	if best != nil && best.finer != nil {
		try(best.finer())
	}
	return best, remove, add
}

// Best returns the attack on one period that EpsilonAt uses at delta. It lists nothing if no attack
// has a lower end above 0.
func (a *Attacks) Best(delta float64) Pair {
	if best, _, _ := a.best(delta); best != nil {
		return best.Pair
	}
	return Pair{}
}

// EpsilonAt is Attacks.EpsilonAt for one question. Cost: about half a second.
func EpsilonAt(s Placement, repeats int, delta float64) (remove, add float64) {
	return Search(s, repeats, delta).EpsilonAt(delta)
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
