package pld

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/numeric"
)

// A sample of fixed size, m of n records without replacement, for the replace-one relation.
//
// Let f be the trade-off function of the mechanism on m records: that of the pair (P, Q) that
// dominates it, with f symmetric. Let q = m/n. Then the sampled mechanism is C_q(f)-private, with
// C_q(f) the largest convex function below f_q = q f + (1-q) Id and its inverse (Dong, Roth, Su
// 2019, arXiv:1905.02383v3, Theorem 4.2). Trade-off functions compose by products of their pairs
// (Theorem 3.2 there). f_q is the trade-off function of ((1-q) Q + q P, Q), the pair of a Poisson
// sample in the remove direction.
//
// The pair of C_q(f). Its profile at ε >= 0 is that of f_q: slopes of f_q of size above 1 belong to
// ε > 0, those below 1 to the inverse. So the pair has
//
//   - positive losses: those of the remove pair, with the same masses a under the first and b under
//     the second law;
//   - negative losses: their mirror images, with b under the first and a under the second;
//   - loss 0: the remaining mass 1 - Σ(a+b), equal under both laws.
//
// The remaining mass is (1-q) (P(A) - Q(A)) plus the mass of ties, with A the outcomes of positive
// loss: P(A) + Q(A) = 1 less the ties, by symmetry. Both directions are the same pair.
//
// The pair of the remove direction prices one release but not compositions: the two sides of C_q(f)
// are attained by different data sets (Lebeda, Regehr, Kamath, Steinke 2024, arXiv:2405.20769v1).
// The mirrored pair dominates both.

// fixedSizeCells cuts the losses of the mirrored pair at multiples of h/2.
func (f mechanism) fixedSizeCells(h, logTail float64) (cells []cell, infinite float64) {
	half := h / 2
	upper := slices.DeleteFunc(f.lineCells(remove, h, logTail), func(c cell) bool { return c.j < 0 })
	// The masses decide which points have a positive loss. A loss next to 0 may be rounded to 0.
	points := slices.DeleteFunc(slices.Clone(f.base.points()), func(a outcome) bool { return a.p <= a.q })
	upper, infinite = f.withPoints(upper, points, remove, h)
	for _, c := range upper {
		cells = append(cells, c)
		cells = append(cells, c.mirror(half))
	}
	distance, tied := f.base.apart() // to a few units of 1
	if rest := (1-f.rate)*distance + tied; rest > 0 {
		cells = append(cells, cell{p: rest, s: 1, eta: math.Min(1, 16*unit+4*unit/rest), point: true})
	}
	slices.SortStableFunc(cells, func(a, b cell) int { return a.j - b.j })
	return cells, infinite
}

// mirror swaps the laws of a cell. q = p s e^{-jh/2} becomes the first mass; for a vague cell it is
// only an upper bound.
func (c cell) mirror(half float64) cell {
	out := cell{j: -c.j - 1, under: c.over, vague: c.vague}
	out.p, out.eta = held(c.p*c.s*math.Exp(-float64(c.j)*half), c.eta)
	if c.vague {
		out.eta = math.Max(1, out.eta)
	}
	out.s = math.Exp(-half) / c.s
	if c.point {
		out.j, out.s, out.point = -c.j, 1, true
	}
	return out
}

// fixedSizeAtoms returns the coarse copy of the mirrored pair.
func (f mechanism) fixedSizeAtoms() []logAtom {
	var out []logAtom
	for _, a := range f.coarseAtoms() {
		if a.p > a.q {
			a = f.logSampled(a)
			out = append(out, a, logAtom{a.q, a.p})
		}
	}
	distance, tied := f.base.apart()
	rest := numeric.Log((1-f.rate)*distance + tied)
	return append(out, logAtom{rest, rest})
}
