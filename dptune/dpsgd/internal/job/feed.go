package job

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
	"github.com/dplab/dplab/dptune/streams"
)

// step has everything that one step of a replica group needs from the host, or several steps that
// run in one call. For several, each array has a leading axis of Program.StepsPerCall steps.
type step[T arrays.Real] struct {
	count        int // number of steps
	stacked      bool
	micro        <-chan []*tensors.Tensor // inputs of each microbatch; closed after the last
	microbatches int                      // number of microbatches
	numbers      *tensors.Tensor          // [R, K], see Job.Coefficients
	canary       *tensors.Tensor          // [R], 1 where it joins; nil without a crafted gradient
	gradients    *tensors.Tensor          // [R, P], of the canary at this step; nil if the same at all steps
	noise        *tensors.Tensor          // [R, P], or words [R, 3, pairs], or keys [R, 8]; nil without noise
	std          *tensors.Tensor          // [R], of noise that the device makes; nil if the same at all steps
	err          error                    // the reason why the step cannot run
	words        arrays.Pool              // takes the used noise; nil to free it
	recent       [][]T                    // the host's noise of the last B steps, this one first; see past.go
}

// finalize frees the remaining tensors of the step.
func (s step[T]) finalize() {
	for inputs := range s.micro {
		arrays.Finalize(inputs...)
	}
	arrays.Finalize(s.numbers, s.canary, s.gradients, s.std)
	s.words.Put(s.noise)
}

// feeder prepares the steps of one replica group, first to first+len(roots)-1. It draws ahead of
// the weights, so it keeps nothing of a step that a later one needs. A step brings that along, and
// the group's state takes it over when the step is done.
type feeder[T arrays.Real] struct {
	*Job
	table   table[T]
	kept    arrays.Pool // of the words or keys of noise on the device
	first   int
	roots   []streams.Root // of the group
	sources []noise.Source // of its noise
	shared  streams.Root   // root of shared batches
}

// steps sends the steps from number from to count-1, in order. Each is drawn while the one before
// it runs. It stops early when the context ends. The data of at most three microbatches exist at
// any time. recent is that of the state before the first of them.
func (f feeder[T]) steps(ctx context.Context, recent [][]T, from, count int) <-chan step[T] {
	out := make(chan step[T])
	go func() {
		defer close(out)
		for t := from; t < count; {
			batches := f.oneCall(t, count)
			micro, s := make(chan []*tensors.Tensor, 1), step[T]{count: len(batches), microbatches: batches[0].count(), recent: recent}
			for _, b := range batches {
				s.err = errors.Join(s.err, b.err)
			}
			s.stacked, s.micro = f.Program.StepsPerCall > 1 && s.microbatches == 1, micro
			if s.stacked {
				inputs := deviceBatches(batches, 0, f.Program.StepsPerCall)
				f.upload(inputs...)
				micro <- inputs
			} else {
				micro <- f.gather(batches[0], 0)
			}
			f.prepare(&s, t)
			recent = s.recent
			select {
			case out <- s:
				batches[0].send(ctx, 1, micro, f.gather)
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

// oneCall draws the batches of the steps from number t on that run in one call. They are steps of a
// single microbatch each, up to the largest number or the next stop. Otherwise it is one step.
func (f feeder[T]) oneCall(t, count int) []microbatches[T] {
	call := []microbatches[T]{f.batches(t)}
	for t++; call[0].count() == 1 && len(call) < f.Program.StepsPerCall && t < count && !f.Stops(t); t++ {
		next := f.batches(t)
		if next.count() > 1 { // it runs next, by itself, and is drawn again
			break
		}
		call = append(call, next)
	}
	return call
}

// lead returns the size of the leading axis, or nothing without such an axis.
func (f feeder[T]) lead(s *step[T]) []int {
	if s.stacked {
		return []int{f.Program.StepsPerCall}
	}
	return nil
}

// prepare draws everything except the batches of the steps from number t on.
func (f feeder[T]) prepare(s *step[T], t int) {
	s.err = errors.Join(s.err, f.numbers(s, t))
	if f.Program.Crafted {
		s.err = errors.Join(s.err, f.crafted(s, t))
	}
	if f.Program.Noise {
		s.err = errors.Join(s.err, f.noise(s, t))
	}
	if f.Program.Phased {
		s.std = f.deviations(s, t)
	}
	f.upload(s.numbers, s.canary, s.gradients, s.noise, s.std)
}

// upload sends tensors to a device with its own memory, while it runs the step before. An error
// here is ignored: the call that uses the tensor returns it again.
func (f feeder[T]) upload(list ...*tensors.Tensor) {
	if !f.Program.OnDevice || f.Backend.HasSharedBuffers() {
		return
	}
	for _, t := range list {
		if t != nil {
			_ = t.MaterializeOnDevice(f.Backend, true, 0)
		}
	}
}

// gather returns microbatch number i of a step, on its way to the device.
func (f feeder[T]) gather(m microbatches[T], i int) []*tensors.Tensor {
	inputs := m.gather(i)
	f.upload(inputs...)
	return inputs
}

// numbers fills in the coefficients of the updates of the steps from number t on.
func (f feeder[T]) numbers(s *step[T], t int) error {
	first, err := f.Coefficients(f.first, t)
	if err != nil {
		return err
	}
	replicas, width := len(f.roots), len(first)
	if f.Program.Past > 0 {
		width += f.Program.Past + 1
	}
	errs := make([]error, s.count*replicas)
	s.numbers = arrays.Filled(func(out []T) {
		parallel(s.count*replicas, func(from, to int) {
			for i := from; i < to; i++ {
				var row []float64
				if row, errs[i] = f.Coefficients(f.first+i%replicas, t+i/replicas); errs[i] != nil {
					continue
				}
				if f.Program.Past > 0 {
					row = append(row, onDevice(f.Past[f.first+i%replicas], t+i/replicas)...)
				}
				for k, v := range row {
					out[i*width+k] = T(v)
				}
			}
		})
	}, append(f.lead(s), replicas, width)...)
	return firstCause(errs)
}

// crafted draws which of the steps from number t on the canary's gradient joins. If the gradients
// change from step to step, it asks for them too.
func (f feeder[T]) crafted(s *step[T], t int) error {
	replicas := len(f.roots)
	var err error
	s.canary = arrays.Filled(func(out []T) {
		for i := range s.count {
			joins, cause := f.joins(t + i)
			err = errors.Join(err, cause)
			writeJoins(joins, out[i*replicas:])
		}
	}, append(f.lead(s), replicas)...)
	if err != nil || !f.Program.Moving {
		return err
	}
	errs := make([]error, s.count*replicas)
	s.gradients = arrays.Filled(func(out []T) {
		joins, _ := arrays.Copied[T](s.canary)
		parallel(s.count*replicas, func(from, to int) {
			row := make([]float64, f.Program.Size)
			for i := from; i < to; i++ {
				if joins[i] != 1 {
					continue
				}
				clear(row)
				if errs[i] = f.Gradient(f.roots[i%replicas], f.first+i%replicas, t+i/replicas, row); errs[i] != nil {
					continue
				}
				for k, v := range row {
					out[i*len(row)+k] = T(v)
				}
			}
		})
	}, append(f.lead(s), replicas, f.Program.Size)...)
	return firstCause(errs)
}

// joins returns which replicas of the group have the canary at a step.
func (f feeder[T]) joins(t int) ([]bool, error) {
	joins, errs := make([]bool, len(f.roots)), make([]error, len(f.roots))
	parallel(len(joins), func(from, to int) {
		for r := from; r < to; r++ {
			joins[r], errs[r] = f.Joins(f.roots[r], f.first+r, t)
		}
	})
	return joins, firstCause(errs)
}

// batches draws the batch of each replica of the group, or the one that they share, in the order in
// which it is cut into microbatches. Crafted examples are added after all rows, before the order is
// drawn.
func (f feeder[T]) batches(t int) microbatches[T] {
	m := microbatches[T]{table: f.table, microbatch: f.Microbatch}
	roots := f.roots
	if f.SharedBatches {
		roots = []streams.Root{f.shared}
	}
	crafted := func(r int) ([]int32, error) { return f.CraftedRows(f.roots[r], f.first+r, t) }
	if f.Program.SharesExample { // it is in the batch of all; the mask selects its replicas
		m.crafted = int32(f.Program.Examples)
		m.joins, m.err = f.joins(t)
		crafted = func(int) ([]int32, error) { return []int32{m.crafted}, nil }
	}
	if f.Program.Coins > 0 {
		m.coins = newCoins(f.Program.Coins, roots, t)
	}
	m.batches = make([][]int32, len(roots))
	errs := make([]error, len(roots))
	parallel(len(roots), func(from, to int) {
		for r := from; r < to; r++ {
			more, err := crafted(r)
			m.batches[r], errs[r] = f.batch(roots[r], f.first+r, t, more)
			errs[r] = errors.Join(err, errs[r])
		}
	})
	m.err = firstCause(append(errs, m.err))
	return m
}

// FirstBatch returns the batch of the first replica at a step, in the order in which it is cut.
func (j *Job) FirstBatch(root streams.Root, step int) ([]int32, error) {
	m := feeder[float32]{Job: j, roots: []streams.Root{root}, shared: root}.batches(step)
	return m.batches[0], m.err
}

// batch draws a batch from a root, with the crafted examples that join.
func (f feeder[T]) batch(root streams.Root, replica, t int, crafted []int32) ([]int32, error) {
	batch, err := f.Batch(root.Child("batches"), replica, t)
	if err != nil {
		return nil, fmt.Errorf("drawing the batch of step %d: %w", t, err)
	}
	batch = append(batch, crafted...)
	if len(batch) > f.Microbatch {
		shuffle(root.Child("order").Rand(stepLabel(t)), batch)
	}
	return batch, nil
}

// shuffle puts a batch of several microbatches into a uniformly random order. Then one example more
// or less changes at most two microbatches, and not all those behind it.
//
// Proof: Example i moves to a place j that is uniform in [0, i], and the example there moves to
// place i. Each of the n! orders of n examples comes from exactly one sequence of places. Let x be
// one more example. It may be taken as the last, since every order has the same chance. The n
// places before it are drawn as without x. Then x takes place j, and the example there takes the
// last place. So the law of a step with x is a mixture over the places drawn. Each of its parts
// differs from the step without x only in the microbatch of place j and in the last one. The
// hockey-stick divergence of two mixtures with equal weights is at most the mean of the divergences
// of their parts, because it is jointly convex, like every f-divergence.
func shuffle(rng *rand.Rand, batch []int32) {
	for i := range batch {
		j := rng.IntN(i + 1)
		batch[i], batch[j] = batch[j], batch[i]
	}
}

// stepLabel names the stream of one step.
func stepLabel(step int) string { return fmt.Sprintf("step %d", step) }

// parallel calls do for parts of the range from 0 to n, one for each processor.
func parallel(n int, do func(from, to int)) {
	parts := min(n, runtime.GOMAXPROCS(0))
	if parts <= 1 {
		do(0, n)
		return
	}
	var running sync.WaitGroup
	for i := range parts {
		running.Go(func() { do(i*n/parts, (i+1)*n/parts) })
	}
	running.Wait()
}
