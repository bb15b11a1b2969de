package dpsgd

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/dptune/streams"
)

// TruncatedPoisson is [Poisson] sampling with batches of at most Cap examples. If more examples
// join, a uniformly random subset of Cap of them is kept. The event assumes that the batches and
// their sizes stay secret.
//
// It costs more than Poisson, since an example that joins a full batch takes the place of another.
// In three settings (TestPriceOfACap) a cap of five standard deviations above the mean batch raised
// ε by 0.1 to 0.4 %, of four by 0.2 to 9 %, of three by 2 to 110 %. The engine needs no cap: it
// runs one more microbatch if a batch is larger than expected. With a cap of at most
// Performance.Microbatch all steps run one microbatch, so the time of a step reveals less.
//
// The event depends on a public bound on the number of examples. It has a price for noise
// multipliers from 0.002 to 2^53, and Config.Validate refuses others. It takes no canaries: a
// canary would have to take the place of another example.
type TruncatedPoisson struct {
	Rate     float64 // q in (0, 1]
	Cap      int     // B >= q Examples, the largest batch
	Examples int     // a public bound on the number of examples, from 1 to 2^31-1
}

// String names the scheme with its numbers.
func (p TruncatedPoisson) String() string {
	return fmt.Sprintf("TruncatedPoisson(q %v, at most %d of %d)", p.Rate, p.Cap, p.Examples)
}

// Validate returns an error unless all numbers are in their ranges. It refuses more examples than
// the bound.
func (p TruncatedPoisson) Validate(examples int) error {
	f := check.In("TruncatedPoisson.")
	f.Number("Rate", p.Rate, check.Rate)
	f.That(p.Examples >= 1 && p.Examples <= math.MaxInt32, "Examples", p.Examples, "must be from 1 to 2^31-1")
	f.That(p.Examples >= examples, "Examples", p.Examples, fmt.Sprintf("must be at least %d, the number of examples", examples))
	mean := p.Rate * float64(p.Examples)
	f.That(p.Cap >= 1 && float64(p.Cap) >= mean*(1-1e-12), "Cap", p.Cap, "must be at least 1 and Rate times Examples, the mean batch")
	return f.Err()
}

// Event returns T releases of truncated Poisson samples. Neighbors differ by one added or removed
// example, and both have at most Examples. The proof is below. Under other relations the event's
// price holds only if Examples is the number of examples.
func (p TruncatedPoisson) Event(release accounting.Event, steps int) accounting.Event {
	one := accounting.TruncatedPoisson{SamplingRate: p.Rate, Cap: p.Cap, PopulationSize: p.Examples, Event: release}
	return accounting.SelfComposed{Event: one, Count: steps}
}

// Why a cut is priced by the number of the others. Let m of the others join; m does not depend on
// the example x. If m < B, nothing is cut, with x or without it. If m >= B, let r be a random
// ordered list of B of the others that joined. Without x the batch is r. With x, x is kept with
// chance B/(m+1) if it joins. The other places then hold a uniform list of B-1 others. So x takes
// the place of the last of r, and the sum moves by at most 2C.

// hasPrice reports whether an accountant prices the event at a noise multiplier. A sample that may
// be cut is priced by package pld only, and its grid has these limits.
func (p TruncatedPoisson) hasPrice(noiseMultiplier float64) bool {
	return p.Cap >= p.Examples || noiseMultiplier >= 0.002 && noiseMultiplier <= 0x1p53
}

// Chosen is Event: coins are tossed at each of the steps.
func (p TruncatedPoisson) Chosen(release accounting.Event, count int) accounting.Event {
	return p.Event(release, count)
}

// Secret returns true.
func (TruncatedPoisson) Secret() bool { return true }

// Assumptions are about the coins.
func (p TruncatedPoisson) Assumptions() []string {
	return []string{
		"each example joined each step by its own coin",
		fmt.Sprintf("of a batch of more than %d examples a uniformly random subset of as many was kept", p.Cap),
		fmt.Sprintf("there are at most %d examples, and this bound is public", p.Examples),
		"the batches and their sizes stay secret",
	}
}

// Share returns the mean share of Examples that take part.
//
//	E[min(M, B)] = B - Σ_{k<B} (B-k) P[M = k],   M ~ Bin(Examples, q)
func (p TruncatedPoisson) Share() float64 {
	if p.Validate(-1) != nil {
		return 1
	}
	missing := 0.0
	for k := range min(p.Cap, p.Examples+1) {
		missing += float64(p.Cap-k) * math.Exp(numeric.LogBinomialWeight(p.Examples, k, p.Rate))
	}
	return (float64(p.Cap) - missing) / float64(p.Examples)
}

// LikelyBatch returns that of Poisson sampling, at most the cap.
func (p TruncatedPoisson) LikelyBatch(examples int) float64 {
	return min(Poisson{Rate: p.Rate}.LikelyBatch(examples), float64(p.Cap))
}

// Batch returns the examples that join and are kept.
//
// The subset is that of a uniformly random order: the first places are filled one by one, each with
// one of the examples that are left, all equally likely.
func (p TruncatedPoisson) Batch(coins streams.Root, step, n int) ([]int32, error) {
	if err := errors.Join(p.Validate(n), validateStep(step, n)); err != nil {
		return nil, fmt.Errorf("dpsgd: %w", err)
	}
	batch, err := Poisson{Rate: p.Rate}.draw(coins.Rand(stepLabel(step)), n)
	if err != nil || len(batch) <= p.Cap {
		return batch, err
	}
	rng := coins.Rand("cut of " + stepLabel(step))
	for i := range p.Cap {
		j := i + int(uniform(rng, uint64(len(batch)-i)))
		batch[i], batch[j] = batch[j], batch[i]
	}
	batch = batch[:p.Cap]
	slices.Sort(batch)
	return batch, nil
}

// Canaries returns an error.
func (TruncatedPoisson) Canaries(streams.Root, int, int, int) ([]int32, error) {
	return nil, errors.New("dpsgd: TruncatedPoisson takes no canaries: they would have to take the place of others")
}

func (TruncatedPoisson) sealed() {}
