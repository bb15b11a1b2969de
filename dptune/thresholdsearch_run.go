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

// ThresholdSearchDetails are what the release of a ThresholdSearch adds; all of it may be
// published. Empty means that no candidate was above any threshold.
type ThresholdSearchDetails[H any] struct {
	AtCap bool      // the cap was reached, and the winner so far was kept
	Level float64   // u at the end, a noisy lower estimate of the winner's score
	Tests []Test[H] // all tests with their answers
}

// Run splits the records, tests, and trains. The price is computed first: a search without a price
// does not touch the data. All draws come from root; take it from streams.Secret for a release. On
// an error nothing is released.
func (s ThresholdSearch[H, O]) Run(ctx context.Context, root streams.Root) (Release[H, O, ThresholdSearchDetails[H]], error) {
	return releasing(root, s.terms, func(root streams.Root, out *Release[H, O, ThresholdSearchDetails[H]]) error {
		err := s.search(ctx, root, out)
		if err == nil {
			out.Output, err = s.training().run(ctx, out.Hyperparameters, root)
		}
		return err
	})
}

// search makes the tests. Invariant, for the cap: step = 2^(positives - tests without one), or 0
// where the search ends. So it ends after 2P+1 tests, P < MaxPositives.
func (s ThresholdSearch[H, O]) search(ctx context.Context, root streams.Root, out *Release[H, O, ThresholdSearchDetails[H]]) error {
	event := s.TestsEvent()
	t := newThresholds(event, root.Rand("noise"))
	scores := newScorer(s.Scores, root)
	out.Hyperparameters, out.Empty = s.DefaultHyperparameters, true
	d := &out.Details
	d.Level = s.Start
	for step, positives := 1.0, 0; step >= 1; {
		if err := ctx.Err(); err != nil {
			return err
		}
		test := Test[H]{Threshold: d.Level + step*s.Granularity, Winner: -1}
		if test.Candidates = slices.Clone(s.Proposer.Propose(slices.Clone(d.Tests))); len(test.Candidates) == 0 {
			break
		}
		if err := s.test(ctx, &test, t, scores); err != nil {
			return err
		}
		d.Tests = append(d.Tests, test)
		if s.Progress != nil {
			s.Progress(test)
		}
		if !test.Passed() {
			step = math.Floor(step / 2)
			continue
		}
		out.Hyperparameters, out.Empty, d.Level = test.Candidates[test.Winner], false, test.Threshold
		step *= 2
		if positives++; positives == event.MaxPositives {
			if !s.KeepAtCap {
				return fmt.Errorf("dptune: ThresholdSearch.MaxTests %d: %w; the price is spent", s.MaxTests, ErrCapReached)
			}
			d.AtCap = true
			break
		}
	}
	return nil
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

// thresholds draws the noise of a threshold.Event.
type thresholds struct {
	event threshold.Event
	rng   *rand.Rand
	noise float64
	fresh bool // noise has not been used up
}

func newThresholds(event threshold.Event, rng *rand.Rand) *thresholds {
	return &thresholds{event: event, rng: rng}
}

// next returns the threshold plain with its noise, which is new if the event asks for it.
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

// oneSided returns a draw from the exponential law of the given scale b, density e^(-x/b)/b for x
// >= 0. It is -b ln U, with U as in laplace, and ends at the same place.
func oneSided(scale float64, rng *rand.Rand) float64 {
	return -scale * math.Log((float64(rng.Uint64()>>12)+0.5)*0x1p-52)
}

// laplace returns a draw from the Laplace law of scale b, density e^(-|x|/b)/(2b). It is a sign
// times -b ln U, with U uniform on the odd multiples of 2^-53 in (0, 1).
//
// As real numbers these are Laplace draws up to the 2^-53 grid of U. |x| is at most 53 ln 2 = 36.74
// b, which cuts off a mass of 2^-53 = 1.1e-16. Rounding to floating-point numbers is not covered,
// as for all noise here (Mironov 2012).
func laplace(scale float64, rng *rand.Rand) float64 {
	bits := rng.Uint64()
	magnitude := -scale * math.Log((float64(bits>>12)+0.5)*0x1p-52)
	if bits&1 == 1 {
		return -magnitude
	}
	return magnitude
}
