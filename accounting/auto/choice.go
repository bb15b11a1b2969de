package auto

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	checks "github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
)

// This file bounds a choice by the exponential mechanism, followed by all other events.
//
// On one pair of neighbors the choice is a post-processing of one among two outputs. Their losses
// are t and t-ε0 for some t in [0, ε0] (package pld, rangepair.go). Nothing ran before it, so t
// depends only on the data. The later events may depend on the choice. Their laws Q and Q' have ∫
// (Q - xQ')₊ <= H(x) after every choice. Let a be the chance of the first output, with the record.
// Then the whole has
//
//	δ_t(x) <= a H(x e^{-t}) + (1-a) H(x e^{ε0-t}),    a = (1-e^{t-ε0})/(1-e^{-ε0}),
//
// and δ is at most the largest over t. If the neighbors are exchanged, t becomes ε0-t, and H holds
// in both orders. The two outputs of losses v and u-ε0 bound all t in [u, v] together, by the same
// argument. The pair of package pld has every t at once. It holds for a choice at any place, so it
// costs more. ∎
//
// Reference: derived here, from Dong, Durfee and Rogers (2020), arXiv:1909.13830.

// splitChoice takes apart a composition that begins with a choice. The order matters, because a
// later choice may depend on earlier events.
func splitChoice(q ask.Question) (choice accounting.ExponentialMechanism, rest ask.Question, ok bool) {
	if q.Node().Shape != accounting.Sequence || q.Relation() != accounting.AddOrRemoveOne {
		return choice, rest, false
	}
	events := steps(q.Node())
	choice, ok = events[0].Event.(accounting.ExponentialMechanism)
	return choice, q.Part(q.Node().With(events[1:]...)), ok && choice.Epsilon > 0 && choice.Epsilon <= mostChoice
}

// mostChoice is the largest ε of a choice that is priced here. e^ε must be far from overflow.
const mostChoice = 150

// choiceFirst prices such a composition without selections, by each profile of the events after the
// choice.
type choiceFirst struct{}

func (choiceFirst) knows(q question) bool {
	_, _, ok := splitChoice(q.Question)
	return ok && !selects(q.Node())
}

func (choiceFirst) price(q question) (accounting.Price, error) {
	choice, rest, _ := splitChoice(q.Question)
	base, err := baserun.Of(rest.Alone(), q.a)
	if err != nil {
		return accounting.NoPrice(), err
	}
	var bounds []settle.Candidate
	for _, known := range ranks.Around(base, q.delta) {
		whole := afterChoice{choice.Epsilon, known}
		ask := func() settle.Question {
			return settle.Question{
				Claim: "the two outputs of an exponential mechanism that comes first (auto, choice.go)",
				Given: []string{"the privacy profile of the rest by " + known.Name},
				Check: checks.Choice(choice.Epsilon, checks.NewRun(known.Known()), q.delta),
				Prove: func() (string, checks.Witness, []*accounting.Proof) {
					epsilons, shown := known.Proof()
					return checks.RuleChoice, checks.Witness{Run: []checks.Epsilons{epsilons}}, []*accounting.Proof{shown}
				},
			}
		}
		bounds = append(bounds, settle.Candidate{Ask: ask, Bound: accounting.Bound{
			Name:     "choice first, " + known.Name,
			Theorem:  "the two outputs of Dong, Durfee and Rogers (2020), and the privacy profile of the rest (auto, choice.go)",
			Method:   fmt.Sprintf("worst exponential mechanism of range ε = %g, then the privacy profile of the rest by %s", choice.Epsilon, known.Name),
			Epsilon:  numeric.LeastTrue(1e-9, func(epsilon float64) bool { return whole.deltaAt(epsilon) <= q.delta }),
			Warnings: base.Warnings(),
		}})
	}
	if len(bounds) == 0 {
		return accounting.Price{Guarantee: accounting.NoGuarantee()}, nil
	}
	choose := settle.Settle
	if q.a.options.Unchecked {
		choose = settle.Sorted
	}
	shown := choose(bounds, q.delta, base.Shows(q.Event()))
	least := shown.Bounds[0]
	return accounting.Price{Bounds: shown.Bounds, Guarantee: accounting.Guarantee{
		Epsilon: accounting.UpperBound(least.Epsilon), Delta: q.delta, Neighboring: q.a.Neighboring(), Method: least.Method,
		Warnings: append(least.Warnings, shown.Warnings...), Certificate: shown.Certificate,
	}}, nil
}

// lessByChoice returns delta, or the bound of choiceFirst if that is lower.
func (a Accountant) lessByChoice(q ask.Question, epsilon float64, delta accounting.Interval) accounting.Interval {
	choice, rest, ok := splitChoice(q)
	if !ok || !(delta.Upper > 0) {
		return delta
	}
	base, err := baserun.Of(rest, a)
	if err != nil {
		return delta
	}
	for _, known := range ranks.Around(base, math.Min(delta.Upper, 0.5)) {
		if upper := (afterChoice{choice.Epsilon, known}).deltaAt(epsilon); upper < delta.Upper {
			delta = accounting.UpperBound(upper)
		}
	}
	return delta
}

// afterChoice bounds the profile of a choice of range epsilon followed by events with the known
// profile.
type afterChoice struct {
	epsilon float64
	known   ranks.Bounds
}

// between bounds δ at e^ε = x for all t in [u, v].
func (c afterChoice) between(x, u, v float64) float64 {
	first := math.Expm1(u-c.epsilon) / math.Expm1(u-c.epsilon-v) // a
	rest := -math.Expm1(-v) * math.Exp(u-c.epsilon) / -math.Expm1(u-c.epsilon-v)
	return first*c.known.HockeyStick(x*math.Exp(-v)) + rest*c.known.HockeyStick(x*math.Exp(c.epsilon-u))
}

const (
	choiceCells  = 32   // number of parts of [0, ε] at first
	choiceHalves = 16   // number of times that each may be halved
	choiceClose  = 1e-3 // relative tolerance of δ above the largest value at a t
)

// deltaAt returns the bound at ε >= 0, raised by far more than its rounding.
func (c afterChoice) deltaAt(epsilon float64) float64 {
	x := numeric.ExpBelow(epsilon) * (1 - 1e-12)
	worst, beyond := 0.0, 0.0
	for i := range choiceCells + 1 {
		t := c.epsilon * float64(i) / choiceCells
		worst = math.Max(worst, c.between(x, t, t))
	}
	var search func(u, v float64, halves int)
	search = func(u, v float64, halves int) {
		most := c.between(x, u, v)
		switch middle := u + (v-u)/2; {
		case most <= worst*(1+choiceClose):
		case halves == 0:
			beyond = math.Max(beyond, most)
		default:
			worst = math.Max(worst, c.between(x, middle, middle))
			search(u, middle, halves-1)
			search(middle, v, halves-1)
		}
	}
	for i := range choiceCells {
		search(c.epsilon*float64(i)/choiceCells, c.epsilon*float64(i+1)/choiceCells, choiceHalves)
	}
	return math.Min(1, math.Max(worst*(1+choiceClose), beyond)*(1+1e-12))
}
