package dptune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune/streams"
)

// Searched is what a ThresholdSearch lets out; all of it may be published.
type Searched[H, O any] struct {
	Release[H, O]           // of the winner, or the default if no candidate was above any threshold
	AtCap         bool      // the cap was reached, and the winner so far was kept
	Level         float64   // u at the end, a noisy lower estimate of the winner's score
	Tests         []Test[H] // all tests with their answers
}

// Run splits the records, tests, and trains. The price is computed first: what cannot be
// priced does not touch the data. All draws come from root; take it from streams.Secret for
// a release. On an error nothing is released.
func (s ThresholdSearch[H, O]) Run(ctx context.Context, root streams.Root) (Searched[H, O], error) {
	root, statement, err := begin(root, "threshold search", given(s.Identity), s.Statement)
	if err != nil {
		return Searched[H, O]{Release: noRelease[H, O]()}, err
	}
	out, err := s.search(ctx, root)
	if err != nil {
		return Searched[H, O]{Release: noRelease[H, O]()}, err
	}
	out.Statement, out.Seeded = statement, root.Seeded()
	if out.Release, err = out.train(ctx, s.Train, root); err != nil {
		return Searched[H, O]{Release: noRelease[H, O]()}, err
	}
	return out, nil
}

// search makes the tests. Invariant, for the cap: step = 2^(positives - tests without one),
// or 0 where the search ends; so it ends after 2P+1 tests, P < MaxPositives.
func (s ThresholdSearch[H, O]) search(ctx context.Context, root streams.Root) (Searched[H, O], error) {
	event := s.Event()
	t := newThresholds(event, root.Rand("noise"))
	scores := newScorer(s.Scores, root)
	out := Searched[H, O]{Release: Release[H, O]{Hyperparameters: s.DefaultHyperparameters, Empty: true}, Level: s.Start}
	for step, positives := 1.0, 0; step >= 1; {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		test := Test[H]{Threshold: out.Level + step*s.Granularity, Winner: -1}
		if test.Candidates = slices.Clone(s.Proposer.Propose(slices.Clone(out.Tests))); len(test.Candidates) == 0 {
			break
		}
		if err := s.test(ctx, &test, t, scores); err != nil {
			return out, err
		}
		out.Tests = append(out.Tests, test)
		if s.Progress != nil {
			s.Progress(test)
		}
		if !test.Passed() {
			step = math.Floor(step / 2)
			continue
		}
		out.Hyperparameters, out.Empty, out.Level = test.Candidates[test.Winner], false, test.Threshold
		step *= 2
		if positives++; positives == event.MaxPositives {
			if !s.KeepAtCap {
				return out, fmt.Errorf("dptune: ThresholdSearch.MaxTests %d: %w: nothing is released, and the price is spent", s.MaxTests, ErrCapReached)
			}
			out.AtCap = true
			break
		}
	}
	return out, nil
}

// test compares the candidates, one after the other, up to the first that is above.
func (s ThresholdSearch[H, O]) test(ctx context.Context, test *Test[H], t *thresholds, scores *scorer[H]) error {
	noisy := t.next(test.Threshold)
	for i, h := range test.Candidates {
		score, err := scores.of(ctx, h)
		if err != nil {
			return err
		}
		if t.above(score, noisy) {
			test.Winner = i
			return nil
		}
	}
	return nil
}

// thresholds draws the noise of a threshold.Search.
type thresholds struct {
	event threshold.Search
	rng   *rand.Rand
	noise float64
	fresh bool // noise has not been used up
}

func newThresholds(event threshold.Search, rng *rand.Rand) *thresholds {
	return &thresholds{event: event, rng: rng}
}

// next returns the threshold plain with its noise, new if the event says so.
func (t *thresholds) next(plain float64) float64 {
	if !t.fresh || t.event.Refresh == threshold.EachTest {
		t.noise, t.fresh = t.draw(t.event.ThresholdNoise), true
	}
	return plain + t.noise
}

// above compares a score with a noisy threshold, with new noise on the score.
func (t *thresholds) above(score, noisy float64) bool {
	above := score+t.draw(t.event.ScoreNoise) >= noisy
	if above && t.event.Refresh == threshold.EachPositive {
		t.fresh = false
	}
	return above
}

// draw returns noise of mean 0 and the given scale, by the law of the event.
func (t *thresholds) draw(scale float64) float64 {
	if t.event.Noise == threshold.Exponential {
		return oneSided(scale, t.rng) - scale
	}
	return laplace(scale, t.rng)
}

// oneSided returns a draw from the exponential law of the given scale b, density e^(-x/b)/b for x >= 0: -b ln U, with U as in laplace, so
// that it ends at the same place.
func oneSided(scale float64, rng *rand.Rand) float64 {
	return -scale * math.Log((float64(rng.Uint64()>>12)+0.5)*0x1p-52)
}

// laplace returns a draw from the Laplace law of the given scale b, density e^(-|x|/b)/(2b):
// a sign and -b ln U, with U uniform on the odd multiples of 2^-53 in (0, 1).
//
// As real numbers these are Laplace draws up to the 2^-53 grid of U; |x| is at most 53 ln 2 = 36.74 b,
// which cuts off a mass of 2^-53 = 1.1e-16. Rounding to floating-point numbers is not covered, as for
// all noise here (Mironov 2012).
func laplace(scale float64, rng *rand.Rand) float64 {
	bits := rng.Uint64()
	magnitude := -scale * math.Log((float64(bits>>12)+0.5)*0x1p-52)
	if bits&1 == 1 {
		return -magnitude
	}
	return magnitude
}
