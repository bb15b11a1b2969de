package pld

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/gridlaw"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
	"github.com/dplab/dplab/accounting/lratio"
	"github.com/dplab/dplab/accounting/numeric"
)

// A random allocation among other events. Package lratio has two laws of its likelihood ratio, one
// above it and one below it. An upper end comes from the first. A lower end comes from the second,
// as an attack does (batches.go).
//
// The laws are ordered by all convex functions that rise or fall. For a fixed value of the other
// events' ratio Z', the δ of the product, E(ZZ'-c)₊ or E(1-cZZ')₊, is such a function of Z. So the
// order holds for the composition. It holds on a Poisson sample too, whose ratio 1-q+qZ is linear
// in Z. ∎

// allocationBase has the laws of runs of a random allocation, taken together.
type allocationBase struct {
	noLine
	event accounting.RandomAllocation
	runs  int
	part  lratio.Part
	below bool // the law is that below
}

func (allocationBase) reach() float64 { return math.Inf(1) }
func (allocationBase) mirrored() bool { return false }

func (b allocationBase) checked(m gridlaw.Mechanism, _ mechanism, logTail float64) (gridlaw.Mechanism, bool) {
	m.Kind, m.Curve, m.Given = gridlaw.Ratio, b.part.Curve(logTail), splitlaw.Given
	return m, m.Curve != nil
}

// addAllocation adds runs of an allocation. On a sample each run is a mechanism, and otherwise all
// equal runs are one.
func (c *collector) addAllocation(run accounting.Node, rate, count float64) error {
	e := run.Event.(accounting.RandomAllocation)
	if c.relation == accounting.ReplaceOne || c.fixedSize || c.shown > 0 {
		return unsupported(e)
	}
	if count > mostAllocations {
		return fmt.Errorf("pld: %g runs of %v: must be at most %d", count, e, mostAllocations)
	}
	runs := 1
	if rate == 1 {
		runs, count = int(count), 1
	}
	at := slices.IndexFunc(c.mechanisms, func(f mechanism) bool {
		b, ok := f.base.(allocationBase)
		return ok && f.rate == rate && reflect.DeepEqual(b.event, e)
	})
	if at >= 0 && rate < 1 {
		c.mechanisms[at].count += count
		return nil
	}
	if at >= 0 {
		runs += c.mechanisms[at].base.(allocationBase).runs
	}
	part, err := lratio.PartOf(c.asked.Part(run), runs)
	if err != nil {
		return err
	}
	if at < 0 {
		at = len(c.mechanisms)
		if err := c.put(key{kind: -1 - at, rate: rate}, nil, count); err != nil {
			return err
		}
	}
	m := &c.mechanisms[at]
	m.base = allocationBase{event: e, runs: runs, part: part}
	m.attacks = []mechanism{{base: allocationBase{event: e, runs: runs, part: part, below: true}, rate: rate, count: 1}}
	if rate == 1 {
		if attack, ok := attackOn(part); ok {
			m.attacks[0] = attack
		}
	}
	return nil
}

// attackOn returns the attack on all periods of a part. On a sample there is none, because the
// record is in the sample in all periods or in none.
func attackOn(part lratio.Part) (attack mechanism, ok bool) {
	law, periods := part.Attack()
	if periods == 0 {
		return mechanism{}, false
	}
	var outcomes []outcome
	for i, p := range law.With {
		outcomes = append(outcomes, given(p, law.Without[i], law.Error))
	}
	return mechanism{base: attackBase{discreteBase{outcomes: outcomes}}, rate: 1, count: float64(periods)}, true
}

const mostAllocations = 1 << 30

// atoms returns the law with tails below e^logTail.
func (b allocationBase) atoms(logTail float64) lratio.Atoms {
	if b.below {
		return b.part.Below(logTail)
	}
	return b.part.Above(logTail)
}

// sampledAtom is an atom on the sample, in a direction: its loss, and its masses under the first
// and the second law.
type sampledAtom struct{ loss, p, q float64 }

// sampledAtoms lists the atoms of a law by their loss. A mass that only the first law has is
// infinite.
func (f mechanism) sampledAtoms(law lratio.Atoms, d direction) (atoms []sampledAtom, infinite float64) {
	put := func(loss, p, q float64) {
		a := sampledAtom{f.sampledLoss(loss), (1-f.rate)*q + f.rate*p, q}
		if d == add {
			a = sampledAtom{-a.loss, a.q, a.p}
		}
		switch {
		case math.IsInf(a.loss, 1):
			infinite += a.p
		case !math.IsInf(a.loss, -1):
			atoms = append(atoms, a)
		}
	}
	if law.OnlyWithout > 0 {
		put(math.Inf(-1), 0, law.OnlyWithout)
	}
	for i, loss := range law.Loss {
		put(loss, law.With[i], law.Without[i])
	}
	if law.OnlyWith > 0 {
		put(math.Inf(1), law.OnlyWith, 0)
	}
	if d == add {
		slices.Reverse(atoms)
	}
	return atoms, infinite
}

// ownCells returns one cell for each atom.
func (b allocationBase) ownCells(f mechanism, d direction, h, logTail float64) (cells []cell, infinite float64) {
	law := b.atoms(logTail)
	atoms, infinite := f.sampledAtoms(law, d)
	eta := law.Error + 4*unit
	for _, a := range atoms {
		j := math.Floor(a.loss / (h / 2))
		c := cell{j: int(j), s: math.Exp(j*h/2 - a.loss)}
		c.p, c.eta = held(a.p, eta)
		cells = append(cells, c)
	}
	if len(cells) == 0 { // a grid needs one, and less mass would lower nothing
		cells = append(cells, cell{p: math.SmallestNonzeroFloat64, s: 1, eta: 1})
	}
	slices.SortStableFunc(cells, func(a, b cell) int { return a.j - b.j })
	return cells, infinite * (1 + eta)
}

// ownRange returns the range of the losses.
func (b allocationBase) ownRange(f mechanism, d direction, logTail float64) (lo, hi float64) {
	atoms, _ := f.sampledAtoms(b.atoms(logTail), d)
	if len(atoms) == 0 {
		return 0, 0
	}
	return math.Min(0, atoms[0].loss), math.Max(0, atoms[len(atoms)-1].loss)
}

// ownAtoms returns a coarse copy: one atom without loss if no law is at hand.
func (b allocationBase) ownAtoms(f mechanism, d direction) (out []logAtom) {
	atoms, _ := f.sampledAtoms(b.part.Rough(), d)
	if len(atoms) == 0 {
		return []logAtom{{0, 0}}
	}
	for _, a := range atoms {
		switch l := (logAtom{numeric.Log(a.p), numeric.Log(a.q)}); {
		case a.p < leastMass && a.q < leastMass:
		case a.q < leastMass:
			out = append(out, logAtom{l.p, l.p - a.loss})
		case a.p < leastMass:
			out = append(out, logAtom{l.q + a.loss, l.q})
		default:
			out = append(out, l)
		}
	}
	return out
}
