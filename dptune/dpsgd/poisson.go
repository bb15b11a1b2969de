package dpsgd

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
)

// Poisson is Poisson sampling: each example joins each step independently with chance Rate. The
// event assumes that it stays secret which examples joined.
//
// Each example's coin compares 64 random bits with ⌊q·2^64⌋. So its chance of joining is never
// above q, and at most 2^-64 below it. With q = 1 all join, and no coins are tossed.
type Poisson struct {
	Rate float64 // q in (0, 1]
}

// String names the scheme with its rate.
func (p Poisson) String() string { return fmt.Sprintf("Poisson(q %v)", p.Rate) }

// Validate returns an error unless the rate is in (0, 1].
func (p Poisson) Validate(int) error { return check.Rate.Of("Poisson.Rate", p.Rate) }

// Event returns T Poisson-sampled releases.
func (p Poisson) Event(release accounting.Event, steps int) accounting.Event {
	return accounting.SelfComposed{Event: accounting.PoissonSampled{SamplingRate: p.Rate, Event: release}, Count: steps}
}

// Chosen is Event: a coin is tossed at each of the steps.
func (p Poisson) Chosen(release accounting.Event, count int) accounting.Event {
	return p.Event(release, count)
}

// Secret returns true.
func (Poisson) Secret() bool { return true }

// Assumptions are about the coins.
func (Poisson) Assumptions() []string {
	return []string{"each example joined each step by its own coin", "the batches stay secret"}
}

// Share returns q.
func (p Poisson) Share() float64 { return p.Rate }

// LikelyBatch returns the mean size plus two standard deviations, at most the number of examples.
func (p Poisson) LikelyBatch(examples int) float64 {
	n := float64(examples)
	return min(n*p.Rate+2*math.Sqrt(n*p.Rate*(1-p.Rate)), n)
}

// Batch returns the examples that join.
func (p Poisson) Batch(coins streams.Root, step, n int) ([]int32, error) {
	return p.draw(coins.Rand(stepLabel(step)), n)
}

// Canaries returns the canaries that join, by their own coins.
func (p Poisson) Canaries(coins streams.Root, step, _, m int) ([]int32, error) {
	return p.draw(coins.Rand(stepLabel(step)), m)
}

func (Poisson) sealed() {}

// stepLabel names the stream of one step.
func stepLabel(step int) string { return fmt.Sprintf("step %d", step) }

// draw tosses a coin for each of n examples and returns those that join, ascending.
func (p Poisson) draw(rng *rand.Rand, n int) ([]int32, error) {
	if err := p.Validate(n); err != nil {
		return nil, fmt.Errorf("dpsgd: %w", err)
	}
	if err := validateCount(n); err != nil {
		return nil, err
	}
	batch := make([]int32, 0, int(p.Rate*float64(n)*1.2)+16)
	if p.Rate == 1 {
		for i := range n {
			batch = append(batch, int32(i))
		}
		return batch, nil
	}
	threshold := uint64(p.Rate * (1 << 64)) // the product with a power of two is exact
	for i := range n {
		if rng.Uint64() < threshold {
			batch = append(batch, int32(i))
		}
	}
	return batch, nil
}

// validateStep checks the number of a step and of examples.
func validateStep(step, n int) error {
	if step < 0 {
		return fmt.Errorf("dpsgd: step %d: must be >= 0", step)
	}
	return validateCount(n)
}

// validateCount checks a number of examples whose indices are int32.
func validateCount(n int) error {
	if n < 0 || n > math.MaxInt32 {
		return fmt.Errorf("dpsgd: number of examples %d: must be in [0, 2^31)", n)
	}
	return nil
}
