package dptune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/dptune/streams"
)

// Searched is what a ThresholdSearch lets out; all of it may be published.
type Searched[H, O any] struct {
	Output          O         // of the last training; the zero value if there is none
	Hyperparameters H         // of the winner, or the default
	Empty           bool      // no candidate was above any threshold
	AtCap           bool      // the cap was reached, and the winner so far was kept
	Level           float64   // u at the end, a noisy lower estimate of the winner's score
	Tests           []Test[H] // all tests with their answers
	Statement       accounting.Statement
	Seeded          bool // the draws came from a fixed root
}

// Run splits the records, tests, and trains. The price is computed first: what cannot be
// priced does not touch the data. All draws come from root; take it from streams.Secret for
// a release. On an error nothing is released.
func (s ThresholdSearch[H, O]) Run(ctx context.Context, root streams.Root) (Searched[H, O], error) {
	if err := root.Validate(); err != nil {
		return Searched[H, O]{}, fmt.Errorf("dptune: %w", err)
	}
	statement, err := s.Statement()
	if err != nil {
		return Searched[H, O]{}, err
	}
	out, err := s.search(ctx, root)
	if err != nil {
		return Searched[H, O]{}, err
	}
	out.Statement, out.Seeded = statement, root.Seeded()
	if out.Seeded {
		out.Statement.Warnings = append(out.Statement.Warnings, ErrSeeded)
	}
	if s.Train != nil {
		if out.Output, err = s.Train(ctx, out.Hyperparameters, root.Child("training")); err != nil {
			return Searched[H, O]{}, fmt.Errorf("dptune: training with %v: %w", out.Hyperparameters, err)
		}
	}
	return out, nil
}

// search makes the tests. Invariant, for the cap: step = 2^(positives - tests without one),
// or 0 where the search ends; so it ends after 2P+1 tests, P < MaxPositives.
func (s ThresholdSearch[H, O]) search(ctx context.Context, root streams.Root) (Searched[H, O], error) {
	event := s.Event()
	t := newThresholds(event, root.Rand("noise"))
	scores := newScorer(s, root)
	out := Searched[H, O]{Hyperparameters: s.DefaultHyperparameters, Empty: true, Level: s.Start}
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

// thresholds draws the noise of an AboveThreshold.
type thresholds struct {
	event selection.AboveThreshold
	rng   *rand.Rand
	noise float64
	fresh bool // noise has not been used up
}

func newThresholds(event selection.AboveThreshold, rng *rand.Rand) *thresholds {
	return &thresholds{event: event, rng: rng}
}

// next returns a threshold with its noise, new if the event says so.
func (t *thresholds) next(threshold float64) float64 {
	if !t.fresh || t.event.Refresh == selection.EachTest {
		t.noise, t.fresh = laplace(t.event.ThresholdNoise, t.rng), true
	}
	return threshold + t.noise
}

// above compares a score with a noisy threshold, with new noise on the score.
func (t *thresholds) above(score, noisy float64) bool {
	above := score+laplace(t.event.ScoreNoise, t.rng) >= noisy
	if above && t.event.Refresh == selection.EachPositive {
		t.fresh = false
	}
	return above
}

// scorer computes each candidate's score once.
type scorer[H any] struct {
	score func(ctx context.Context, records []int, h H, root streams.Root) (float64, error)
	parts [][]int
	root  streams.Root
	known []H
	index map[any]int // of the known ones, if H is a number or a string
	means []float64
}

func newScorer[H, O any](s ThresholdSearch[H, O], root streams.Root) *scorer[H] {
	c := &scorer[H]{score: s.Score, parts: make([][]int, s.Parts), root: root.Child("scores")}
	rng := root.Rand("parts")
	for i := range s.Records {
		part := rng.IntN(s.Parts)
		c.parts[part] = append(c.parts[part], i)
	}
	if kind := reflect.TypeFor[H]().Kind(); kind <= reflect.Float64 || kind == reflect.String {
		c.index = map[any]int{}
	}
	return c
}

// of returns the mean over the parts of the score of h.
func (c *scorer[H]) of(ctx context.Context, h H) (float64, error) {
	if i := c.find(h); i >= 0 {
		return c.means[i], nil
	}
	mean, err := c.mean(ctx, h, c.root.Child(fmt.Sprintf("candidate %d", len(c.known))))
	if err != nil {
		return 0, err
	}
	if c.index != nil {
		c.index[h] = len(c.known)
	}
	c.known, c.means = append(c.known, h), append(c.means, mean)
	return mean, nil
}

func (c *scorer[H]) find(h H) int {
	if c.index != nil {
		if i, ok := c.index[h]; ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(c.known, func(k H) bool { return reflect.DeepEqual(k, h) })
}

// mean scores the parts on as many goroutines as there are processors. It starts no further
// part once one has failed.
func (c *scorer[H]) mean(ctx context.Context, h H, root streams.Root) (float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	scores, errs := make([]float64, len(c.parts)), make([]error, len(c.parts))
	var running sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(c.parts)) {
		running.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(c.parts); i = int(next.Add(1)) - 1 {
				if errs[i] = ctx.Err(); errs[i] != nil {
					return
				}
				if scores[i], errs[i] = c.score(ctx, slices.Clone(c.parts[i]), h, root.Child(fmt.Sprintf("part %d", i))); errs[i] != nil {
					errs[i] = fmt.Errorf("dptune: score of %v: %w", h, errs[i])
					cancel()
				}
			}
		})
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	sum := 0.0
	for _, score := range scores {
		sum += unit(score)
	}
	return sum / float64(len(c.parts)), nil
}
