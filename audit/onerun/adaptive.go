package onerun

import (
	"errors"
	"slices"

	"github.com/dplab/dplab/audit"
)

// InTurn returns the lower bound on ε from guesses that were made one after the other. Each guess
// may use the outcomes of the coins guessed before. The bound is the largest ε with
//
//	P[Bin(r, p) >= v] + m δ (1-p) <= significance,  p = e^ε/(1+e^ε)
//
// Any rule may choose the next coin and its guess. r is fixed beforehand. The comment of order.go
// has the proof.
func InTurn(g Guesses, cfg audit.Config) (audit.Bound, error) {
	if err := errors.Join(g.Validate(), cfg.Validate()); err != nil {
		return audit.Bound{}, err
	}
	b := audit.NewBound("one-run-adaptive", audit.AssumeOneRun, cfg, "Keinan, Shenfeld, Ligett (2025), arXiv:2503.07199v3, for δ = 0; the δ term is derived in this package")
	b.ChosenBefore = g.fixed()
	b.Epsilon = lastRefuted(g, cfg, inTurn)
	b.Ceiling = lastRefuted(g.perfect(), cfg, inTurn)
	doubtCeiling(&b, g, func(g Guesses) bool { return lastRefuted(g, cfg, inTurn) > 0 })
	return b, nil
}

// GuessInTurn guesses r coins one after the other. It guesses the largest score left as a member,
// or the smallest as a non-member. The ends take turns, unless one has recently been right more
// often by two standard errors. If only one end distinguishes canaries, most guesses go there,
// while [Guess] puts half of them there.
//
// Ties are broken at random by the seed, which must be independent of the scores; see
// [audit.Scores.BreakTies]. If all scores are equal, no guess counts as right.
func GuessInTurn(scores audit.Scores, r int, seed uint64) (Guesses, error) {
	s, err := scores.BreakTies(seed)
	if err != nil {
		return Guesses{}, err
	}
	g := Guesses{Canaries: len(s.Member) + len(s.NonMember), Guessed: r}
	if err := g.Validate(); err != nil {
		return Guesses{}, err
	}
	in := ascending(s)
	if len(s.Member) > 0 && len(s.NonMember) > 0 && slices.Min(s.Member) == slices.Max(s.NonMember) && slices.Max(s.Member) == slices.Min(s.NonMember) {
		return g, nil
	}
	var top, bottom record
	for range r {
		var right bool
		if top.before(bottom) {
			right, in = in[len(in)-1], in[:len(in)-1]
			top.add(right)
		} else {
			right, in = !in[0], in[1:]
			bottom.add(right)
		}
		if right {
			g.Correct++
		}
	}
	return g, nil
}

// ascending returns whether each score is a member's, from the smallest to the largest. No two
// scores of different classes are equal, or all scores are.
func ascending(s audit.Scores) (in []bool) {
	i, j := 0, 0
	for i < len(s.Member) || j < len(s.NonMember) {
		member := j == len(s.NonMember) || i < len(s.Member) && s.Member[i] < s.NonMember[j]
		if member {
			i++
		} else {
			j++
		}
		in = append(in, member)
	}
	return in
}

// record counts guesses at one end, and weighs them: each has 31/32 of the weight of the next.
type record struct {
	guesses    int
	right, all float64
}

func (r *record) add(right bool) {
	const keep = 31.0 / 32
	r.guesses, r.right, r.all = r.guesses+1, keep*r.right, keep*r.all+1
	if right {
		r.right++
	}
}

// hope is the share of right guesses and its squared error. One right and one wrong guess are
// assumed before the first.
func (r record) hope() (share, variance float64) {
	share = (r.right + 1) / (r.all + 2)
	return share, share * (1 - share) / (r.all + 3)
}

// before reports whether the next guess is at r's end, and not at that of other.
func (r record) before(other record) bool {
	share, variance := r.hope()
	otherShare, otherVariance := other.hope()
	if apart := share - otherShare; apart*apart > 4*(variance+otherVariance) {
		return apart > 0
	}
	return r.guesses <= other.guesses
}
