package auto

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/lattice"
)

// This file prices shuffled batches. The upper end is that of releases in a known order (package
// ask). The lower end is the largest ε of attacks on one example x against others that are
// chosen for the attack. A step releases the sum of gradients in [-1, 1], plus noise σ. Let the
// others' gradients be -1 throughout, that of x be 1, and add the number of the others in a full
// batch. In an epoch of T batches the release then has these means, with i uniform:
//
//	replace-special    2 at i with x, 1 at i if the gradient of x is zero, and 0 elsewhere
//	replace-one        2 at i with x, 0 everywhere with a gradient of -1
//	add-or-remove-one  2 at i with x; without x the last batch is one short: 1 at T, always
//
// Package lattice has attacks on each of these. Let instead all other gradients be 0. Then x joins
// a uniform batch, and only the release of that batch moves: the law of random allocation. So the
// lower end of RandomAllocation is one for shuffled batches. Under replace-one the first attack is
// exactly random allocation with half the noise, by one added or removed example.
//
// If one order is kept for E epochs, the same batches are released E times. Their means are
// sufficient: one epoch with noise σ/√E.
//
// Reference for the attack with others at -1: Chua et al. (2024), "How Private are DP-SGD
// Implementations?".

// shuffle is what an attack needs of shuffled batches.
type shuffle struct {
	whole  accounting.Shuffled
	noise  float64 // σ of one epoch, over the clip norm, rounded up
	epochs int
}

// shuffleOf returns the attacked epochs. The event on a batch must be a sum of clipped vectors, or
// a Gaussian. A Gaussian prices all releases that x moves by at most 1 under the relation, so also
// such a sum.
func shuffleOf(e accounting.Shuffled, relation accounting.Neighboring) (s shuffle, ok bool) {
	s = shuffle{whole: e, epochs: e.Epochs}
	switch inner := e.Event.(type) {
	case accounting.ClippedSum:
		s.noise = inner.NoiseMultiplier
	case accounting.Gaussian:
		if s.noise = inner.NoiseMultiplier; relation == accounting.ReplaceOne {
			s.noise *= 2 // vectors of norm 1/2 move the sum by 1
		}
	default:
		return shuffle{}, false
	}
	if e.Kept {
		s.noise, s.epochs = s.noise/math.Sqrt(float64(s.epochs))*(1+4*0x1p-53), 1
	}
	return s, true
}

// allocated returns random allocation of as many steps. ok is false if there is none.
func (s shuffle) allocated(event accounting.Event, epochs int) (allocation accounting.Event, ok bool) {
	const most = math.MaxInt32
	if s.whole.Batches < 2 || epochs > most/s.whole.Batches {
		return nil, false
	}
	return accounting.RandomAllocation{Period: s.whole.Batches, Steps: s.whole.Batches * epochs, Participations: 1, Event: event}, true
}

// attacked returns an event whose lower end is one for the shuffled batches, and its accountant.
func (s shuffle) attacked(a Accountant) (event accounting.Event, by Accountant, ok bool) {
	by, noise := a, s.noise
	if a.Neighboring() == accounting.ReplaceOne {
		by.Grid.Relation, noise = accounting.AddOrRemoveOne, s.noise/2*(1+2*0x1p-53)
	}
	by.options.Unchecked = true
	event, ok = s.allocated(accounting.Gaussian{NoiseMultiplier: noise}, s.epochs)
	return event, by, ok
}

// placement returns the release of one epoch. single is true under add-or-remove-one, where the
// place of the missing example is known.
func (s shuffle) placement(relation accounting.Neighboring) (p lattice.Placement, single bool) {
	p = lattice.Placement{NoiseMultiplier: s.noise, Steps: s.whole.Batches, Moved: 1, P: 2, Q: 1}
	if relation == accounting.ReplaceOne {
		p.Q = 0
	}
	return p, relation == accounting.AddOrRemoveOne
}

// lowerEpsilon returns the largest lower end of ε that an attack has.
func (s shuffle) lowerEpsilon(a Accountant, delta float64) (lower float64) {
	var remove, add float64
	if p, single := s.placement(a.Neighboring()); single {
		remove, add = lattice.Single(p).EpsilonAt(s.epochs, delta, lattice.Fine)
	} else {
		remove, add = lattice.EpsilonAt(p, s.epochs, delta)
	}
	lower = math.Max(remove, add)
	if event, by, ok := s.attacked(a); ok {
		if g, err := by.EpsilonAt(event, delta); err == nil && g.Epsilon.HasLower {
			lower = math.Max(lower, g.Epsilon.Lower)
		}
	}
	return lower
}

// lowerDelta returns the largest lower end of δ that an attack has.
func (s shuffle) lowerDelta(a Accountant, epsilon float64) (lower float64) {
	const drop = 1e-12
	var remove, add float64
	if p, single := s.placement(a.Neighboring()); single {
		remove, add = lattice.Single(p).DeltaAt(s.epochs, epsilon, drop, lattice.Quick)
	} else {
		remove, add = lattice.DeltaAt(p, s.epochs, epsilon)
	}
	lower = math.Max(remove, add)
	if event, by, ok := s.attacked(a); ok {
		if d, err := by.DeltaAt(event, epsilon); err == nil && d.HasLower {
			lower = math.Max(lower, d.Lower)
		}
	}
	return lower
}

// withShuffled completes the price of the event above an event with shuffled batches. Its lower
// end goes, as shuffled batches may cost less. If the event is nothing but shuffled batches, the
// lower end is that of an attack. The attack is on the event, so there is none with a reserve,
// which is for a mechanism that differs.
func (a Accountant) withShuffled(q ask.Question, price accounting.Price) (accounting.Price, error) {
	whole, is, inside := q.Shuffled()
	g := q.Guarantee(price.Guarantee)
	if price.Guarantee = g; !inside {
		return price, nil
	}
	g.Method = "as if the order were known: " + g.Method
	for i, b := range price.Bounds {
		price.Bounds[i].Method = "as if the order were known: " + b.Method
		if b.Theorem == "" {
			price.Bounds[i].Theorem = ask.KnownOrder
		}
	}
	if s, ok := shuffleOf(whole, a.Neighboring()); is && ok && ask.Reserve(a) == 0 {
		upper := g.Epsilon.Upper
		lower := math.Min(s.lowerEpsilon(a, g.Delta), upper)
		g.Epsilon = accounting.Certified(lower, upper, upper)
		g.Warnings[len(g.Warnings)-1] = a.aboutShuffled(s, g) // more than that of the question
	}
	price.Guarantee = g
	return price, nil
}

// aboutShuffled is the warning of a price that has both ends.
func (a Accountant) aboutShuffled(s shuffle, g accounting.Guarantee) error {
	instead := ""
	if event, ok := s.allocated(s.whole.Event, s.whole.Epochs); ok {
		by := a
		by.options.Unchecked = true
		if other, err := by.EpsilonAt(event, g.Delta); err == nil {
			instead = fmt.Sprintf("; drawing each example's batch independently costs about %s", accounting.FormatUpper(other.Epsilon.Upper))
		}
	}
	most := "at most "
	if g.Certificate == nil {
		most = "about "
	}
	return fmt.Errorf("shuffled; ε is about %.4f or more, by an attack against the worst case, and %s%s%s: %w",
		math.Floor(g.Epsilon.Lower*1e4)/1e4, most, accounting.FormatUpper(g.Epsilon.Upper), instead, accounting.ErrUnknownAmplification)
}

// deltaOfShuffled is withShuffled for a δ.
func (a Accountant) deltaOfShuffled(q ask.Question, epsilon float64, delta accounting.Interval) accounting.Interval {
	whole, is, inside := q.Shuffled()
	if !inside {
		return delta
	}
	if s, ok := shuffleOf(whole, a.Neighboring()); is && ok && ask.Reserve(a) == 0 {
		return accounting.Certified(math.Min(s.lowerDelta(a, epsilon), delta.Upper), delta.Upper, delta.Upper)
	}
	return q.Interval(delta)
}
