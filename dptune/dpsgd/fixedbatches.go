package dpsgd

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
)

// FixedBatches lets the example at index i join the steps t with t ≡ i (mod Period). This splits
// the data into k = Period batches, used in turn. With k·b rows each batch has b.
//
// The adversary may know all batches, so sampling amplifies nothing. An example takes part in at
// most ⌈T/k⌉ steps. The other steps depend on it through their starting weights only. So the event
// is ⌈T/k⌉ Gaussians, also against anyone who sees the weights of every step. Audits in the
// hidden-state model use this setting to measure what hiding those weights is worth (Cebere et al.
// (2024), arXiv:2405.14457, Section 4).
//
// Neighboring data sets differ in one example, and its place is empty in one of them. No other
// example moves to another batch. The order of the rows must not depend on the data. For instance,
// draw it at random beforehand.
type FixedBatches struct {
	Period int // k >= 1
}

// String names the scheme with its period.
func (f FixedBatches) String() string { return fmt.Sprintf("FixedBatches(period %d)", f.Period) }

// Validate returns an error unless the period is at least 1.
func (f FixedBatches) Validate(int) error {
	return check.AtLeast(1).Of("FixedBatches.Period", float64(f.Period))
}

func (f FixedBatches) inTurn() inTurn {
	return inTurn{scheme: f, groups: f.Period, within: FullBatch{}}
}

// Event returns ⌈T/k⌉ releases. The event is not valid if T or k is not positive.
func (f FixedBatches) Event(release accounting.Event, steps int) accounting.Event {
	return f.inTurn().event(release, steps)
}

// Chosen is a release for each step.
func (FixedBatches) Chosen(release accounting.Event, count int) accounting.Event {
	return FullBatch{}.Chosen(release, count)
}

// Secret returns false.
func (FixedBatches) Secret() bool { return false }

// Assumptions are about the order of the examples.
func (FixedBatches) Assumptions() []string {
	return []string{"the examples were ordered without looking at them", "an example that is left out leaves its place empty"}
}

// Share returns 1/k.
func (f FixedBatches) Share() float64 { return f.inTurn().share() }

// LikelyBatch returns the size of the first batch, which is the largest.
func (f FixedBatches) LikelyBatch(examples int) float64 { return f.inTurn().likelyBatch(examples) }

// Batch returns every k-th example.
func (f FixedBatches) Batch(coins streams.Root, step, n int) ([]int32, error) {
	return f.inTurn().batch(coins, step, n)
}

// Canaries returns the canaries with their place in the batch.
func (f FixedBatches) Canaries(coins streams.Root, step, n, m int) ([]int32, error) {
	return f.inTurn().canaries(coins, step, n, m)
}

func (FixedBatches) sealed() {}

// FullBatch lets every example join every step. The event is T Gaussians: only the noise is secret.
// It is FixedBatches of period 1.
type FullBatch struct{}

// String names the scheme.
func (FullBatch) String() string { return "FullBatch" }

// Validate returns nil.
func (FullBatch) Validate(int) error { return nil }

// Event is T releases.
func (FullBatch) Event(release accounting.Event, steps int) accounting.Event {
	return accounting.SelfComposed{Event: release, Count: max(0, steps)}
}

// Chosen is a release for each step.
func (FullBatch) Chosen(release accounting.Event, count int) accounting.Event {
	return accounting.SelfComposed{Event: release, Count: count}
}

// Secret returns false.
func (FullBatch) Secret() bool { return false }

// Assumptions names the batch.
func (FullBatch) Assumptions() []string { return []string{"every example takes part in every step"} }

// Share returns 1.
func (FullBatch) Share() float64 { return 1 }

// LikelyBatch returns the number of examples.
func (FullBatch) LikelyBatch(examples int) float64 { return float64(examples) }

// Batch returns all examples.
func (FullBatch) Batch(_ streams.Root, step, n int) (all []int32, err error) {
	if err := validateStep(step, n); err != nil {
		return nil, err
	}
	for i := range n {
		all = append(all, int32(i))
	}
	return all, nil
}

// Canaries returns all of them.
func (b FullBatch) Canaries(coins streams.Root, step, _, m int) ([]int32, error) {
	return b.Batch(coins, step, m)
}

func (FullBatch) sealed() {}
