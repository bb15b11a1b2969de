package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/internal/job"
	"github.com/dplab/dplab/dptune/streams"
)

// OwnStep is a step of [Replicas.RunOwn]: what is there before it, and what the engine can compute.
// It is valid until the step returns. Its methods must not be called at the same time.
type OwnStep struct {
	Number int         // t, from 0
	State  [][]float64 // [R][S], the numbers of dpsgd.Own.State; a step may change them

	// NoiseStdDev are the standard deviations of each number of the noise in the sums that the step
	// returns, one for each replica. A step sets them for optimizers that ask, such as dpsgd.AdamBC.
	// They are 0 before every step, and must be as public as the sums.
	NoiseStdDev []float64

	t     *Replicas
	now   job.Now
	roots []streams.Root
}

// Weights returns a copy of each replica's weights, [R][P].
func (s *OwnStep) Weights() ([][]float64, error) { return s.now.Weights() }

// Coins returns the root of a replica's coins. A scheme of dpsgd.Sampling draws batches from it as
// in a run by the configs: Poisson{q}.Batch(s.Coins(0), s.Number, n). Label other streams with
// their purpose and s.Number: a resumed run then draws them again. It panics if replica is out of
// range.
func (s *OwnStep) Coins(replica int) streams.Root { return s.roots[replica].Child("batches") }

// Normals returns P standard normals of a replica for any step, the same in every call. Those of
// other replicas and steps are independent. A run by the configs has these times σC as its noise,
// up to rounding. Their truncation is that of [dpsgd.Config.TruncationDelta]. It panics if replica
// is out of range.
func (s *OwnStep) Normals(replica, step int) []float64 { return s.now.Normals(replica, step) }

// Sums returns the sum of the clipped gradients over a batch of each replica, [R][P], at its clip
// norm. Adding or removing one example of a batch moves its sum by at most the clip norm, as in
// dpsgd/sensitivity.go. So a batch of several microbatches is added in a random order. norms has
// the norms of the gradients before clipping, in the order of each batch. One that is not finite is
// NaN or +Inf, and its gradient adds zero.
//
// A batch must name each example at most once. Neither result is private.
func (s *OwnStep) Sums(batches [][]int32, clipNorms []float64) (sums, norms [][]float64, err error) {
	if err := s.t.validateBatches(batches); err != nil {
		return nil, nil, err
	}
	if len(clipNorms) != len(batches) {
		return nil, nil, fmt.Errorf("engine: %d clip norms: must be %d, one for each replica", len(clipNorms), len(batches))
	}
	clip := make([][]float64, len(batches))
	for r, c := range clipNorms {
		var err error
		if clip[r], err = s.t.ownClipNumbers(r, c); err != nil {
			return nil, nil, fmt.Errorf("engine: clipNorms[%d] %g: %w", r, c, err)
		}
	}
	return s.now.Sums(batches, clip)
}

// ownClipNumbers returns the numbers of a replica's clipping rule at a clip norm.
func (t *Replicas) ownClipNumbers(replica int, clipNorm float64) ([]float64, error) {
	if !(clipNorm >= 1e-18 && clipNorm <= 1e18) {
		return nil, errors.New("must be in [1e-18, 1e18]")
	}
	c, layers := t.plan.Replicas[replica].WithDefaults(), len(t.model.LayerSizes())
	if err := c.Clipping.Validate(clipNorm, layers); err != nil {
		return nil, fmt.Errorf("Clipping %v: %w", c.Clipping, err)
	}
	c.ClipNorm = clipNorm
	numbers, want := clipNumbers(c, layers, t.perf.clipScale()), len(clipNumbers(t.plan.clipped(replica), layers, 1))
	if len(numbers) != want || !allFinite(numbers) {
		return nil, fmt.Errorf("Clipping %v: Coefficients are %v: must be as many as at clip norm 1, and finite", c.Clipping, numbers)
	}
	return numbers, nil
}

// validateBatches returns an error unless there is a batch for each replica, and each names rows of
// the data, none twice.
func (t *Replicas) validateBatches(batches [][]int32) error {
	if want := len(t.plan.Replicas); len(batches) != want {
		return fmt.Errorf("engine: %d batches: must be %d, one for each replica", len(batches), want)
	}
	for r, batch := range batches {
		sorted := slices.Clone(batch)
		slices.Sort(sorted)
		for k, i := range sorted {
			if i < 0 || int(i) >= t.examples {
				return fmt.Errorf("engine: batches[%d] holds example %d: must be in [0, %d)", r, i, t.examples)
			}
			if k > 0 && sorted[k-1] == i {
				return fmt.Errorf("engine: batches[%d] holds example %d twice: must hold it at most once, or it adds more than the clip norm", r, i)
			}
		}
	}
	return nil
}

// validateKept checks the numbers that a step has kept, and those of its noise.
func (t *Replicas) validateKept(state [][]float64, noise []float64) error {
	if replicas := len(t.plan.Replicas); len(noise) != replicas || !allFinite(noise) || slices.ContainsFunc(noise, func(v float64) bool { return v < 0 }) {
		return fmt.Errorf("OwnStep.NoiseStdDev is %v: must be %d finite numbers >= 0, one for each replica", noise, replicas)
	}
	for r, numbers := range state {
		if want := len(t.plan.Own.State); len(numbers) != want || !allFinite(numbers) {
			return fmt.Errorf("OwnStep.State[%d] is %v: must be %d finite numbers", r, numbers, want)
		}
	}
	return nil
}

// RunOwn trains the models of a plan with [dpsgd.Plan.Own], by steps of the caller's own. step
// returns the sums that move the weights, [R][P], with their noise: Σ of the batch plus noise, not
// divided. The optimizer divides by the config's ExpectedBatchSize.
//
// The rest is as in [Replicas.Run]: roots, checkpoints, progress, probes, learning curve, averages,
// and what is returned if the context ends. A checkpoint holds State. After it is resumed, step is
// called for the steps that are left, so it must keep nothing else from step to step. It ends with
// the same bits if step is a function of its argument and public constants.
//
// The sums that step returns must not depend on the data in a way that Plan.Own.Event leaves out.
// An error of step ends the run, and is wrapped. All replicas run in one call, whatever
// Performance.ReplicasPerCall is.
func (t *Replicas) RunOwn(ctx context.Context, root streams.Root, step func(*OwnStep) (noisy [][]float64, err error)) (*Results, error) {
	switch {
	case t.plan.Own == nil:
		return nil, errors.New("engine: Plan.Own is nil: must be given for RunOwn")
	case step == nil:
		return nil, errors.New("engine: step is nil: must be a function")
	}
	roots, err := t.childRoots(root)
	if err != nil {
		return nil, err
	}
	noise := make([]float64, len(t.plan.Replicas))
	steps := func(result *Results, roots []streams.Root) func(job.Now) ([][]float64, error) {
		return func(now job.Now) ([][]float64, error) {
			s := &OwnStep{Number: now.Step, State: result.State, NoiseStdDev: make([]float64, len(noise)), t: t, now: now, roots: roots}
			noisy, err := step(s)
			err = errors.Join(err, t.validateKept(result.State, s.NoiseStdDev))
			copy(noise, s.NoiseStdDev)
			return noisy, err
		}
	}
	if t.perf.Precision == Float64 {
		return runBy[float64](t, roots, func(j *job.Job, result *Results, roots []streams.Root) error {
			j.Coefficients = t.coefficients(noise)
			return job.RunOwn[float64](ctx, j, roots, steps(result, roots))
		})
	}
	return runBy[float32](t, roots, func(j *job.Job, result *Results, roots []streams.Root) error {
		j.Coefficients = t.coefficients(noise)
		return job.RunOwn[float32](ctx, j, roots, steps(result, roots))
	})
}

// Norms returns the norms of the gradients of batches before clipping, in the order of each batch.
// They are upper bounds, raised by what rounding may take away. weights and batches have one entry
// for each replica. A norm that is not finite is NaN or +Inf. Layers that draw coins get those of
// [Replicas.ClippedSums]. The result is not private.
func (t *Replicas) Norms(ctx context.Context, weights dpsgd.Parameters, batches [][]int32) ([][]float64, error) {
	if err := t.validateBatches(batches); err != nil {
		return nil, err
	}
	if len(weights.Values) != len(batches) {
		return nil, fmt.Errorf("engine: %d sets of weights: must be %d, one for each replica", len(weights.Values), len(batches))
	}
	if err := weights.ValidateFor(t.model); err != nil {
		return nil, err
	}
	return normsBy(t.perf.Precision)(ctx, t.job(), weights.Values, batches)
}

func normsBy(p Precision) func(context.Context, *job.Job, [][]float64, [][]int32) ([][]float64, error) {
	if p == Float64 {
		return job.Norms[float64]
	}
	return job.Norms[float32]
}
