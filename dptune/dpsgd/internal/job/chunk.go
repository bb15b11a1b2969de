package job

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
)

// chunk trains some replicas in one executable.
type chunk[T arrays.Real] struct {
	*Job
	feeder feeder[T]
	mutex  *sync.Mutex // serialises calls of Weights
}

func (c chunk[T]) train(ctx context.Context) error {
	s, t, err := c.resume()
	defer func() { s.finalize() }()
	if err != nil {
		return err
	}
	count := c.Steps
	ctx, cancel := context.WithCancel(ctx)
	steps := c.feeder.steps(ctx, t, count)
	defer func() { // stop the feeder, and free what it has drawn
		cancel()
		for s := range steps {
			s.finalize()
		}
		c.feeder.kept.Finalize()
	}()
	saved := t
	for host := range steps {
		err := host.err
		if err == nil {
			err = c.step(ctx, &s, host, t)
		}
		host.finalize()
		if err != nil {
			// Only what stopped between two updates left a state of t whole steps: saved with
			// part of another, that step's noise would be drawn once more.
			if errors.Is(err, errStopped) && t > saved {
				c.save(s, t)
			}
			return err
		}
		c.Programs.ran.Do(c.Compiled)
		t += host.count
		c.Meter.Add(host.count*len(c.feeder.roots), t)
		if c.Due(t) {
			c.save(s, t)
			saved = t
		}
	}
	if ctx.Err() != nil && t < count {
		if t > saved {
			c.save(s, t)
		}
		return stopped(ctx, t, count)
	}
	return c.read(s)
}

// errStopped is wrapped by the error of a run that its context ended, with the state after
// whole steps.
var errStopped = errors.New("stopped")

// stopped says that a run ended after some steps.
func stopped(ctx context.Context, steps, of int) error {
	return fmt.Errorf("dpsgd: %w after step %d of %d: %w", errStopped, steps, of, ctx.Err())
}

// step runs the microbatches and the update of step number t, or all of several steps from
// there on.
func (c chunk[T]) step(ctx context.Context, s *state, host step, t int) error {
	if host.parts == 1 {
		return c.wholeSteps(s, host, t)
	}
	sum, excluded, err := c.sum(s, host.micro)
	if err != nil {
		return err
	}
	if ctx.Err() != nil { // the microbatches may have ended early: no update on part of a batch
		arrays.Finalize(sum, excluded)
		return stopped(ctx, t, c.Steps)
	}
	arrays.Finalize(s.excluded)
	s.excluded = excluded
	args := append([]any{c.donate(s.weights), c.donate(sum)}, c.updateInputs(s, host)...)
	out, err := arrays.Call(c.Programs.update, "updating the weights", args...)
	if err != nil {
		return err
	}
	return c.moved(s, out, t, 1)
}

// wholeSteps runs steps of a single microbatch in one program.
func (c chunk[T]) wholeSteps(s *state, host step, t int) error {
	inputs := <-host.micro
	defer arrays.Finalize(inputs...)
	program, args := c.Programs.whole, []any(nil)
	if host.stacked {
		program, args = c.Programs.several, []any{int32(host.count)}
		if c.OwnMemory && host.count == c.Program.StepsPerCall {
			program = c.Programs.full
		}
	}
	args = c.withBatch(append(args, c.donate(s.excluded), c.donate(s.weights), s.clip), inputs)
	out, err := arrays.Call(program, "running a step", append(args, c.updateInputs(s, host)...)...)
	if err != nil {
		return err
	}
	s.excluded = out[0]
	return c.moved(s, out[1:], t, host.count)
}

// withBatch appends the inputs that are a microbatch.
func (c chunk[T]) withBatch(args []any, inputs []*tensors.Tensor) []any {
	for _, input := range inputs {
		args = append(args, input)
	}
	return append(args, c.feeder.table.device.inputs()...)
}

// updateInputs returns what the update takes after the sum.
func (c chunk[T]) updateInputs(s *state, host step) []any {
	args := []any{host.numbers}
	if host.gradients != nil {
		args = append(args, host.gradients, host.canary)
	} else if c.Program.Crafted {
		args = append(args, s.canary, host.canary)
	}
	if c.Program.Noise && c.Program.OnDevice {
		args = append(args, host.noise, s.std) // memory shared with the device cannot be given away
	} else if c.Program.Noise {
		args = append(args, c.donate(host.noise))
	}
	for _, slot := range s.slots {
		args = append(args, c.donate(slot))
	}
	if len(c.Probes) > 0 {
		args = append(args, s.probes)
	}
	return args
}

// moved takes over the outputs of the updates of so many steps from number t on.
func (c chunk[T]) moved(s *state, out []*tensors.Tensor, t, count int) error {
	s.weights, out = out[0], out[1:]
	copy(s.slots, out)
	return c.observe(*s, out[len(s.slots):], t, count)
}

// sum adds the clipped gradients of all microbatches in float64, starting from zeros, and counts
// those that are not finite, starting from the state's count. The state stays as it is.
func (c chunk[T]) sum(s *state, micro <-chan []*tensors.Tensor) (sum, excluded *tensors.Tensor, err error) {
	if s.zeros == nil {
		s.zeros = arrays.Filled[float64](nil, s.weights.Shape().Dimensions...)
	}
	if c.Lanes > 1 {
		return c.sumInLanes(s, micro)
	}
	sum, excluded = s.zeros, s.excluded
	donate := func(t, unlike *tensors.Tensor) any {
		if t == unlike {
			return t
		}
		return c.donate(t)
	}
	for inputs := range micro {
		args := []any{s.weights, donate(sum, s.zeros), donate(excluded, s.excluded), s.clip}
		out, err := arrays.Call(c.Programs.accumulate, "summing the gradients", c.withBatch(args, inputs)...)
		arrays.Finalize(inputs...)
		if err != nil {
			return nil, nil, err
		}
		sum, excluded = out[0], out[1]
	}
	return sum, excluded, nil
}

// donate lets a program overwrite a tensor, which is of no use afterwards.
func (c chunk[T]) donate(t *tensors.Tensor) any {
	donated, err := graph.DonateTensorBuffer(t, c.Backend, 0)
	if err != nil {
		return t // a tensor that cannot be given away is copied
	}
	return donated
}

// observe hands out what was asked for after so many steps from number t on. probes is
// empty, or one tensor [R, K], or [steps, R, K] with at least so many steps.
func (c chunk[T]) observe(s state, probes []*tensors.Tensor, t, count int) error {
	replicas, first := len(c.feeder.roots), c.feeder.first
	for _, p := range probes {
		var products [][]float64
		for step := t; step < t+count; step++ {
			products = append(products, c.probesAt(first, replicas, step)...)
		}
		err := arrays.ReadRows[T](p, products)
		arrays.Finalize(p)
		if err != nil {
			return fmt.Errorf("dpsgd: reading the probes: %w", err)
		}
	}
	last := t + count - 1
	if !c.Observes(last) {
		return nil
	}
	values := make([][]float64, replicas)
	for r := range values {
		values[r] = make([]float64, c.Program.Size)
	}
	if err := arrays.ReadRows[T](s.weights, values); err != nil {
		return fmt.Errorf("dpsgd: reading the weights: %w", err)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for r := range values {
		c.Weights(last, first+r, values[r])
	}
	return nil
}

// read copies the final weights and counts into the result.
func (c chunk[T]) read(s state) error {
	first, last := c.feeder.first, c.feeder.first+len(c.feeder.roots)
	if err := arrays.ReadRows[T](s.weights, c.Out.Weights[first:last]); err != nil {
		return fmt.Errorf("dpsgd: reading the weights: %w", err)
	}
	return readCounts(s.excluded, c.Out.Excluded[first:last])
}
