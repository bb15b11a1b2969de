package accounting

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting/check"
)

// ClippedSum is one release of a sum of vectors, one for each example, each clipped to L2 norm 1.
// The noise is normal, of standard deviation NoiseMultiplier in each coordinate.
//
// An added, removed or zeroed example moves the sum by at most 1. The event then costs what
// [Gaussian] costs. Under [ReplaceOne] one vector takes the place of another, and the sum moves by
// at most 2. On a sample the old and the new record may both be absent, and then nothing moves. So
// a sample of a ClippedSum can cost much less than a sample of a Gaussian of half its noise
// multiplier.
type ClippedSum struct {
	NoiseMultiplier float64 // σ > 0, the noise over the clip norm, under every relation
}

// Validate returns an error unless the noise multiplier is positive and finite.
func (e ClippedSum) Validate() error {
	return check.Positive.With("(for no noise use NonPrivate)").Of("accounting: ClippedSum.NoiseMultiplier", e.NoiseMultiplier)
}

// String describes the event.
func (e ClippedSum) String() string { return fmt.Sprintf("ClippedSum(σ=%g)", e.NoiseMultiplier) }

// RandomAllocation is Event run at each of Steps steps, on batches that are drawn as follows. The
// steps are split into periods of Period steps, usually the epochs. In each period each example
// takes part in Participations steps. Every choice of them is equally likely, and is drawn anew
// for each example and each period, independently of all others. With one participation the scheme
// is also called balls in bins.
//
// The last period may be cut. Its steps are then the first ones of a whole period. Batches have
// random sizes. The sizes and the batches stay hidden. Equal sizes are another mechanism: see
// [Shuffled].
type RandomAllocation struct {
	Period         int   // t >= 2, steps of a period
	Steps          int   // T >= 1, steps in all
	Participations int   // k from 1 to t, steps of each period that an example joins
	Event          Event // the event on a batch
}

var _ Holder = RandomAllocation{}

// Validate returns an error unless the numbers are in their ranges and the inner event is valid.
func (e RandomAllocation) Validate() error {
	f := check.In("accounting: RandomAllocation.")
	f.Count("Period", e.Period, 2)
	f.Count("Steps", e.Steps, 1)
	f.That(1 <= e.Participations && e.Participations <= e.Period, "Participations", fmt.Sprintf("%d, Period %d", e.Participations, e.Period),
		"must be 1 <= Participations <= Period")
	f.Add(validateInner("RandomAllocation.Event", e.Event))
	return f.Err()
}

// String describes the event.
func (e RandomAllocation) String() string {
	return fmt.Sprintf("RandomAllocation(%d of each %d, %d steps, %v)", e.Participations, e.Period, e.Steps, e.Event)
}

// Holds returns the event on a batch.
func (e RandomAllocation) Holds() []Event { return []Event{e.Event} }

// Shuffled is Event run on the Batches disjoint batches of each of Epochs epochs. The examples are
// shuffled, and cut into batches of equal, public size. All orders are equally likely and stay
// hidden. Under [AddOrRemoveOne] the last batch is one short without the example, and the number
// of batches is the same. A loader that drops this batch has no finite ε.
//
// What the hidden order saves is known from both sides only. Prices have an upper end, as if the
// order were known, and a lower one, by an attack. See [ErrUnknownAmplification].
type Shuffled struct {
	Batches int   // T >= 1, steps of an epoch
	Epochs  int   // E >= 1
	Kept    bool  // whether one order is kept for all epochs
	Event   Event // the event on a batch
}

var _ Holder = Shuffled{}

// ErrUnknownAmplification is wrapped by a warning: the price of shuffled batches does not count
// what the hidden order saves. No proof bounds that for gradients that depend on earlier outputs.
var ErrUnknownAmplification = errors.New("how much the hidden order saves is not known")

// Validate returns an error unless the numbers are in their ranges and the inner event is valid.
func (e Shuffled) Validate() error {
	f := check.In("accounting: Shuffled.")
	f.Count("Batches", e.Batches, 1)
	f.Count("Epochs", e.Epochs, 1)
	f.Add(validateInner("Shuffled.Event", e.Event))
	return f.Err()
}

// String describes the event.
func (e Shuffled) String() string {
	order := "a new order each"
	if e.Kept {
		order = "one order"
	}
	return fmt.Sprintf("Shuffled(%d batches, %d epochs, %s, %v)", e.Batches, e.Epochs, order, e.Event)
}

// Holds returns the event on a batch.
func (e Shuffled) Holds() []Event { return []Event{e.Event} }

// TruncatedPoisson is Event run on a Poisson sample that has at most Cap examples. Each example
// joins with chance SamplingRate. If more than Cap examples join, a random subset of Cap of them
// is kept. The subset and its size stay hidden.
//
// Under [ReplaceSpecial] and [ReplaceOne] PopulationSize is the number of examples. Under
// [AddOrRemoveOne] it is an upper bound on that number, and the price holds for every number up to
// it, so also on a Poisson sample of the examples. A bound does not serve the other two: with fewer
// examples less is cut, and each takes part more often.
//
// A cap below the mean batch is an error. It would cut most batches, and a smaller rate is better.
type TruncatedPoisson struct {
	SamplingRate   float64 // q in (0, 1]
	Cap            int     // B >= q n, the largest batch
	PopulationSize int     // n >= 1, public: the number of examples, or a bound as above
	Event          Event   // the event on the batch
}

var _ Holder = TruncatedPoisson{}

// Validate returns an error unless the numbers are in their ranges and the inner event is valid.
func (e TruncatedPoisson) Validate() error {
	f := check.In("accounting: TruncatedPoisson.")
	f.Number("SamplingRate", e.SamplingRate, check.Rate)
	f.Count("Cap", e.Cap, 1)
	f.Count("PopulationSize", e.PopulationSize, 1)
	mean := e.SamplingRate * float64(e.PopulationSize)
	f.That(e.Cap < 1 || !(float64(e.Cap) < mean*(1-1e-12)), "Cap", e.Cap, fmt.Sprintf("must be at least the mean batch SamplingRate·PopulationSize, %.6g", mean))
	f.Add(validateInner("TruncatedPoisson.Event", e.Event))
	return f.Err()
}

// String describes the event.
func (e TruncatedPoisson) String() string {
	return fmt.Sprintf("TruncatedPoisson(q=%g, at most %d of %d, %v)", e.SamplingRate, e.Cap, e.PopulationSize, e.Event)
}

// Holds returns the event on the batch.
func (e TruncatedPoisson) Holds() []Event { return []Event{e.Event} }

// SampledWithReplacement is Event run on SampleSize draws from the PopulationSize examples. Each
// draw takes one example, all equally likely, and independently of the others. An example may be
// drawn several times, and then counts as often. The draws stay hidden.
//
// Under [AddOrRemoveOne] PopulationSize is that of the larger data set, and at least 2. If it is
// not known, a lower bound is safe: with fewer records each is drawn more often.
type SampledWithReplacement struct {
	SampleSize     int   // b >= 1
	PopulationSize int   // n >= 1, public
	Event          Event // the event on the draws
}

var _ Holder = SampledWithReplacement{}

// Validate returns an error unless both sizes are at least 1 and the inner event is valid.
func (e SampledWithReplacement) Validate() error {
	f := check.In("accounting: SampledWithReplacement.")
	f.Count("SampleSize", e.SampleSize, 1)
	f.Count("PopulationSize", e.PopulationSize, 1)
	f.Add(validateInner("SampledWithReplacement.Event", e.Event))
	return f.Err()
}

// String describes the event.
func (e SampledWithReplacement) String() string {
	return fmt.Sprintf("SampledWithReplacement(%d draws from %d, %v)", e.SampleSize, e.PopulationSize, e.Event)
}

// Holds returns the event on the draws.
func (e SampledWithReplacement) Holds() []Event { return []Event{e.Event} }

// MixtureOfGaussians is one release with normal noise of standard deviation NoiseMultiplier in
// each coordinate. The record moves the release by a random distance: by at most Distances[j] with
// chance Chances[j]. The index j stays hidden, and is drawn independently of the data. For
// example, each of the K examples of a user joins by its own coin. The record is added, removed or
// zeroed. Accountants for [ReplaceOne] refuse the event.
//
// What the sum of the chances lacks of 1, by rounding or otherwise, is priced as the largest
// distance. So both ends of a δ that is not far above it may be too large.
type MixtureOfGaussians struct {
	Chances         []float64 // each >= 0, with sum 1 within 1e-12
	Distances       []float64 // of equal length, each >= 0
	NoiseMultiplier float64   // σ > 0, in the unit of the distances
}

// Validate returns an error unless the lists have equal length and all numbers are in their
// ranges.
func (e MixtureOfGaussians) Validate() error {
	f := check.In("accounting: MixtureOfGaussians.")
	f.That(len(e.Chances) == len(e.Distances) && len(e.Chances) > 0, "Chances, Distances",
		fmt.Sprintf("have %d and %d entries", len(e.Chances), len(e.Distances)), "must be equal and at least 1")
	f.Add(check.Probabilities("accounting: MixtureOfGaussians.Chances", e.Chances, 1e-12))
	f.Each("Distances", e.Distances, check.NotNegative)
	f.Number("NoiseMultiplier", e.NoiseMultiplier, check.Positive)
	return f.Err()
}

// String describes the event.
func (e MixtureOfGaussians) String() string {
	return fmt.Sprintf("MixtureOfGaussians(%d distances, σ=%g)", len(e.Distances), e.NoiseMultiplier)
}
