package dptune

import (
	"context"
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune/streams"
)

// ThresholdSearch releases the answers of noisy threshold tests on scores of parts of the data, and
// one training with the winner. Candidates may depend on earlier answers.
//
// Its price does not grow with the number of candidates: only tests that a candidate passes count.
// A candidate's score is a mean over disjoint parts of the records, see [PartScores]. The search
// begins with the level u = Start and a step of 1. Each test asks for a candidate above u +
// step·Granularity, both sides with noise (Noise). If there is one, it is the winner so far, u
// rises to that threshold, and the step doubles. If not, the step halves. From 1 it becomes 0, and
// the search ends.
//
// # What differs from the paper
//
// The paper's price, ε + O(log((u*-u0)/g)) ε, has an unknown constant and a u* that is private
// data. Its number of tests has no bound. No guarantee can be printed from it. Here MaxTests is
// public. A search that can no longer end within it stops, with ErrCapReached, or with its winner
// so far if KeepAtCap is set; both cost the same. The threshold may keep its noise
// (threshold.Once): tests without a winner are then free.
//
// If all candidates are known beforehand, an [ExponentialSearch] finds better ones at the same
// price. Threshold tests are for candidates that depend on earlier answers.
//
// Reference: Ding, Wu, Xu and Pan (2023), "Constant-overhead Differentially Private
// Hyperparameter Tuning", Algorithm 1; the price is that of threshold.Event.
type ThresholdSearch[H, O any] struct {
	Proposer Proposer[H] // the candidates of each test; a Grid proposes all of its values. Required.

	Scores PartScores[H] // what is compared with the thresholds. Required.

	Start       float64 // u0 in [0, 1), public
	Granularity float64 // g in (0, 1]. Required.
	MaxTests    int     // T >= 1, public. Required.

	ThresholdNoise float64           // scale of the thresholds' noise, > 0; WithNoise sets both
	ScoreNoise     float64           // scale of the comparisons' noise, > 0
	Noise          threshold.Noise   // their law: threshold.Laplace, or threshold.Exponential for searches of few tests
	Refresh        threshold.Refresh // when thresholds get new noise; threshold.Once is the cheapest. Required.
	KeepAtCap      bool              // at the cap go on with the winner so far, if there is one

	// Training is the event of Train on all records, whatever h. Both are nil if there is only the
	// search.
	Training accounting.Event
	// TrainingTruncationDelta, in [0, 1], is the part of δ that Train sets aside for its truncated
	// noise.
	TrainingTruncationDelta float64
	// Train runs the last training with hyper-parameters h. It draws only from root.
	Train func(ctx context.Context, h H, root streams.Root) (O, error)

	DefaultHyperparameters H // of the last training if no candidate was above any threshold

	Delta       float64                 // δ of the guarantee of the whole, in (0, 1). Required.
	Unit        string                  // what one record is, for the Statement. Required.
	Accountants []accounting.Accountant // to ask about the training; the default is those of accounting/auto
	Assumptions []string                // further assumptions, for the Statement

	// Identity distinguishes the run from others that draw from one secret root: see Search. Runs
	// with another event, Start, Granularity, division of the records or Proposer draw independently;
	// a function counts by its type. If nil, every Run draws from a new secret root.
	Identity []byte

	// Progress, if not nil, is called after each test. Its argument may be published. The times of its
	// calls may not.
	Progress func(test Test[H])
}

// ErrCapReached is returned, wrapped, by a ThresholdSearch that can no longer end within MaxTests.
// Nothing else is released. The error itself is part of the price, which is spent.
var ErrCapReached = errors.New("the search can no longer end within its cap of tests")

// Validate returns every fault, joined. It runs nothing.
func (s ThresholdSearch[H, O]) Validate() error {
	f := check.In("dptune: ThresholdSearch.")
	f.That(s.Proposer != nil, "Proposer", "is nil", "must be a Grid or another Proposer")
	if s.Proposer != nil {
		f.Add(s.Proposer.Validate())
	}
	f.Below("Scores", s.Scores.Validate())
	f.Number("Start", s.Start, check.BelowOne)
	f.Number("Granularity", s.Granularity, check.Rate)
	f.Count("MaxTests", s.MaxTests, 1)
	s.training().validate(f)
	validateRelease(f, s.Delta, s.Unit)
	if s.Scores.Parts >= 1 && s.MaxTests >= 1 {
		f.Add(s.TestsEvent().Validate())
	}
	return f.Err()
}

func (s ThresholdSearch[H, O]) training() lastTraining[H, O] {
	return lastTraining[H, O]{s.Training, s.TrainingTruncationDelta, s.Train}
}

// TestsEvent returns the event of only the tests.
func (s ThresholdSearch[H, O]) TestsEvent() threshold.Event {
	return threshold.Event{
		Sensitivity: s.Scores.Sensitivity(), ThresholdNoise: s.ThresholdNoise, ScoreNoise: s.ScoreNoise,
		MaxTests: s.MaxTests, MaxPositives: threshold.DoublingPositives(s.MaxTests), Refresh: s.Refresh, Noise: s.Noise,
	}
}

// WithNoise returns the search with thresholds' noise of noiseMultiplier sensitivities, and
// comparisons' noise in the proportion of threshold.Event.WithThresholdEpsilon. [Calibrate] takes
// it.
func (s ThresholdSearch[H, O]) WithNoise(noiseMultiplier float64) ThresholdSearch[H, O] {
	e := s.TestsEvent().WithThresholdEpsilon(1 / noiseMultiplier)
	s.ThresholdNoise, s.ScoreNoise = e.ThresholdNoise, e.ScoreNoise
	return s
}

// AsPrinted returns the search with the noise of the paper's Algorithm 1 at its ε. With k parts the
// scale is 2/(kε) on thresholds, new for each test, and 4/(kε) on scores. Below its cap it is
// Algorithm 1, line by line. Price has what that costs: ε, MaxTests and the training are in it.
func (s ThresholdSearch[H, O]) AsPrinted(epsilon float64) ThresholdSearch[H, O] {
	unit := 1 / (float64(s.Scores.Parts) * epsilon)
	s.ThresholdNoise, s.ScoreNoise, s.Noise, s.Refresh = 2*unit, 4*unit, threshold.Laplace, threshold.EachTest
	return s
}

// Event returns the tests, and the training if there is one.
func (s ThresholdSearch[H, O]) Event() (accounting.Event, error) { return eventOf(s.terms()) }

// Price returns what the whole costs, before anything runs.
func (s ThresholdSearch[H, O]) Price() (accounting.Price, error) { return priceOf(s.terms()) }

// Statement returns the guarantee of the whole, before anything runs.
func (s ThresholdSearch[H, O]) Statement() (accounting.Statement, error) {
	return statementOf(s.terms())
}

func (s ThresholdSearch[H, O]) terms() (terms, error) {
	if err := s.Validate(); err != nil {
		return terms{}, err
	}
	tests := s.TestsEvent()
	t := terms{
		field: "ThresholdSearch.Delta", delta: s.Delta, truncation: s.TrainingTruncationDelta,
		event: s.training().after(tests), accountants: s.Accountants,
		draws: "threshold search", identity: s.identity,
		statement: s.training().stated(accounting.Statement{
			Unit:        s.Unit,
			Subject:     "the answers of all threshold tests",
			Mechanism:   tests.String(),
			Assumptions: append(s.Scores.assumptions(), "candidates, their order and the thresholds depend on the data only through the answers"),
			NotCovered:  s.Scores.notCovered(fmt.Sprintf("truncation of the %v noise at 36.7 times its scale (a mass below 1.5e-16 of each draw)", s.Noise)),
		}),
	}
	t.statement.Assumptions = append(t.statement.Assumptions, s.Assumptions...)
	return t, nil
}

// identity is the given one, with the event and what decides the draws or meets their noise.
func (s ThresholdSearch[H, O]) identity() ([]byte, error) {
	return bound(s.Identity, s.training().after(s.TestsEvent()), s.Proposer, s.Start, s.Granularity, s.Scores.Records, s.Scores.Parts)
}

// Test is one threshold test of a ThresholdSearch, with its answer. The price of the search
// covers it: it may be published.
type Test[H any] struct {
	Threshold  float64 // without its noise
	Candidates []H     // compared in this order, up to the winner
	Winner     int     // index of the first candidate that was above, or -1
}

// Passed reports whether a candidate was above the threshold.
func (t Test[H]) Passed() bool { return t.Winner >= 0 }

// Proposer returns the candidates of the next test, in the order of their comparison. Of the data
// it sees only the answers of the tests so far.
type Proposer[H any] interface {
	// Propose returns the candidates of the next test. None end the search.
	Propose(tests []Test[H]) []H
	// Validate returns an error that names field, value and rule.
	Validate() error
}

// ProposerFunc is a Proposer given by a function.
type ProposerFunc[H any] func(tests []Test[H]) []H

// Propose calls the function.
func (f ProposerFunc[H]) Propose(tests []Test[H]) []H { return f(tests) }

// Validate returns an error if the function is nil.
func (f ProposerFunc[H]) Validate() error {
	if f == nil {
		return errors.New("dptune: ThresholdSearch.Proposer is nil: must be a Grid or another Proposer")
	}
	return nil
}

// Propose returns all values: a search over the whole grid in each test.
func (g Grid[H]) Propose([]Test[H]) []H { return g }
