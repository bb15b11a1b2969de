package job

import (
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/checkpoint"
)

// snapshot reads the chunk's state from the device.
func (c chunk[T]) snapshot(s state, done int) (checkpoint.Snapshot[T], error) {
	shot := checkpoint.Snapshot[T]{Step: done}
	var errs []error
	read := func(t *tensors.Tensor) []T {
		values, err := arrays.Copied[T](t)
		errs = append(errs, err)
		return values
	}
	shot.Weights = read(s.weights)
	excluded, err := arrays.Copied[float64](s.excluded)
	errs = append(errs, err)
	shot.Excluded = excluded
	for _, slot := range s.slots {
		shot.Slots = append(shot.Slots, read(slot))
	}
	if c.Out.Probes != nil {
		for r := range c.feeder.roots {
			shot.Probes = append(shot.Probes, c.Out.Probes[c.feeder.first+r][:done])
		}
	}
	return shot, errors.Join(errs...)
}

// restore puts a snapshot into a state that has just been started.
func (c chunk[T]) restore(s *state, shot checkpoint.Snapshot[T]) {
	replicas := len(c.feeder.roots)
	array := func(values []T, dims ...int) *tensors.Tensor {
		return arrays.Filled(func(out []T) { copy(out, values) }, dims...)
	}
	arrays.Finalize(s.weights, s.excluded)
	arrays.Finalize(s.slots...)
	s.weights = array(shot.Weights, replicas, c.Program.Size)
	s.excluded = arrays.Filled(func(out []float64) { copy(out, shot.Excluded) }, replicas)
	for i, slot := range shot.Slots {
		s.slots[i] = array(slot, replicas, c.Program.Size)
	}
	for r, steps := range shot.Probes {
		for t, products := range steps {
			copy(c.Out.Probes[c.feeder.first+r][t], products)
		}
	}
}

// resume returns the state to start from and how many steps are done.
func (c chunk[T]) resume() (state, int, error) {
	s := c.start()
	if c.Store == nil {
		return s, 0, nil
	}
	shot, found, err := checkpoint.Load[T](c.Store, c.feeder.first, c.shape())
	if err != nil || !found {
		return s, 0, err
	}
	c.restore(&s, shot)
	c.Meter.Skip(len(c.feeder.roots), shot.Step)
	return s, shot.Step, nil
}

// save writes a checkpoint. What goes wrong is a warning, once: the last good file stays.
func (c chunk[T]) save(s state, done int) {
	if c.Store == nil {
		return
	}
	shot, err := c.snapshot(s, done)
	if err == nil {
		err = checkpoint.Write(c.Store, c.feeder.first, c.shape(), shot)
	}
	if err != nil {
		err = fmt.Errorf("dpsgd: checkpoint after step %d not written, the one before it stays: %w", done, err)
		if c.Store.Fail(err) {
			c.Meter.Warn(err)
		}
	}
}

// shape returns what the arrays of a snapshot of the chunk must be.
func (c chunk[T]) shape() checkpoint.Shape {
	return checkpoint.Shape{
		Replicas: len(c.feeder.roots), Size: c.Program.Size, Slots: c.Program.Slots,
		Probes: len(c.Probes), Steps: c.Steps,
	}
}

// state is what a chunk keeps on the device from step to step.
type state struct {
	weights        *tensors.Tensor   // [R, P]
	slots          []*tensors.Tensor // of the optimizer, each [R, P]
	excluded       *tensors.Tensor   // [R], in float64
	clip           *tensors.Tensor   // [R, K]
	canary, probes *tensors.Tensor   // [1, P] or [R, P], [K, P]
	std            *tensors.Tensor   // [R], the standard deviation of noise that the device makes
	zeros          *tensors.Tensor   // [R, P] of float64, made when a step has several microbatches
}

func (s *state) finalize() {
	arrays.Finalize(s.weights, s.excluded, s.clip, s.canary, s.probes, s.zeros, s.std)
	arrays.Finalize(s.slots...)
}

// start returns the state before the first step.
func (c chunk[T]) start() state {
	weights := make([][]float64, len(c.feeder.roots))
	for r, root := range c.feeder.roots {
		weights[r] = c.Initial(c.feeder.first+r, root)
	}
	return c.given(c.feeder.first, weights)
}

// given returns the state of replicas from number first on with given weights.
func (c chunk[T]) given(first int, weights [][]float64) state {
	replicas := len(weights)
	s := state{
		weights:  arrays.Stacked[T](weights, c.Program.Size),
		excluded: arrays.Filled[float64](nil, replicas),
		clip:     arrays.Stacked[T](c.Clip[first:first+replicas], len(c.Clip[first])),
	}
	for range c.Program.Slots {
		s.slots = append(s.slots, arrays.Filled[T](nil, replicas, c.Program.Size))
	}
	if c.Program.Crafted && !c.Program.Moving {
		s.canary = arrays.Stacked[T](c.CraftedSums(first, replicas), c.Program.Size)
	}
	if c.Program.Noise && c.Program.OnDevice {
		s.std = arrays.Filled(func(out []T) {
			for r := range out {
				out[r] = T(c.StdDev[first+r])
			}
		}, replicas)
	}
	if len(c.Probes) > 0 {
		s.probes = arrays.Stacked[T](c.Probes, c.Program.Size)
	}
	return s
}
