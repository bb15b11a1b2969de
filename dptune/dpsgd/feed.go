package dpsgd

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
	"github.com/dplab/dplab/dptune/streams"
)

// step is everything that one step of a chunk takes from the host, or several steps that run
// in one call. Then it is stacked: each array has a leading axis of steps, with
// Performance.StepsPerCall places.
type step struct {
	count     int // how many steps it is
	stacked   bool
	micro     <-chan []*tensors.Tensor // the inputs of each microbatch; closed after the last
	parts     int                      // how many microbatches there are
	numbers   *tensors.Tensor          // [R, K], see updater.numbers
	canary    *tensors.Tensor          // [R], 1 where it joins; nil without a crafted gradient
	gradients *tensors.Tensor          // [R, P], the canary's at this step; nil if it is the same at all steps
	noise     *tensors.Tensor          // [R, P], or words [R, 3, pairs]; nil without noise
	err       error                    // why the step cannot run
	words     pool                     // where the noise goes when it has been used; nil to free it
}

// finalize frees what is left of the step.
func (s step) finalize() {
	for inputs := range s.micro {
		finalize(inputs...)
	}
	finalize(s.numbers, s.canary, s.gradients)
	s.words.put(s.noise)
}

// feeder prepares the steps of one chunk of replicas, first to first+len(roots)-1.
type feeder[T real] struct {
	graphs
	backend    compute.Backend
	table      table[T]
	microbatch int
	together   int                 // steps of one call, at most
	stops      func(done int) bool // whether a call must end when so many steps are done
	words      pool                // of what noise is made from on the device
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
		for t := from; t < count; {
			batches := f.group(t, count)
			micro, s := make(chan []*tensors.Tensor, 1), step{count: len(batches), parts: batches[0].count()}
			s.stacked, s.micro = f.together > 1 && s.parts == 1, micro
			if s.stacked {
				micro <- deviceBatches(batches, 0, f.together)
			} else {
				micro <- batches[0].part(0)
			}
			f.prepare(&s, t)
			select {
			case out <- s:
				batches[0].send(ctx, 1, micro)
			case <-ctx.Done():
				close(micro)
				s.finalize()
				return
			}
			t += s.count
		}
	}()
	return out
}

// group draws the batches of the steps from number t on that run in one call: steps of a
// single microbatch, as many as go together, up to the next stop; or one step.
func (f feeder[T]) group(t, count int) []cut[T] {
	group := []cut[T]{f.batches(t)}
	for t++; group[0].count() == 1 && len(group) < f.together && t < count && !f.stops(t); t++ {
		next := f.batches(t)
		if next.count() > 1 { // it comes next, by itself, and is drawn again
			break
		}
		group = append(group, next)
	}
	return group
}

// lead returns the places of the leading axis, none if there is no such axis.
func (f feeder[T]) lead(s *step) []int {
	if s.stacked {
		return []int{f.together}
	}
	return nil
}

// prepare draws all of the steps from number t on but their batches.
func (f feeder[T]) prepare(s *step, t int) {
	var numbers [][]float64
	updater := f.plan.updater()
	for i := range s.count {
		factor := f.plan.factor(t + i)
		for r := range f.roots {
			numbers = append(numbers, updater.numbers(f.plan.Replicas[f.first+r], factor, t+i))
		}
	}
	s.numbers = inRows[T](numbers, append(f.lead(s), len(f.roots), len(numbers[0]))...)
	if f.hasCraftedGradient() {
		s.err = f.crafted(s, t)
	}
	if f.hasNoise() {
		if err := f.noise(s, t); err != nil {
			s.err = err
		}
	}
}

// noise draws the noise of the steps from number t on, or the words that the device makes it
// from.
func (f feeder[T]) noise(s *step, t int) (err error) {
	replicas, count := len(f.roots), noise.WordsPerPair*noise.Pairs(f.size)
	if f.onDevice {
		dims := append(f.lead(s), replicas, noise.WordsPerPair, noise.Pairs(f.size))
		s.words, s.noise = f.words, f.words.take(dims...)
		if s.noise == nil {
			if s.noise, err = shared[uint32](f.backend, nil, dims...); err != nil {
				return err
			}
		}
		return tensors.MutableFlatData(s.noise, func(out []uint32) {
			for i := range s.count {
				for _, root := range f.roots {
					noise.Stream(plantInStream(root, t+i)).Fill(out[:count])
					out = out[count:]
				}
			}
		})
	}
	words := make([]uint32, count)
	s.noise = filled(func(out []T) {
		for r, root := range f.roots {
			noise.Stream(plantInStream(root, t)).Fill(words)
			std, normals := f.plan.Replicas[f.first+r].NoiseStdDev(), out[r*f.size:(r+1)*f.size]
			noise.Fill(words, std, normals)
			plantInNoise(f.model, normals, std)
		}
	}, replicas, f.size)
	return nil
}

// crafted draws where the canary's gradient joins the steps from number t on, and asks for the
// gradients themselves if they change from step to step.
func (f feeder[T]) crafted(s *step, t int) error {
	var joins, rows [][]float64
	for i := range s.count {
		in := make([]float64, len(f.roots))
		for r := range in {
			row := make([]float64, f.size)
			if f.canaryJoins(r, t+i) {
				in[r] = 1
				if f.plan.Canary.GradientAt != nil {
					row = f.plan.Canary.GradientAt(t+i, f.first+r)
					if err := f.plan.validateGradient(row, f.size, t+i, f.first+r); err != nil {
						return err
					}
				}
			}
			rows = append(rows, row)
		}
		joins = append(joins, in)
	}
	s.canary = inRows[T](joins, append(f.lead(s), len(f.roots))...)
	if f.plan.Canary.GradientAt != nil {
		s.gradients = inRows[T](rows, append(f.lead(s), len(f.roots), f.size)...)
	}
	return nil
}

// batches draws the batch of each replica of the chunk, or the one that they share, in the order in
// which it is cut into microbatches. A crafted example comes after all rows, before they are put into that order.
func (f feeder[T]) batches(t int) cut[T] {
	c := cut[T]{table: f.table, microbatch: f.microbatch}
	roots, crafted := f.roots, int32(f.examples)
	if f.plan.SharedBatches {
		roots = []streams.Root{f.shared}
	}
	joins := make([]bool, len(f.roots))
	hasExample := f.plan.Canary != nil && f.plan.Canary.Example != nil
	for r := range joins {
		joins[r] = hasExample && f.canaryJoins(r, t)
	}
	if hasExample && f.plan.SharedBatches { // it is in the batch of all, and the mask says whose it is
		c.crafted, c.joins = crafted, joins
	}
	for r, root := range roots {
		config := f.plan.Replicas[f.first+r]
		batch := config.batch(root.Child("batches").Rand(stepLabel(t)), t, f.examples)
		if joins[r] || c.joins != nil {
			batch = append(batch, crafted)
		}
		if len(batch) > f.microbatch {
			shuffle(root.Child("order").Rand(stepLabel(t)), batch)
		}
		c.batches = append(c.batches, batch)
	}
	return c
}

// shuffle puts a batch of several microbatches into a random order, all orders being equally likely. Then
// one example more or less changes two microbatches at most, and not all those behind it.
//
// Proof: example i comes to a place j that is uniform in [0, i], and what was there moves to place i. Of n
// examples each of the n! results comes from one sequence of places alone. Let x be one example more, the
// last (which it may be, as every order has the same chance). The n places before it are drawn as without x; then x takes
// place j, and what was there the last. So the law of a step with x is a mixture, over the places drawn, of
// steps that differ from those without it in the microbatches of place j and of the last only. The
// hockey-stick divergence of two mixtures with equal shares is at most the mean of its parts'
// divergences (it is jointly convex, as every f-divergence).
func shuffle(rng *rand.Rand, batch []int32) {
	for i := range batch {
		j := rng.IntN(i + 1)
		batch[i], batch[j] = batch[j], batch[i]
	}
}

// stepLabel names the stream of one step.
func stepLabel(step int) string { return fmt.Sprintf("step %d", step) }
