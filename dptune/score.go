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
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
)

// PrivateAccuracy scores a model by the number of correct validation examples, plus normal noise.
// One added or removed example moves the count by at most 1. The score of a fixed model is
// therefore one Gaussian event.
//
// Validation examples are disjoint from training examples. Put each record into its part by coins,
// or by a rule that looks only at that record. Then a run with its score is accounting.Parallel of
// the training and of this event: the larger of both, not their sum. With a noise multiplier of a
// few units the score costs no more than the training. It costs a few examples of accuracy in the
// choice.
type PrivateAccuracy struct {
	NoiseMultiplier float64 // σ > 0, in validation examples
}

// Validate returns an error unless the noise multiplier is positive and finite.
func (p PrivateAccuracy) Validate() error {
	return check.Positive.Of("dptune: PrivateAccuracy.NoiseMultiplier", p.NoiseMultiplier)
}

// Event returns the event of one score on the validation data.
func (p PrivateAccuracy) Event() accounting.Event {
	return accounting.Gaussian{NoiseMultiplier: p.NoiseMultiplier}
}

// EventWith returns the event of one run and its score, when the training event and the validation
// examples touch disjoint parts.
func (p PrivateAccuracy) EventWith(training accounting.Event) accounting.Event {
	return accounting.Parallel{Events: []accounting.Event{training, p.Event()}}
}

// Score returns correct plus noise. correct is the number of validation examples that the model
// gets right. Each must be evaluated by itself (engine.Performance.Microbatch 1). Otherwise
// rounding may let one of them change how others are counted. rng must be private and used for
// nothing else.
//
// The noise is that of math/rand/v2: normal up to the grid of its values and a mass below 1e-32
// beyond 12 standard deviations.
func (p PrivateAccuracy) Score(correct int, rng *rand.Rand) float64 {
	return p.Noisy(float64(correct), rng)
}

// Noisy returns a sum over the validation examples plus noise, for scores other than accuracy. One
// example must not move the sum by more than 1, with all rounding; rng is as for Score.
func (p PrivateAccuracy) Noisy(sum float64, rng *rand.Rand) float64 {
	return sum + p.NoiseMultiplier*rng.NormFloat64()
}

// PartScores scores candidates by means over disjoint parts of the records. Each record is in a
// part by its own die. The score of a part is moved into [0, 1], and NaN to 0. One added or removed
// record then moves a mean by at most 1/Parts, whatever Score does with it. The training within
// Score needs no privacy; no score leaves a search.
//
// More parts mean less noise, and models trained on fewer records.
type PartScores[H any] struct {
	Records int // the number of records, indexed from 0. Required.
	Parts   int // k >= 1, the parts that they are split into. Required.
	// Score trains with h on the records with the given indices, and returns how good the result is,
	// from 0 to 1. There may be no records. It draws only from root, and reads no other record. It is
	// called from several goroutines. Required.
	Score func(ctx context.Context, records []int, h H, root streams.Root) (float64, error)
	// ValidationSensitivity is the most that one validation record moves any mean score, if the
	// records that Score validates on are protected too. It is 1/N if Score divides by a public N.
	// Zero means that they are public. A record trains or validates, never both.
	ValidationSensitivity float64
}

// Validate returns every fault, joined.
func (s PartScores[H]) Validate() error {
	f := check.In("dptune: PartScores.")
	f.Count("Records", s.Records, 1)
	f.Count("Parts", s.Parts, 1)
	f.That(s.Score != nil, "Score", "is nil", "must be a function")
	f.Number("ValidationSensitivity", s.ValidationSensitivity, check.Unit)
	return f.Err()
}

// Sensitivity returns Δ, the most that one record moves any candidate's score: 1/Parts, or
// the ValidationSensitivity if that is larger.
func (s PartScores[H]) Sensitivity() float64 {
	return math.Max(1/float64(s.Parts), s.ValidationSensitivity)
}

func (s PartScores[H]) assumptions() []string {
	return []string{
		"each record joined its part by its own die",
		"the parts stay secret",
		"the score of a part reads no record of another part",
		"noise and parts are drawn without rounding errors",
		assumesSecret,
	}
}

// notCovered returns the limits of a search by the scores, with those of its noise.
func (s PartScores[H]) notCovered(noise string) []string {
	validation := "the records that scores are validated on: they must be public"
	if s.ValidationSensitivity > 0 {
		validation = fmt.Sprintf("effects of a validation record other than moving each mean score by at most %g", s.ValidationSensitivity)
	}
	return append(notCovered("scores, models trained for scores, parts and running times: do not publish them", validation), noise)
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

func newScorer[H any](s PartScores[H], root streams.Root) *scorer[H] {
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

// unit returns a score in [0, 1]: values outside are moved to the nearer end, and NaN to 0. One
// part then moves a mean of k parts by at most 1/k whatever it returns.
func unit(score float64) float64 {
	if math.IsNaN(score) {
		return 0
	}
	return math.Min(1, math.Max(0, score))
}
