package input

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// The values of -batches.
const (
	Poisson      = "poisson"
	Allocation   = "allocation"
	Shuffled     = "shuffled"
	ShuffledOnce = "shuffled-once"
	Fixed        = "fixed"

	Capped             = "capped"
	WithoutReplacement = "without-replacement"
	WithReplacement    = "with-replacement"
)

var schemes = []string{Poisson, Capped, WithoutReplacement, WithReplacement, Allocation, Shuffled, ShuffledOnce, Fixed}

// The schemes that only a plan has.
const (
	sampleOfSize = "fixed size"       // sampled_without_replacement
	repeating    = "with replacement" // sampled_with_replacement
)

// Batches describes how the batches of an answer are drawn. The price depends on it.
type Batches struct {
	Scheme    string     `json:"scheme"`
	Drawn     string     `json:"drawn"`
	Epochs    int        `json:"epochs,omitempty"`
	Neighbors []Neighbor `json:"neighbors,omitempty"` // the price under each relation

	// Bounded is set if the event that is priced dominates the batches, and they may cost less.
	// Lower ends are then left out.
	Bounded bool `json:"-"`
}

// Neighbor is the price of shuffled batches under one relation.
type Neighbor struct {
	Neighboring accounting.Neighboring `json:"neighboring"`
	Epsilon     accounting.Number      `json:"epsilon"`
	Checked     bool                   `json:"checked,omitempty"`       // whether Epsilon has a certificate
	Lower       *accounting.Number     `json:"epsilon_lower,omitempty"` // nil if it is not known
	If          string                 `json:"if"`
}

// IsShuffled reports whether the batches are shuffled.
func (b *Batches) IsShuffled() bool {
	return b != nil && (b.Scheme == Shuffled || b.Scheme == ShuffledOnce)
}

// IsShuffled reports whether the batches are shuffled.
func (s *SGD) IsShuffled() bool { return s.Scheme() == Shuffled || s.Scheme() == ShuffledOnce }

// MayBeSampled reports whether the price holds for a run on a sample of the data, whose size is not
// public.
func (s *SGD) MayBeSampled() bool {
	return !slices.Contains(schemes, s.Scheme()) || s.Scheme() == Poisson || s.Scheme() == Fixed
}

// needsSizes reports whether the event has the number of examples and of a batch.
func (s *SGD) needsSizes() bool {
	return s.Scheme() == Capped || s.Scheme() == WithoutReplacement || s.Scheme() == WithReplacement
}

// validateSizes checks -cap, and that a scheme has the sizes that it needs.
func (s *SGD) validateSizes() error {
	switch {
	case s.Scheme() != Capped && s.Cap.Given:
		return flags.Refuse("cap", s.Cap, "without -batches capped")
	case s.needsSizes() && !s.Batch.Given:
		return fmt.Errorf("-batch is missing: -batches %s needs -examples and -batch", s.Scheme())
	case s.Scheme() != Capped:
		return nil
	}
	if err := flags.Need("cap", s.Cap, flags.WholeCount); err != nil {
		return err
	}
	if s.Cap.Value < s.Batch.Value {
		return fmt.Errorf("-cap %v: must be at least -batch %v, the mean batch size", s.Cap.String(), s.Batch.String())
	}
	return nil
}

// byEpochs reports whether only the number of epochs sets the upper end of a price.
func (s *SGD) byEpochs() bool { return s.IsShuffled() || s.Scheme() == Fixed }

// BatchesOfEpoch returns the number of batches of an epoch, rounded down. It is 0 without a rate.
func (s *SGD) BatchesOfEpoch() int {
	switch {
	case s.Batch.Given && s.Examples.Given:
		return int(math.Floor(s.Examples.Value / s.Batch.Value)) // sizes are below 1e12
	case s.Rate.Given && s.Rate.Value > 0:
		return int(wholePart(1 / s.Rate.Value))
	}
	return 0
}

// equalBatches reports whether the run has whole epochs, all of them with the same number of
// batches of one size.
func (s *SGD) equalBatches() bool {
	batches := s.BatchesOfEpoch()
	if batches == 0 || batches > math.MaxInt32 {
		return false
	}
	whole := s.Batch.Given && float64(batches)*s.Batch.Value == s.Examples.Value ||
		!s.Batch.Given && math.Abs(s.Rate.Value*float64(batches)-1) < 1e-13
	return whole && (s.Epochs.Given || int(s.Steps.Value)%batches == 0)
}

// Event returns the run as a function of its noise multiplier.
func (s *SGD) Event() func(noise float64) accounting.Event {
	if s.byEpochs() {
		return s.After(s.EpochCount())
	}
	return s.After(s.StepCount())
}

// After returns the first steps of the run, or the first epochs if batches are disjoint, as a
// function of the noise multiplier.
//
// Shuffled batches are the event of that name if an epoch has batches of one size. Otherwise they
// are the Gaussians above that event. Those need no size: see package ask.
func (s *SGD) After(count int) func(noise float64) accounting.Event {
	rate, batches, kept := s.SamplingRate(), s.BatchesOfEpoch(), s.Scheme() == ShuffledOnce
	switch {
	case s.Scheme() == Fixed:
		return func(noise float64) accounting.Event { return ask.Gaussians(count, noise, ask.Empty) }
	case s.IsShuffled() && s.equalBatches():
		return func(noise float64) accounting.Event {
			return accounting.Shuffled{Batches: batches, Epochs: count, Kept: kept, Event: accounting.ClippedSum{NoiseMultiplier: noise}}
		}
	case s.IsShuffled():
		return func(noise float64) accounting.Event { return ask.Gaussians(count, noise, ask.Moved) }
	case s.needsSizes():
		return func(noise float64) accounting.Event {
			return accounting.SelfComposed{Event: s.sizedStep(accounting.ClippedSum{NoiseMultiplier: noise}), Count: count}
		}
	case s.Scheme() == Allocation:
		return func(noise float64) accounting.Event {
			return accounting.RandomAllocation{Period: batches, Steps: count, Participations: 1, Event: accounting.ClippedSum{NoiseMultiplier: noise}}
		}
	}
	return func(noise float64) accounting.Event { return Steps(rate, noise, count) }
}

// sizedStep returns one step of a scheme that has sizes.
func (s *SGD) sizedStep(sum accounting.Event) accounting.Event {
	size, population := int(s.Batch.Value), int(s.Examples.Value)
	switch s.Scheme() {
	case Capped:
		return accounting.TruncatedPoisson{SamplingRate: s.SamplingRate(), Cap: int(s.Cap.Value), PopulationSize: population, Event: sum}
	case WithReplacement:
		return accounting.SampledWithReplacement{SampleSize: size, PopulationSize: population, Event: sum}
	}
	return accounting.SampledWithoutReplacement{SampleSize: size, PopulationSize: population, Event: sum}
}

// Drawn returns how the batches are drawn.
func (s *SGD) Drawn() *Batches {
	b := &Batches{Scheme: s.Scheme()}
	if s.byEpochs() {
		b.Epochs = s.EpochCount()
	}
	switch s.Scheme() {
	case Shuffled, ShuffledOnce:
		b.Bounded = !s.equalBatches()
		b.Drawn = fmt.Sprintf("shuffled in every epoch (%d), ", b.Epochs)
		if s.Scheme() == ShuffledOnce {
			b.Drawn = fmt.Sprintf("shuffled once, and in the same order in every epoch (%d), ", b.Epochs)
		}
		b.Drawn += "priced as if the order were known. Each epoch is one Gaussian of distance √5: " +
			"without the example the loader moves another one into its batch, and the last batch is one smaller"
		if b.Bounded {
			b.Drawn += ". A lower end needs whole epochs of batches of one size: -examples and a -batch that divides it"
		}
	case Allocation:
		b.Drawn = fmt.Sprintf("each example joins one of the %d steps of each epoch, drawn by its own coin in each epoch (random allocation). "+
			"The number of steps is examples / batch, rounded down, as fewer steps cost more. The sizes of batches stay hidden", s.BatchesOfEpoch())
	case Capped:
		b.Drawn = fmt.Sprintf("each example joins each step by its own coin, and a random %v of them stay if more join (truncated Poisson)", s.Cap.String())
	case WithoutReplacement:
		b.Drawn = sizes + ", without replacement"
	case WithReplacement:
		b.Drawn = sizes + ", with replacement: an example may be drawn several times, and then counts as often"
	case Fixed:
		b.Drawn = fmt.Sprintf("each example is in one batch of every epoch (%d), by a rule that reads no data. "+
			"A missing example leaves its place empty, and no other example moves; otherwise use -batches shuffled", b.Epochs)
	default:
		b.Drawn = coins + otherwise
	}
	return b
}

const (
	coins         = "each example joins each step by its own coin (Poisson)"
	sizes         = "each step draws a new sample of fixed size"
	allocated     = "each example joins steps of each period by its own coin (random allocation)"
	loaded        = "batches are cut from a shuffled list of the examples"
	draws         = "each step draws examples one by one, and may draw one again"
	cut           = "each example joins each step by its own coin, and a random subset is kept if more than the cap join"
	otherwise     = "; for shuffled batches use -batches shuffled"
	otherwiseFile = "; shuffled batches cost more: dpcost sgd -batches shuffled"
)

// BatchesOf returns how the batches of an event are drawn. It is nil if no part of the event is a
// sample, or if the event is not valid. A Poisson sample at rate 1 does not count.
func BatchesOf(event accounting.Event) *Batches {
	node, err := accounting.Flatten(event)
	if err != nil {
		return nil
	}
	var schemes, texts []string
	for _, s := range []struct {
		scheme, text string
		is           func(n accounting.Node) bool
	}{
		{Poisson, coins + otherwiseFile, func(n accounting.Node) bool { return n.Shape == accounting.PoissonSample }},
		{sampleOfSize, sizes, func(n accounting.Node) bool { return n.Shape == accounting.FixedSizeSample }},
		{Allocation, allocated, isEvent[accounting.RandomAllocation]},
		{Shuffled, loaded, isEvent[accounting.Shuffled]},
		{repeating, draws, isEvent[accounting.SampledWithReplacement]},
		{Capped, cut, isEvent[accounting.TruncatedPoisson]},
	} {
		if batchesAre(node, s.is) {
			schemes, texts = append(schemes, s.scheme), append(texts, s.text)
		}
	}
	if len(schemes) == 0 {
		return nil
	}
	return &Batches{Scheme: strings.Join(schemes, " and "), Drawn: strings.Join(texts, "; ")}
}

// batchesAre reports whether is holds for a part of an event. The sample that a tuning has is not
// a batch.
func batchesAre(n accounting.Node, is func(accounting.Node) bool) bool {
	if e, ok := n.Event.(subsample.Event); ok {
		runs, err := accounting.Flatten(accounting.Composed{Events: []accounting.Event{e.Tuning, e.Training}})
		return err == nil && batchesAre(runs, is)
	}
	return is(n) || slices.ContainsFunc(n.Children, func(child accounting.Node) bool { return batchesAre(child, is) })
}

// isEvent reports whether the event of a node has the type E.
func isEvent[E accounting.Event](n accounting.Node) bool {
	_, ok := n.Event.(E)
	return ok
}

// epochsOf returns the largest number of times that a record takes part. rate is the batch size
// over the number of records. An epoch has 1/rate steps, rounded down in case the incomplete batch
// is dropped. wholePart keeps 1/(1/49) at 49. Sizes are below 1e12, so no other quotient of them
// is as near to a whole number.
func epochsOf(rate float64, steps int) int {
	return int(max(1, math.Ceil(float64(steps)/max(1, wholePart(1/rate)))))
}

// wholePart rounds down, but not what is a whole number up to rounding.
func wholePart(x float64) float64 { return math.Floor(x * (1 + 1e-13)) }
