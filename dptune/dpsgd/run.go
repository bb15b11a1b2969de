package dpsgd

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/streams"
)

// run trains all chunks, perf.Goroutines at a time.
func run[T real](ctx context.Context, t *Trainer, roots []streams.Root) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start := time.Now()
	result := newResult(t, roots)
	meter := newMeter(t.plan, t.train.Len())
	table := newTable[T](t.train.Features, t.train.Labels, t.train.Width())
	var weights sync.Mutex // serialises calls of Plan.Weights

	var running sync.WaitGroup
	limit := make(chan struct{}, t.perf.Goroutines)
	chunks := t.chunks()
	errs := make([]error, len(chunks))
	for i, first := range chunks {
		running.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			last := min(first+t.perf.Chunk, len(roots))
			c := chunk[T]{
				Trainer: t, result: result, meter: meter, weights: &weights,
				feeder: feeder[T]{
					graphs: t.graphs, table: table, microbatch: t.perf.Microbatch,
					first: first, roots: roots[first:last], shared: roots[0],
				},
			}
			if errs[i] = c.train(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	running.Wait()
	if err := firstCause(errs); err != nil {
		return nil, err
	}
	result.Elapsed = time.Since(start)
	result.finish()
	return result, nil
}

// chunks returns the first replica of each chunk.
func (t *Trainer) chunks() []int {
	var firsts []int
	for first := 0; first < len(t.plan.Replicas); first += t.perf.Chunk {
		firsts = append(firsts, first)
	}
	return firsts
}

// firstCause returns the first error that is not the cancelling of one chunk by another,
// or else the first.
func firstCause(errs []error) error {
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}

// chunk trains some replicas in one executable.
type chunk[T real] struct {
	*Trainer
	feeder  feeder[T]
	result  *Result
	meter   *meter
	weights *sync.Mutex
}

// state is what a chunk keeps on the device from step to step.
type state struct {
	weights, velocity *tensors.Tensor // [R, P]
	excluded          *tensors.Tensor // [R]
	clip, momentum    *tensors.Tensor // [R]
	canary, probes    *tensors.Tensor // [1, P], [K, P]
	zeros             *tensors.Tensor // [R, P]
}

func (s *state) finalize() {
	finalize(s.weights, s.velocity, s.excluded, s.clip, s.momentum, s.canary, s.probes, s.zeros)
}

func (c chunk[T]) train(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	steps := c.feeder.steps(ctx, c.plan.Replicas[0].Steps)
	defer func() { // stop the feeder, and free what it has drawn
		cancel()
		for s := range steps {
			s.finalize()
		}
	}()
	s := c.start()
	defer func() { s.finalize() }()
	t := 0
	for host := range steps {
		err := c.step(&s, host, t)
		host.finalize()
		if err != nil {
			return err
		}
		c.meter.add(len(c.feeder.roots))
		t++
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("dpsgd: stopped after step %d of %d: %w", t, c.plan.Replicas[0].Steps, err)
	}
	return c.read(s)
}

// start returns the state before the first step.
func (c chunk[T]) start() state {
	weights := make([][]float64, len(c.feeder.roots))
	for r, root := range c.feeder.roots {
		weights[r] = c.initial(c.feeder.first+r, root)
	}
	return c.given(c.feeder.first, weights)
}

// given returns the state of replicas from number first on with given weights.
func (c chunk[T]) given(first int, weights [][]float64) state {
	replicas := len(weights)
	field := func(get func(Config) float64) *tensors.Tensor {
		return filled(func(out []T) {
			for r := range out {
				out[r] = T(get(c.plan.Replicas[first+r]))
			}
		}, replicas)
	}
	s := state{
		weights:  stacked[T](weights, c.size),
		excluded: filled[T](nil, replicas),
		clip:     field(func(c Config) float64 { return c.ClipNorm }),
		zeros:    filled[T](nil, replicas, c.size),
	}
	if c.plan.hasMomentum() {
		s.velocity = filled[T](nil, replicas, c.size)
		s.momentum = field(func(c Config) float64 { return c.Momentum })
	}
	if c.hasCanary() {
		s.canary = converted[T](c.plan.Canary.Gradient, 1, c.size)
	}
	if len(c.plan.Probes) > 0 {
		s.probes = stacked[T](c.plan.Probes, c.size)
	}
	return s
}

// initial returns the first weights of a replica.
func (c chunk[T]) initial(replica int, root streams.Root) []float64 {
	switch given := c.plan.Initial; {
	case given == nil:
		return c.model.Init(root.Rand("initial weights"))
	case len(given.Values) == 1:
		return given.Values[0]
	default:
		return given.Values[replica]
	}
}

// step runs the microbatches and the update of step number t.
func (c chunk[T]) step(s *state, host step, t int) error {
	sum, err := c.sum(s, host.micro)
	if err != nil {
		return err
	}
	args := []any{c.donate(s.weights), c.donate(sum), host.rates}
	if c.hasCanary() {
		args = append(args, s.canary, host.canary)
	}
	if c.hasNoise() {
		args = append(args, c.donate(host.noise))
	}
	if c.plan.hasMomentum() {
		args = append(args, c.donate(s.velocity), s.momentum)
	}
	if len(c.plan.Probes) > 0 {
		args = append(args, s.probes)
	}
	out, err := call(c.update, "updating the weights", args...)
	if err != nil {
		return err
	}
	s.weights, out = out[0], out[1:]
	if c.plan.hasMomentum() {
		s.velocity, out = out[0], out[1:]
	}
	return c.observe(*s, out, t)
}

// sum adds the clipped gradients of all microbatches, starting from zeros.
func (c chunk[T]) sum(s *state, micro [][]*tensors.Tensor) (*tensors.Tensor, error) {
	sum := s.zeros
	for i, part := range micro {
		args := []any{s.weights, sum, c.donate(s.excluded)}
		if i > 0 {
			args[inSum] = c.donate(sum)
		}
		for _, input := range part {
			args = append(args, input)
		}
		out, err := call(c.accumulate, "summing the gradients", append(args, s.clip)...)
		if err != nil {
			return nil, err
		}
		sum, s.excluded = out[0], out[1]
	}
	return sum, nil
}

// donate lets a program overwrite a tensor, which is of no use afterwards.
func (c chunk[T]) donate(t *tensors.Tensor) any {
	donated, err := graph.DonateTensorBuffer(t, c.backend, 0)
	if err != nil {
		return t // a tensor that cannot be given away is copied
	}
	return donated
}

// observe hands out what was asked for after step number t. probes is empty, or one
// tensor [R, K].
func (c chunk[T]) observe(s state, probes []*tensors.Tensor, t int) error {
	replicas, first := len(c.feeder.roots), c.feeder.first
	for _, p := range probes {
		products := c.result.probesAt(first, replicas, t)
		err := readRows[T](p, products)
		finalize(p)
		if err != nil {
			return fmt.Errorf("dpsgd: reading the probes: %w", err)
		}
	}
	if c.plan.Weights == nil {
		return nil
	}
	values := make([][]float64, replicas)
	for r := range values {
		values[r] = make([]float64, c.size)
	}
	if err := readRows[T](s.weights, values); err != nil {
		return fmt.Errorf("dpsgd: reading the weights: %w", err)
	}
	c.weights.Lock()
	defer c.weights.Unlock()
	for r := range values {
		c.plan.Weights(t, first+r, values[r])
	}
	return nil
}

// read copies the final weights and counts into the result.
func (c chunk[T]) read(s state) error {
	first, last := c.feeder.first, c.feeder.first+len(c.feeder.roots)
	if err := readRows[T](s.weights, c.result.Parameters.Values[first:last]); err != nil {
		return fmt.Errorf("dpsgd: reading the weights: %w", err)
	}
	return readCounts[T](s.excluded, c.result.Excluded[first:last])
}
