package dptune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
)

// ExponentialSearch releases one choice among candidates known beforehand, by noisy scores of parts
// of the data, and one training with it.
//
// The winner is the candidate with the largest score plus Gumbel noise of scale 2Δ/Epsilon, Δ =
// Scores.Sensitivity(). Candidate h wins with a chance proportional to exp(Epsilon score(h)/(2Δ)).
//
// Its price does not grow with the number of candidates. One record moves each chance's numerator
// by at most a factor e^(Epsilon/2). So the choice is (Epsilon, 0)-private and of bounded range
// Epsilon: accounting.ExponentialMechanism.
//
// Reference: Dwork and Roth (2014), Theorem 3.10. Bounded range: Durfee and Rogers (2019),
// arXiv:1905.04273. That Gumbel noise draws from it is elementary (the maximum of independent
// Gumbel variables).
type ExponentialSearch[H, O any] struct {
	Candidates []H           // chosen without looking at the data. Required.
	Scores     PartScores[H] // Required.
	Epsilon    float64       // of only the choice, in nats, > 0. Required.

	// Training is the event of Train on all records, whatever h. Both are nil if there is only the
	// search.
	Training accounting.Event
	// TrainingTruncationDelta, in [0, 1], is the part of δ that Train sets aside for its truncated
	// noise.
	TrainingTruncationDelta float64
	// Train runs the last training with hyper-parameters h. It draws only from root.
	Train func(ctx context.Context, h H, root streams.Root) (O, error)

	Delta       float64                 // δ of the guarantee of the whole, in (0, 1). Required.
	Unit        string                  // what one record is, for the Statement. Required.
	Accountants []accounting.Accountant // to ask about the whole; the default is those of accounting/auto
	Assumptions []string                // further assumptions, for the Statement

	// Identity distinguishes the run from others that draw from one secret root: see Search. Runs
	// with another event, other Candidates, or another division of the records draw independently. If
	// nil, every Run draws from a new secret root.
	Identity []byte
}

// Validate returns every fault, joined. It runs nothing.
func (s ExponentialSearch[H, O]) Validate() error {
	f := check.In("dptune: ExponentialSearch.")
	f.That(len(s.Candidates) > 0, "Candidates", "is empty", "must hold at least one")
	f.Below("Scores", s.Scores.Validate())
	f.Number("Epsilon", s.Epsilon, check.Positive)
	s.training().validate(f)
	validateRelease(f, s.Delta, s.Unit)
	return f.Err()
}

func (s ExponentialSearch[H, O]) training() lastTraining[H, O] {
	return lastTraining[H, O]{s.Training, s.TrainingTruncationDelta, s.Train}
}

// Event returns the choice, and the training if there is one.
func (s ExponentialSearch[H, O]) Event() (accounting.Event, error) { return eventOf(s.terms()) }

// Price returns what the whole costs, before anything runs.
func (s ExponentialSearch[H, O]) Price() (accounting.Price, error) { return priceOf(s.terms()) }

// Statement returns the guarantee of the whole, before anything runs.
func (s ExponentialSearch[H, O]) Statement() (accounting.Statement, error) {
	return statementOf(s.terms())
}

func (s ExponentialSearch[H, O]) terms() (terms, error) {
	if err := s.Validate(); err != nil {
		return terms{}, err
	}
	t := terms{
		field: "ExponentialSearch.Delta", delta: s.Delta, truncation: s.TrainingTruncationDelta,
		event: s.event(), accountants: s.Accountants,
		draws: "exponential search", identity: s.identity,
		statement: s.training().stated(accounting.Statement{
			Unit:        s.Unit,
			Subject:     "the winning hyper-parameters",
			Theorem:     "bounded range of the exponential mechanism (Durfee and Rogers, 2019), and composition",
			Mechanism:   fmt.Sprintf("exponential mechanism of ε = %g on scores of sensitivity %g", s.Epsilon, s.Scores.Sensitivity()),
			Assumptions: append(s.Scores.assumptions(), "the candidates were chosen without looking at the data"),
			NotCovered:  s.Scores.notCovered("truncation of the Gumbel noise at 36.7 times its scale (a mass below 2.5e-16 of each draw)"),
		}),
	}
	t.statement.Assumptions = append(t.statement.Assumptions, s.Assumptions...)
	return t, nil
}

func (s ExponentialSearch[H, O]) event() accounting.Event {
	return s.training().after(accounting.ExponentialMechanism{Epsilon: s.Epsilon})
}

// identity is the given one, with the event and what decides the draws or meets their noise.
func (s ExponentialSearch[H, O]) identity() ([]byte, error) {
	return bound(s.Identity, s.event(), s.Candidates, s.Scores.Records, s.Scores.Parts, s.Scores.ValidationSensitivity)
}

// Run scores all candidates, chooses, and trains. The price is computed first: a search without a
// price does not touch the data. All draws come from root; take it from streams.Secret for a
// release. On an error nothing is released.
func (s ExponentialSearch[H, O]) Run(ctx context.Context, root streams.Root) (Release[H, O, NoDetails], error) {
	return releasing(root, s.terms, func(root streams.Root, out *Release[H, O, NoDetails]) error {
		winner, err := s.choose(ctx, root)
		if err != nil {
			return err
		}
		out.Hyperparameters = s.Candidates[winner]
		out.Output, err = s.training().run(ctx, out.Hyperparameters, root)
		return err
	})
}

// choose returns the index of the winner.
func (s ExponentialSearch[H, O]) choose(ctx context.Context, root streams.Root) (int, error) {
	scores, rng := newScorer(s.Scores, root), root.Rand("noise")
	scale := 2 * s.Scores.Sensitivity() / s.Epsilon
	winner, best := 0, math.Inf(-1)
	for i, h := range s.Candidates {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		score, err := scores.of(ctx, h)
		if err != nil {
			return 0, err
		}
		if noisy := score + gumbel(scale, rng); noisy > best {
			winner, best = i, noisy
		}
	}
	return winner, nil
}

// gumbel returns a draw with distribution function exp(-e^(-x/scale)): -scale ln(-ln U), with U
// uniform on the odd multiples of 2^-53 in (0, 1). That cuts off a mass of 2^-53 at either end, the
// upper at 53 ln 2 = 36.74 times the scale. Rounding to floating-point numbers is not covered, as
// for all noise here.
func gumbel(scale float64, rng *rand.Rand) float64 {
	u := (float64(rng.Uint64()>>12) + 0.5) * 0x1p-52
	return -scale * math.Log(-math.Log(u))
}
