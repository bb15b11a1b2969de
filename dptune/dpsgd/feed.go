package dpsgd

import (
	"context"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/streams"
)

// step is everything that one step of a chunk takes from the host.
type step struct {
	micro     <-chan []*tensors.Tensor // the inputs of each microbatch; closed after the last
	parts     int                      // how many microbatches there are
	numbers   *tensors.Tensor          // [R, K], see updater.numbers
	canary    *tensors.Tensor          // [R], 1 where it joins; nil without a crafted gradient
	gradients *tensors.Tensor          // [R, P], the canary's at this step; nil if it is the same at all steps
	noise     *tensors.Tensor          // [R, P], or words [R, 3, pairs]; nil without noise
	err       error                    // why the step cannot run
}

// finalize frees what is left of the step.
func (s step) finalize() {
	for inputs := range s.micro {
		finalize(inputs...)
	}
	finalize(s.numbers, s.canary, s.gradients, s.noise)
}

// feeder prepares the steps of one chunk of replicas, first to first+len(roots)-1.
type feeder[T real] struct {
	graphs
	backend    compute.Backend
	table      table[T]
	microbatch int
	first      int
	roots      []streams.Root // of the chunk
	shared     streams.Root   // root of shared batches
}

// steps sends the steps from number from on to count-1, in order, each drawn while the one before it runs, and ends early
// when the context does. At any time the data of at most three microbatches exist.
func (f feeder[T]) steps(ctx context.Context, from, count int) <-chan step {
	out := make(chan step)
	go func() {
		defer close(out)
		for t := from; t < count; t++ {
			batch := f.batches(t)
			micro := make(chan []*tensors.Tensor, 1)
			micro <- batch.part(0)
			s := f.prepare(t)
			s.micro, s.parts = micro, batch.count()
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
	updater, factor, numbers := f.plan.updater(), f.plan.factor(t), make([][]float64, replicas)
	for r := range numbers {
		numbers[r] = updater.numbers(f.plan.Replicas[f.first+r], factor, t)
	}
	s.numbers = stacked[T](numbers, len(numbers[0]))
	if f.hasCraftedGradient() {
		s.canary, s.gradients, s.err = f.crafted(t)
	}
	if f.hasNoise() {
		var err error
		if s.noise, err = f.noise(t); err != nil {
			s.err = err
		}
	}
	return s
}

// noise returns the noise of a step, or the words that the device makes it from.
func (f feeder[T]) noise(t int) (*tensors.Tensor, error) {
	replicas, count := len(f.roots), wordsPerPair*pairs(f.size)
	if f.onDevice {
		words, err := shared[uint32](f.backend, nil, replicas, wordsPerPair, pairs(f.size))
		if err != nil {
			return nil, err
		}
		return words, tensors.MutableFlatData(words, func(out []uint32) {
			for r, root := range f.roots {
				noiseStream(root, t).Fill(out[r*count : (r+1)*count])
			}
		})
	}
	words := make([]uint32, count)
	return filled(func(out []T) {
		for r, root := range f.roots {
			noiseStream(root, t).Fill(words)
			fillNoise(words, f.plan.Replicas[f.first+r].NoiseStdDev(), out[r*f.size:(r+1)*f.size])
		}
	}, replicas, f.size), nil
}

// crafted returns where the canary's gradient joins step t, and the gradients themselves if
// they change from step to step.
func (f feeder[T]) crafted(t int) (joins, gradients *tensors.Tensor, err error) {
	in, rows := make([]float64, len(f.roots)), make([][]float64, len(f.roots))
	for r := range in {
		rows[r] = make([]float64, f.size)
		if !f.canaryJoins(r, t) {
			continue
		}
		in[r] = 1
		if f.plan.Canary.GradientAt != nil {
			rows[r] = f.plan.Canary.GradientAt(t, f.first+r)
			if err := f.plan.validateGradient(rows[r], f.size, t, f.first+r); err != nil {
				return nil, nil, err
			}
		}
	}
	joins = converted[T](in, len(in))
	if f.plan.Canary.GradientAt != nil {
		gradients = stacked[T](rows, f.size)
	}
	return joins, gradients, nil
}

// batches draws the batch of each replica of the chunk, or the one that they share. A
// crafted example is its last entry.
func (f feeder[T]) batches(t int) cut[T] {
	c := cut[T]{table: f.table, microbatch: f.microbatch}
	roots := f.roots
	if f.plan.SharedBatches {
		roots = []streams.Root{f.shared}
	}
	for r, root := range roots {
		config := f.plan.Replicas[f.first+r]
		c.batches = append(c.batches, config.batch(root.Child("batches").Rand(stepLabel(t)), t, f.examples))
	}
	if f.plan.Canary == nil || f.plan.Canary.Example == nil {
		return c
	}
	joins, crafted := make([]bool, len(f.roots)), int32(f.examples)
	for r := range joins {
		joins[r] = f.canaryJoins(r, t)
		if joins[r] && !f.plan.SharedBatches {
			c.batches[r] = append(c.batches[r], crafted)
		}
	}
	if f.plan.SharedBatches { // it is in the batch of all, and the mask says whose it is
		c.batches[0] = append(c.batches[0], crafted)
		c.crafted, c.joins = crafted, joins
	}
	return c
}
