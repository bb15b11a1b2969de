package dpsgd

import (
	"context"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/sampling"
	"github.com/dplab/dplab/dptune/streams"
)

// step is everything that one step of a chunk takes from the host.
type step struct {
	micro   <-chan []*tensors.Tensor // the inputs of each microbatch; closed after the last
	numbers *tensors.Tensor          // [R, K], see updater.numbers
	canary  *tensors.Tensor          // [R], 1 where it joins; nil without canary
	noise   *tensors.Tensor          // [R, P]; nil without noise
}

// finalize frees what is left of the step.
func (s step) finalize() {
	for inputs := range s.micro {
		finalize(inputs...)
	}
	finalize(s.numbers, s.canary, s.noise)
}

// feeder prepares the steps of one chunk of replicas, first to first+len(roots)-1.
type feeder[T real] struct {
	graphs
	table      table[T]
	microbatch int
	first      int
	roots      []streams.Root // of the chunk
	shared     streams.Root   // root of shared batches
}

// steps sends the steps in order, each drawn while the one before it runs, and ends early
// when the context does. At any time the data of at most three microbatches exist.
func (f feeder[T]) steps(ctx context.Context, count int) <-chan step {
	out := make(chan step)
	go func() {
		defer close(out)
		for t := range count {
			batch := cut[T]{f.table, f.batches(t), f.microbatch}
			micro := make(chan []*tensors.Tensor, 1)
			micro <- batch.part(0)
			s := f.prepare(t)
			s.micro = micro
			select {
			case out <- s:
				batch.send(ctx, 1, micro)
			case <-ctx.Done():
				close(micro)
				s.finalize()
				return
			}
		}
	}()
	return out
}

// prepare draws all of step t but its batches.
func (f feeder[T]) prepare(t int) step {
	replicas := len(f.roots)
	s := step{}
	numbers := make([][]float64, replicas)
	for r := range numbers {
		numbers[r] = f.plan.updater().numbers(f.plan.Replicas[f.first+r], f.plan.factor(t), t)
	}
	s.numbers = stacked[T](numbers, len(numbers[0]))
	if f.hasCanary() {
		s.canary = filled(func(out []T) {
			for r := range out {
				if f.canaryJoins(r, t) {
					out[r] = 1
				}
			}
		}, replicas)
	}
	if f.hasNoise() {
		s.noise = filled(func(out []T) {
			for r, root := range f.roots {
				std := f.plan.Replicas[f.first+r].NoiseStdDev()
				fillNoise(noiseStream(root, t), std, out[r*f.size:(r+1)*f.size])
			}
		}, replicas, f.size)
	}
	return s
}

// batches draws the batch of each replica of the chunk, or the one that they share.
func (f feeder[T]) batches(t int) [][]int32 {
	roots := f.roots
	if f.plan.SharedBatches {
		roots = []streams.Root{f.shared}
	}
	batches := make([][]int32, len(roots))
	for r, root := range roots {
		// The rate and the number of examples were validated with the plan.
		batches[r], _ = f.poisson(r).Draw(root.Child("batches").Rand(stepLabel(t)), len(f.table.labels))
	}
	return batches
}

// canaryJoins tosses the canary's coin for replica r of the chunk.
func (f feeder[T]) canaryJoins(r, t int) bool {
	c := f.plan.Canary
	if !c.In[f.first+r] || (c.At != nil && !c.At(t)) {
		return false
	}
	return f.poisson(r).Joins(f.roots[r].Child("canary").Rand(stepLabel(t)))
}

func (f feeder[T]) poisson(r int) sampling.Poisson {
	return sampling.Poisson{Rate: f.plan.Replicas[f.first+r].SamplingRate}
}
