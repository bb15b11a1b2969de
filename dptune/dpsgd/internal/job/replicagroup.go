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

// replicaGroup trains some replicas in one executable.
type replicaGroup[T arrays.Real] struct {
	*Job
	feeder feeder[T]
	mutex  *sync.Mutex // serializes calls of Weights and Measured, and changes of the learning curve
}

// train trains the group, and reads the state after the last step that ran.
func (g replicaGroup[T]) train(ctx context.Context) error {
	s, t, err := g.resume()
	defer func() { s.finalize() }()
	if err == nil {
		t, err = g.from(ctx, &s, t)
	}
	if err != nil && !errors.Is(err, ErrStopped) {
		return err
	}
	if unread := g.read(s, t); unread != nil {
		return unread
	}
	return err
}

// from runs the steps from number t on, and returns the number of steps done.
func (g replicaGroup[T]) from(ctx context.Context, s *state[T], t int) (int, error) {
	if err := g.measure(ctx, s, t); err != nil { // if the run was stopped before it had measured this point
		return t, err
	}
	count := g.Steps
	if ctx.Err() != nil && t < count {
		return t, stopped(ctx, t, count)
	}
	ctx, cancel := context.WithCancel(ctx)
	steps := g.feeder.steps(ctx, s.recent, t, count)
	defer func() { // stop the feeder, and free the tensors that it has drawn
		cancel()
		for s := range steps {
			s.finalize()
		}
		g.feeder.kept.Finalize()
	}()
	saved := t
	for host := range steps {
		err := host.err
		if err == nil {
			err = g.step(ctx, s, host, t)
		}
		host.finalize()
		if err == nil {
			g.Programs.ran.Do(g.Compiled)
			t += host.count
			err = g.measure(ctx, s, t)
		}
		if err != nil {
			// Save only if the run stopped between two updates, with a state of t whole steps. If
			// part of another step were saved, its noise would be drawn once more.
			if errors.Is(err, ErrStopped) && t > saved {
				g.save(*s, t)
			}
			return t, err
		}
		g.Meter.Add(host.count*len(g.feeder.roots), t)
		if g.Due(t) {
			g.save(*s, t)
			saved = t
		}
	}
	if ctx.Err() != nil && t < count {
		if t > saved {
			g.save(*s, t)
		}
		return t, stopped(ctx, t, count)
	}
	return t, nil
}

// ErrStopped is wrapped by the error of a run that was ended by its context, with the state after
// whole steps.
var ErrStopped = errors.New("stopped")

// stopped returns the error of a run that its context ended after some steps.
func stopped(ctx context.Context, steps, of int) error {
	return fmt.Errorf("engine: %w after step %d of %d: %w", ErrStopped, steps, of, ctx.Err())
}

// step runs the microbatches and the update of step number t, or all of several steps from t on.
func (g replicaGroup[T]) step(ctx context.Context, s *state[T], host step[T], t int) error {
	if host.microbatches == 1 {
		return g.stepsInOneCall(s, host, t)
	}
	sum, excluded, err := g.sum(s, host.micro)
	if err != nil {
		return err
	}
	if ctx.Err() != nil { // the microbatches may have ended early: no update on part of a batch
		arrays.Finalize(sum, excluded)
		return stopped(ctx, t, g.Steps)
	}
	arrays.Finalize(s.excluded)
	s.excluded = excluded
	args := append([]any{g.donate(s.weights), g.donate(sum)}, g.updateInputs(s, host, t)...)
	out, err := g.Programs.call(g.Programs.update, "updating the weights", args...)
	if err != nil {
		return err
	}
	return g.moved(s, host, out, t)
}

// stepsInOneCall runs steps of a single microbatch in one program.
func (g replicaGroup[T]) stepsInOneCall(s *state[T], host step[T], t int) error {
	inputs := <-host.micro
	defer arrays.Finalize(inputs...)
	program, args := g.Programs.oneStep, []any(nil)
	if host.stacked {
		program, args = g.Programs.nSteps, []any{int32(host.count)}
		if g.OwnMemory && host.count == g.Program.StepsPerCall {
			program = g.Programs.allSteps
		}
	}
	args = g.withBatch(append(args, g.donate(s.excluded), g.donate(s.weights), s.clip), inputs)
	out, err := g.Programs.call(program, "running a step", append(args, g.updateInputs(s, host, t)...)...)
	if err != nil {
		return err
	}
	s.excluded = out[0]
	return g.moved(s, host, out[1:], t)
}

// withBatch appends the inputs of a microbatch.
func (g replicaGroup[T]) withBatch(args []any, inputs []*tensors.Tensor) []any {
	for _, input := range inputs {
		args = append(args, input)
	}
	return append(args, g.feeder.table.device.inputs()...)
}

// updateInputs returns the inputs of the update after the sum, for the steps from number t on.
func (g replicaGroup[T]) updateInputs(s *state[T], host step[T], t int) []any {
	args := []any{host.numbers}
	if host.gradients != nil {
		args = append(args, host.gradients, host.canary)
	} else if g.Program.Crafted {
		args = append(args, s.canary, host.canary)
	}
	if g.Program.Phased {
		args = append(args, host.noise, host.std)
	} else if g.Program.Noise && g.Program.OnDevice && !g.Program.Grid {
		args = append(args, host.noise, s.std) // memory shared with the device cannot be given away
	} else if g.Program.Noise {
		args = append(args, g.donate(host.noise))
	}
	for place, past := range s.past {
		if place == t%len(s.past) { // what the program replaces
			args = append(args, g.donate(past))
		} else {
			args = append(args, past)
		}
	}
	for _, slot := range s.slots {
		args = append(args, g.donate(slot))
	}
	if len(g.Probes) > 0 {
		args = append(args, s.probes)
	}
	return args
}

// moved stores what the updates of the steps from number t on leave: their outputs, and the noise.
func (g replicaGroup[T]) moved(s *state[T], host step[T], out []*tensors.Tensor, t int) error {
	s.weights, out = out[0], out[1:]
	if n := len(s.past); n > 0 {
		s.past[t%n], out = out[0], out[1:]
	}
	if len(s.recent) > 0 {
		s.recent = host.recent
	}
	copy(s.slots, out)
	return g.observe(*s, out[len(s.slots):], t, host.count)
}

// sum adds the clipped gradients of all microbatches in float64, starting from zeros. It counts
// those that are not finite, starting from the state's count. The state does not change.
func (g replicaGroup[T]) sum(s *state[T], micro <-chan []*tensors.Tensor) (sum, excluded *tensors.Tensor, err error) {
	if s.zeros == nil {
		s.zeros = arrays.Filled[float64](nil, s.weights.Shape().Dimensions...)
	}
	if g.ParallelMicrobatches > 1 {
		return g.sumInParallel(s, micro)
	}
	sum, excluded = s.zeros, s.excluded
	donate := func(t, unlike *tensors.Tensor) any {
		if t == unlike {
			return t
		}
		return g.donate(t)
	}
	for inputs := range micro {
		args := []any{s.weights, donate(sum, s.zeros), donate(excluded, s.excluded), s.clip}
		out, err := g.Programs.call(g.Programs.addMicrobatch, "summing the gradients", g.withBatch(args, inputs)...)
		arrays.Finalize(inputs...)
		if err != nil {
			return nil, nil, err
		}
		sum, excluded = out[0], out[1]
	}
	return sum, excluded, nil
}

// donate lets a program overwrite a tensor. It must not be used afterwards.
func (g replicaGroup[T]) donate(t *tensors.Tensor) any {
	donated, err := graph.DonateTensorBuffer(t, g.Backend, 0)
	if err != nil {
		return t // a tensor that cannot be given away is copied
	}
	return donated
}

// observe passes on the probes and weights of count steps from number t on. probes is empty, or one
// tensor [R, K], or [steps, R, K] with at least count steps.
func (g replicaGroup[T]) observe(s state[T], probes []*tensors.Tensor, t, count int) error {
	replicas, first := len(g.feeder.roots), g.feeder.first
	for _, p := range probes {
		var products [][]float64
		for step := t; step < t+count; step++ {
			products = append(products, g.probesAt(first, replicas, step)...)
		}
		err := arrays.ReadRows[T](p, products)
		arrays.Finalize(p)
		if err != nil {
			return fmt.Errorf("engine: reading the probes: %w", err)
		}
	}
	last := t + count - 1
	if !g.Observes(last) {
		return nil
	}
	values, err := g.weights(s)
	if err != nil {
		return err
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	for r := range values {
		g.Weights(last, first+r, values[r])
	}
	return nil
}

// weights returns a copy of the weights of the replicas.
func (g replicaGroup[T]) weights(s state[T]) ([][]float64, error) {
	values := arrays.Zeros(len(g.feeder.roots), g.Program.Size)
	if err := arrays.ReadRows[T](s.weights, values); err != nil {
		return nil, fmt.Errorf("engine: reading the weights: %w", err)
	}
	return values, nil
}

// measure adds a point to the learning curve if one is due after t steps and is not there yet.
func (g replicaGroup[T]) measure(ctx context.Context, s *state[T], t int) error {
	if s.points == len(g.Points) || g.Points[s.points] > t {
		return nil
	}
	values, err := g.weights(*s)
	if err != nil {
		return err
	}
	accuracy, loss, err := g.Evaluator.Measure(ctx, values)
	switch {
	case err != nil && errors.Is(err, ctx.Err()):
		return stopped(ctx, t, g.Steps) // the state is whole; a resumed run measures this point
	case err != nil:
		return err
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	for r := range values {
		g.Out.Accuracy[g.feeder.first+r][s.points], g.Out.Loss[g.feeder.first+r][s.points] = accuracy[r], loss[r]
	}
	s.points++
	g.Measured()
	return nil
}

// read copies the weights, slots and counts after some steps into the result.
func (g replicaGroup[T]) read(s state[T], done int) error {
	first, last := g.feeder.first, g.feeder.first+len(g.feeder.roots)
	if err := arrays.ReadRows[T](s.weights, g.Out.Weights[first:last]); err != nil {
		return fmt.Errorf("engine: reading the weights: %w", err)
	}
	for i, rows := range g.Out.Slots {
		if rows == nil {
			continue
		}
		if err := arrays.ReadRows[T](s.slots[i], rows[first:last]); err != nil {
			return fmt.Errorf("engine: reading the slots: %w", err)
		}
	}
	for r := first; r < last; r++ {
		g.Out.Steps[r] = done
	}
	return readCounts(s.excluded, g.Out.Excluded[first:last])
}
