package lratio

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/lattice"
	"github.com/dplab/dplab/accounting/numeric"
)

// This file bounds ε under replace-one, and has lower ends by attacks.
//
// Let P and P' be the laws of the outputs with the two examples x and x', and N the law with a zero
// vector in their place. With H_c(P‖N) = sup_S P(S) - c N(S),
//
//	H_{cc'}(P‖P') <= H_c(P‖N) + c H_{c'}(N‖P')
//
// because P(S) - cc' P'(S) = (P(S) - c N(S)) + c (N(S) - c' P'(S)). The pair (P, N) is that of a
// removed example, and (N, P') that of an added one, so one upper law bounds both terms. Any c
// gives a bound, and the least one found is taken.
//
// A Gaussian that is not on a hidden sample moves by at most 1 if a record is replaced. Nothing is
// known of it with a zero vector. But it is dominated by N(1/2, σ²) against N(-1/2, σ²), with N(0,
// σ²) between them. A period with one participation is dominated by
//
//	(1/t) Σ N(e_i, σ²I)    against    (1/t) Σ N(-e_i, σ²I),
//
// and a Poisson sample of a ClippedSum by the pair of Node.Lowered. So the inequality holds for the
// product of the pairs, with the law of pure noise between them.
//
// Proof for a period. For a continuation π of the test after the first output y, let α(π) be its
// chance to accept if all later steps are noise. The first step adds (1/t)∫α(π_y)(f_x - c f_x')dy +
// ∫f_0 γ(π_y)dy, with γ the value of the later steps: after x took part, both worlds are noise. Let
// R be the reflection through 0 that maps x' to -|x'|x/|x|. Of each pair {y, Ry} give the
// continuation with the larger α to the side of x and x'. The second term stays. The first grows,
// for the new vector Rx' in place of x'. So x and x' may lie on one line, on two sides of 0. There
// each y takes the π of the largest α(π)w(y) + γ(π), and w = (f_x - c f_x')/(t f_0) rises in y. So
// α(π_y) rises in y, and then |x| = |x'| = 1 is the worst. Later steps have the same form, with a
// multiple of f_0 added. A cut period has fewer terms. ∎
//
// With more participations that proof fails. The inequality then holds for the laws of the runs
// themselves, if no Gaussian is run next to them: see checkReplaced.

// checkReplaced returns an error if no theorem covers the events under replace-one.
func (p program) checkReplaced() error {
	if !p.replaced || p.gaussian == 0 {
		return nil
	}
	for _, part := range p.periods {
		if part.k > 1 {
			return fmt.Errorf("lratio: a period with %d participations next to a Gaussian under %v: %w", part.k, accounting.ReplaceOne, accounting.ErrUnsupportedEvent)
		}
	}
	return nil
}

// hidden returns the distance of the event on a hidden batch. Under replace-one it must be a
// ClippedSum: only then is the law with a zero vector known.
func (p program) hidden(event accounting.Node) (float64, error) {
	if p.replaced && !accounting.IsClippedSum(event) {
		return 0, fmt.Errorf("lratio: %T on a hidden batch under %v: must be a ClippedSum: %w", event.Event, accounting.ReplaceOne, accounting.ErrUnsupportedEvent)
	}
	return p.distance(event)
}

// shown returns the distance, in standard deviations and rounded up, of all releases if each
// example's steps were public. A replaced vector moves a sum twice as far as a removed one.
func (p program) shown() float64 {
	d := math.Sqrt(p.revealed) * (1 + 0x1p-40)
	if p.replaced {
		return 2 * d
	}
	return d
}

// attacked returns a lower end of ε by attacks on one kind of periods each.
func (p program) attacked(delta float64) (most float64) {
	for _, part := range p.periods {
		if part.t > mostAttacked {
			continue
		}
		remove, add := p.attacks(part, numeric.Log(delta)).EpsilonAt(delta)
		most = math.Max(most, math.Max(remove, add))
	}
	return most
}

// attacks returns the attacks on periods of one kind. Those of all δ with the same tails of a law
// (shared.go) are remembered together.
func (p program) attacks(part periods, logDelta float64) *lattice.Attacks {
	tail, place := sharedTail(logDelta), p.placement(part)
	found, _ := attacks.of(lawKey{fmt.Sprintf("%x %d %d %d %g", part.s, part.t, part.k, part.repeated, place.Q), 0, tail}, func() (*lattice.Attacks, error) {
		return lattice.Search(place, part.repeated, math.Max(math.Exp(tail-logCut), math.SmallestNonzeroFloat64)), nil
	})
	return found
}

// attacks is the memory of attacks of all accountants.
var attacks memory[*lattice.Attacks]

// mostAttacked bounds the steps of an attacked period. Attacks on more would take too long.
const mostAttacked = 10_000

// attackedDelta is attacked for δ.
func (p program) attackedDelta(epsilon float64) (most float64) {
	for _, part := range p.periods {
		if part.t > mostAttacked {
			continue
		}
		remove, add := lattice.DeltaAt(p.placement(part), part.repeated, epsilon)
		most = math.Max(most, math.Max(remove, add))
	}
	return most
}

func (p program) placement(part periods) lattice.Placement {
	s := lattice.Placement{NoiseMultiplier: (1 + 0x1p-50) / part.s, Steps: part.t, Moved: part.k, P: 1}
	if p.replaced {
		s.Q = -1
	}
	return s
}
