package pld

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/internal/batchpairs"
	"github.com/dplab/dplab/accounting/numeric"
)

// The pair of laws of a profile that is known in both directions, δ(ε) and δ'(ε) for ε >= 0.
//
// Each is a sum of profiles of pairs of laws whose sets of largest loss are half lines. In one
// direction the pair has
//
//   - positive losses: those of all terms, with their masses under both laws times the weights;
//   - negative losses: those of the other direction, with the laws exchanged;
//   - loss 0: the remaining mass, equal under both laws.
//
// Proof. At ε >= 0 only positive losses count, and a weighted sum of profiles is the profile of the
// weighted masses. For c = e^ε < 1, H(c) = 1 - c + c H'(1/c). The masses that remain are
//
//	1 - P(+) - Q'(+)  and  1 - Q(+) - P'(+),
//
// which are equal as P(+) - Q(+) = δ(0) = δ'(0) = P'(+) - Q'(+). So it is a pair, and the profile
// is its own. ∎
//
// The masses are differences of normal tails. Differences of the profile itself would have no
// digits left at small losses.

// side returns the terms of a direction.
func (b profileBase) side(d direction) batchpairs.Side {
	if d == add {
		return b.profile.Without
	}
	return b.profile.With
}

// used splits the terms of a side. Those far below the tail only add their chance to the
// infinite mass.
func (b profileBase) used(d direction, logTail float64) (terms []batchpairs.Term, infinite float64) {
	side := b.side(d)
	infinite = side.Rest
	for _, t := range side.Terms {
		if w := t.Weight * t.Most(); w > 0 && numeric.Log(w) < logTail-3 {
			infinite += w
			continue
		}
		terms = append(terms, t)
	}
	return terms, infinite
}

// top returns a loss that is large enough for the tail.
func (b profileBase) top(d direction, logTail float64) float64 {
	terms, _ := b.used(d, logTail)
	top := 0.0
	for _, t := range terms {
		if y := t.Far(b.profile.NoiseMultiplier, logTail); !math.IsInf(y, 0) {
			top = math.Max(top, t.LogRatio(b.profile.NoiseMultiplier, y))
		}
	}
	return top
}

// positive returns the cells of positive loss in direction d, cut at multiples of half.
func (b profileBase) positive(d direction, half, logTail float64) (cells []cell, infinite float64) {
	sigma := b.profile.NoiseMultiplier
	terms, infinite := b.used(d, logTail)
	top := int(math.Ceil(b.top(d, logTail)/half)) + 1
	const lost = 4 * math.SmallestNonzeroFloat64 // of each cell whose mass underflows: see lineCells
	p, q, errors := make([]float64, top+1), make([]float64, top+1), make([]float64, top+1)
	for _, t := range terms {
		with, without := newMixture(t.P(), sigma), newMixture(t.Q(), sigma)
		tau := t.Root(sigma, 0, math.Inf(-1))
		with.next(tau)
		without.next(tau)
		for j := range p {
			next := math.Inf(1)
			if j < top && !math.IsInf(tau, 1) {
				next = t.Root(sigma, float64(j+1)*half, tau)
			}
			mp, ep := with.next(next)
			mq, eq := without.next(next)
			tau = next
			p[j] += t.Weight * mp
			q[j] += t.Weight * mq
			if mp > 0 {
				errors[j] = math.Max(errors[j], ep)
			}
			if mq > 0 {
				errors[j] = math.Max(errors[j], eq)
			}
		}
	}
	missing := 0.0
	for j := range p {
		if !(p[j] > 0) {
			missing += lost
			continue
		}
		c := cell{j: j, s: 1, over: j == top}
		c.p, c.eta = held(p[j], errors[j]+4*unit)
		if q[j] < leastMass {
			c.vague = true
		} else {
			c.s = ratio(atom{p: p[j], q: q[j]}, float64(j)*half)
		}
		cells = append(cells, c)
	}
	return cells, infinite + missing
}

// ownCells returns the cells of one run.
func (b profileBase) ownCells(_ mechanism, d direction, h, logTail float64) (cells []cell, infinite float64) {
	half := h / 2
	cells, infinite = b.positive(d, half, logTail)
	others, _ := b.positive(1-d, half, logTail)
	for _, c := range others {
		cells = append(cells, c.mirror(half))
	}
	mass := b.tied(d)
	cells = append(cells, cell{p: mass, s: 1, eta: math.Min(1, 16*unit+16*unit/mass), point: true})
	slices.SortStableFunc(cells, func(a, b cell) int { return a.j - b.j })
	return cells, infinite
}

// tied returns the mass at loss 0, which is at least a few units.
func (b profileBase) tied(d direction) float64 {
	rest := 1.0
	sum := func(side batchpairs.Side, law func(batchpairs.Term) []batchpairs.Component) {
		for _, t := range side.Terms {
			m := newMixture(law(t), b.profile.NoiseMultiplier)
			m.next(t.Root(b.profile.NoiseMultiplier, 0, math.Inf(-1)))
			mass, _ := m.next(math.Inf(1))
			rest -= t.Weight * mass
		}
	}
	sum(b.side(d), batchpairs.Term.P)
	sum(b.side(1-d), batchpairs.Term.Q)
	return math.Max(rest, 16*unit)
}

// ownRange returns the range of the losses.
func (b profileBase) ownRange(_ mechanism, d direction, logTail float64) (lo, hi float64) {
	return -b.top(1-d, logTail), b.top(d, logTail)
}

// ownAtoms returns a coarse copy.
func (b profileBase) ownAtoms(_ mechanism, d direction) []logAtom {
	sigma := b.profile.NoiseMultiplier
	var out []logAtom
	for _, side := range []direction{d, 1 - d} {
		terms, _ := b.used(side, -700)
		for _, t := range terms {
			p, q := newMixture(t.P(), sigma), newMixture(t.Q(), sigma)
			lo, hi := t.Root(sigma, 0, math.Inf(-1)), t.Far(sigma, -690)
			if !(lo < hi) || math.IsInf(lo, 0) {
				continue
			}
			p.next(lo)
			q.next(lo)
			for i := range coarseCells {
				mid := lo + (hi-lo)*(float64(i)+0.5)/coarseCells
				x := lo + (hi-lo)*float64(i+1)/coarseCells
				mp, _ := p.next(x)
				mq, _ := q.next(x)
				if mp < leastMass {
					continue
				}
				a := logAtom{numeric.Log(t.Weight * mp), numeric.Log(t.Weight * mq)}
				if mq < leastMass {
					a.q = a.p - t.LogRatio(sigma, mid)
				}
				if side != d {
					a.p, a.q = a.q, a.p
				}
				out = append(out, a)
			}
		}
	}
	rest := numeric.Log(b.tied(d))
	return append(out, logAtom{rest, rest})
}
