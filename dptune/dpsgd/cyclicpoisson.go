package dpsgd

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd/internal/planted"
	"github.com/dplab/dplab/dptune/streams"
)

// CyclicPoisson samples from k = Period groups in turn. The example at index i is in group i mod k.
// Step t draws from group t mod k, and each example of it joins independently with chance Rate. So
// an example has a coin in at most ⌈T/k⌉ steps, which are k steps apart: the event is ⌈T/k⌉
// Poisson-sampled releases. It assumes that it stays secret which examples joined. The groups may
// be known.
//
// The scheme is for [CorrelatedNoise] of at most k bands. With independent noise, [Poisson] at the
// rate Rate/k has batches of the same mean size and costs less.
//
// Neighboring data sets differ in one example, and its place is empty in one of them, as with
// [FixedBatches]. The order of the rows must not depend on the data.
type CyclicPoisson struct {
	Period int     // k >= 1
	Rate   float64 // q in (0, 1], the chance of an example to join when its group has its turn
}

// Proof of the event with correlated noise of b <= k bands and norm 1 (Choquette-Choo et al.
// (2023), arXiv:2306.08153v2, Theorem 4). Let x have its coins at the steps i, i+k, ... The run
// releases C G + Z row by row. A participation at step i adds c_(t-i) g to the rows i to i+b-1.
// Here g is fixed at row i, and ‖g‖ <= 1. Over these rows that is a vector u of norm r <= 1. The
// rows of different participations are disjoint.
//
// Reveal which of the others joined. For each turn of x, draw w from (1-q)N(0,σ²)+qN(1,σ²), or from
// N(0,σ²) without x. Let the noise of the turn's rows be r w + √(1-r²) σ ξ along u/r, and fresh
// normals across u/r, with ξ a fresh normal. Given the coin, this is Z + u or Z. The others' sums
// in these rows are functions of the rows before. So the run is a function of the w of all turns,
// and of draws that are the same with and without x. It is post-processing of ⌈T/k⌉ sampled
// Gaussians. In the last turn, rows may be cut off, and r is smaller. If none is, g of norm 1 in a
// fixed direction attains the price.
//
// For a replaced example, u becomes another vector u' of norm at most 1, fixed at the same row. A
// turn is then post-processing of Z + u, Z + u' or Z, as a sampled sum of clipped vectors is. ∎

// String names the scheme with its period and rate.
func (p CyclicPoisson) String() string {
	return fmt.Sprintf("CyclicPoisson(period %d, q %v)", p.Period, p.Rate)
}

// Validate returns an error unless the period is at least 1 and the rate in (0, 1].
func (p CyclicPoisson) Validate(int) error {
	f := check.In("CyclicPoisson.")
	f.Count("Period", p.Period, 1)
	f.Number("Rate", p.Rate, check.Rate)
	return f.Err()
}

// groups returns k.
func (p CyclicPoisson) groups() int { return p.Period }

// Event returns ⌈T/k⌉ Poisson-sampled releases. The event is not valid if T or k is not positive.
func (p CyclicPoisson) Event(release accounting.Event, steps int) accounting.Event {
	return p.Chosen(release, p.turns(steps))
}

// turns returns the largest number of steps that have a coin of one example, 0 if not valid.
func (p CyclicPoisson) turns(steps int) int {
	if steps < 1 || p.Period < 1 {
		return 0
	}
	return (steps-1)/p.Period + 1
}

// Chosen is a sampled release for each of the steps. It is an upper bound if some of them are not
// steps of the example's group.
func (p CyclicPoisson) Chosen(release accounting.Event, count int) accounting.Event {
	return Poisson{Rate: p.Rate}.Event(release, count)
}

// Secret returns true.
func (CyclicPoisson) Secret() bool { return true }

// Assumptions are about the coins and the order of the examples.
func (CyclicPoisson) Assumptions() []string {
	return append([]string{"each example joined each step of its group by its own coin", "the batches stay secret"}, FixedBatches{}.Assumptions()...)
}

// Share returns q/k.
func (p CyclicPoisson) Share() float64 { return p.Rate / float64(max(p.Period, 1)) }

// LikelyBatch returns the mean size plus two standard deviations of the largest group's batch, at
// most the size of that group.
func (p CyclicPoisson) LikelyBatch(examples int) float64 {
	return Poisson{Rate: p.Rate}.LikelyBatch(int(math.Ceil(float64(examples) / float64(max(p.Period, 1)))))
}

// Batch returns the examples of the step's group that join.
func (p CyclicPoisson) Batch(coins streams.Root, step, n int) ([]int32, error) {
	if err := p.validateDraw(step, n); err != nil {
		return nil, err
	}
	first := step % p.Period
	batch, err := Poisson{Rate: planted.InRate(p.Rate)}.draw(coins.Rand(stepLabel(step)), max(0, n-first+p.Period-1)/p.Period)
	for i := range batch {
		batch[i] = int32(first) + batch[i]*int32(p.Period)
	}
	return batch, err
}

// Canaries returns the canaries of the step's group that join, by their own coins.
func (p CyclicPoisson) Canaries(coins streams.Root, step, n, m int) (joined []int32, err error) {
	if err := p.validateDraw(step, n+m); err != nil {
		return nil, err
	}
	drawn, err := Poisson{Rate: p.Rate}.draw(coins.Rand(stepLabel(step)), m)
	for _, i := range drawn {
		if (n+int(i))%p.Period == step%p.Period {
			joined = append(joined, i)
		}
	}
	return joined, err
}

// validateDraw checks the scheme and the arguments of a draw.
func (p CyclicPoisson) validateDraw(step, n int) error {
	if err := p.Validate(n); err != nil {
		return fmt.Errorf("dpsgd: %w", err)
	}
	return FixedBatches{Period: p.Period}.validateDraw(step, n)
}

func (CyclicPoisson) sealed() {}
