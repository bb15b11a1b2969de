package lratio

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
	"github.com/dplab/dplab/accounting/numeric"
)

// Part is a random allocation in a composition with events that this package does not know.
// Package pld composes its laws with theirs. A law above a likelihood ratio stays above it in a
// product with independent ratios, and a law below it stays below (law.go). The neighbors add,
// remove or zero a record. The law above the zero value has no privacy.
type Part struct{ p program }

// PartOf returns runs >= 1 of a RandomAllocation as a part, under one of these relations. What it
// runs must be Gaussian or ClippedSum releases. The error is that of EpsilonAt otherwise.
func PartOf(q ask.Question, runs int) (Part, error) {
	if err := check.AtLeast(1).Of("lratio: runs", float64(runs)); err != nil {
		return Part{}, err
	}
	p, err := compile(q.Part(accounting.Node{Shape: accounting.Repetition, Count: runs}.With(q.Node())))
	if err != nil {
		return Part{}, err
	}
	return Part{p}, nil
}

// Atoms is a law of Z = dP/dQ, where P is the law with the record and Q is that without it. The
// atoms have the log ratios Loss, in nats and rising, and masses under both laws.
//
// The masses may err by factors from 1-Error to 1+Error. A law above Z is above it for the worst
// masses in these bounds, and a law below it is below it for all.
type Atoms struct {
	Loss, With, Without []float64 // With are the masses under P, Without those under Q
	OnlyWith            float64   // mass of P where Q has none
	OnlyWithout         float64   // mass of Q where P has none
	Error               float64
}

// Above returns a law above Z with tails of mass e^logTail or less. For the zero value, and if the
// losses are too large for a law, all mass of each law is where the other has none.
func (t Part) Above(logTail float64) Atoms {
	cells, tail, err := t.grid(logTail)
	if err != nil {
		return Atoms{OnlyWith: 1, OnlyWithout: 1}
	}
	return t.above(cells, tail)
}

// above returns a law above Z of some cells.
func (t Part) above(cells int, logTail float64) (a Atoms) {
	c, err := t.p.above(cells, logTail)
	if err != nil {
		return Atoms{OnlyWith: 1, OnlyWithout: 1}
	}
	a.Error = 8 * unit
	for place, masses := range c.Points() {
		switch {
		case math.IsInf(place.Hi, 1):
			a.OnlyWith = masses[0]
		case math.IsInf(place.Lo, -1):
			a.OnlyWithout = masses[1]
		default:
			a.Loss = append(a.Loss, place.Hi)
			a.With, a.Without = append(a.With, masses[0]), append(a.Without, masses[1])
		}
	}
	return a
}

// Below returns a law below Z with such tails. It is the law of Z = 1 if a period has several
// participations, or if the losses are too large.
func (t Part) Below(logTail float64) Atoms {
	if cells, tail, err := t.grid(logTail); err == nil {
		if f, err := t.p.below(cells, tail); err == nil {
			return f.atoms()
		}
	}
	return Atoms{Loss: []float64{0}, With: []float64{1}, Without: []float64{1}}
}

// Attack returns the laws of an attack on one period, and the number of periods. Its outputs are a
// post-processing, so its δ is below that of the part. periods is 0 if there is none: Below then
// has a nearer law.
func (t Part) Attack() (law Atoms, periods int) {
	if len(t.p.periods) == 0 || t.p.periods[0].t > mostAttacked {
		return Atoms{}, 0
	}
	part := t.p.periods[0]
	law.With, law.Without, law.Error = t.p.attacks(part, numeric.Log(attackedAt)).Best(attackedAt).Listed()
	return law, part.repeated
}

// attackedAt is the δ that an attack in a composition is chosen for. Any choice is right.
const attackedAt = 1e-6

// Rough returns a law above Z that is less near to it, and has tails far below every δ. It is as
// that of Above for the zero value, and if the losses are too large.
func (t Part) Rough() Atoms {
	return t.above(roughCells, leastLogTail)
}

const roughCells = 1000

// Curve returns the curve of the law of Above. It is nil if the losses are too large for a law.
func (t Part) Curve(logTail float64) *splitlaw.Curve {
	cells, tail, err := t.grid(logTail)
	if err != nil {
		return nil
	}
	c, err := t.p.above(cells, tail)
	if err != nil {
		return nil
	}
	return &c
}

// grid returns the number of cells of a law, and the mass of its tails, one of a few at or below
// e^logTail.
func (t Part) grid(logTail float64) (cells int, tail float64, err error) {
	tail = sharedTail(logTail - logCut)
	cells, err = t.p.sharedCells(tail, usualWidth)
	return cells, tail, err
}

// atoms lists the atoms of a law below Z. It has e^-κ q f(e^∓η z) for an atom, with f rising in the
// remove direction and falling in the other (law.go). Masses e^{-κ-η} p and q in the first, and
// e^-κ q and e^η p in the second, have at most that. So Error is e^{κ+η}-1, with the rounding of p
// and of the loss.
func (f profile) atoms() Atoms {
	out := Atoms{}
	out.Error = math.Expm1(f.kappa+f.eta) + 8*unit
	for k, q := range f.q {
		if q < tiny || f.p[k] < tiny {
			continue
		}
		out.Loss = append(out.Loss, f.loss(k))
		out.With, out.Without = append(out.With, f.p[k]/scale), append(out.Without, q/scale)
	}
	return out
}
