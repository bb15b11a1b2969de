package job

import (
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/checkpoint"
)

// snapshot reads the group's state from the device.
func (g replicaGroup[T]) snapshot(s state[T], done int) (checkpoint.Snapshot[T], error) {
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
	past, err := g.readPast(s, done)
	errs = append(errs, err)
	shot.Slots = append(shot.Slots, past...)
	if g.Out.Probes != nil {
		for r := range g.feeder.roots {
			shot.Probes = append(shot.Probes, g.Out.Probes[g.feeder.first+r][:done])
		}
	}
	for r := range g.feeder.roots {
		if s.points > 0 {
			shot.Accuracy = append(shot.Accuracy, g.Out.Accuracy[g.feeder.first+r][:s.points])
			shot.Loss = append(shot.Loss, g.Out.Loss[g.feeder.first+r][:s.points])
		}
	}
	if g.Out.State != nil {
		shot.State = g.Out.State[g.feeder.first : g.feeder.first+len(g.feeder.roots)]
	}
	return shot, errors.Join(errs...)
}

// restore puts a snapshot into a new state.
func (g replicaGroup[T]) restore(s *state[T], shot checkpoint.Snapshot[T]) {
	replicas := len(g.feeder.roots)
	array := func(values []T, dims ...int) *tensors.Tensor {
		return arrays.Filled(func(out []T) { copy(out, values) }, dims...)
	}
	arrays.Finalize(s.weights, s.excluded)
	arrays.Finalize(s.slots...)
	s.weights = array(shot.Weights, replicas, g.Program.Size)
	s.excluded = arrays.Filled(func(out []float64) { copy(out, shot.Excluded) }, replicas)
	for i, slot := range shot.Slots[:len(s.slots)] {
		s.slots[i] = array(slot, replicas, g.Program.Size)
	}
	g.writePast(s, shot.Slots[len(s.slots):], shot.Step)
	for r, steps := range shot.Probes {
		for t, products := range steps {
			copy(g.Out.Probes[g.feeder.first+r][t], products)
		}
	}
	for r, numbers := range shot.State {
		copy(g.Out.State[g.feeder.first+r], numbers)
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	for r := range shot.Accuracy {
		s.points = copy(g.Out.Accuracy[g.feeder.first+r], shot.Accuracy[r])
		copy(g.Out.Loss[g.feeder.first+r], shot.Loss[r])
	}
}

// resume returns the state to start from and the number of steps done.
func (g replicaGroup[T]) resume() (state[T], int, error) {
	s := g.start()
	if g.Store == nil {
		return s, 0, nil
	}
	shot, found, err := checkpoint.Load[T](g.Store, g.feeder.first, g.shape())
	if err != nil || !found {
		return s, 0, err
	}
	g.restore(&s, shot)
	g.Meter.Skip(len(g.feeder.roots), shot.Step)
	return s, shot.Step, nil
}

// save writes a checkpoint. The first error becomes a warning. The last good file stays.
func (g replicaGroup[T]) save(s state[T], done int) {
	if g.Store == nil {
		return
	}
	shot, err := g.snapshot(s, done)
	if err == nil {
		err = checkpoint.Write(g.Store, g.feeder.first, g.shape(), shot)
	}
	if err != nil {
		err = fmt.Errorf("engine: checkpoint after step %d not written, the one before it stays: %w", done, err)
		if g.Store.Fail(err) {
			g.Meter.Warn(err)
		}
	}
}

// shape returns the shape of a snapshot of the group.
func (g replicaGroup[T]) shape() checkpoint.Shape {
	state := 0
	if g.Out.State != nil {
		state = len(g.Out.State[0])
	}
	return checkpoint.Shape{
		State: state, Replicas: len(g.feeder.roots), Size: g.Program.Size, Slots: g.Program.Slots + g.bands(),
		Probes: len(g.Probes), Steps: g.Steps,
	}
}

// state is the state of a group on the device, kept from step to step.
type state[T arrays.Real] struct {
	weights        *tensors.Tensor   // [R, P]
	slots          []*tensors.Tensor // of the optimizer, each [R, P]
	excluded       *tensors.Tensor   // [R], in float64
	clip           *tensors.Tensor   // [R, K]
	canary, probes *tensors.Tensor   // [1, P] or [R, P], [K, P]
	std            *tensors.Tensor   // [R], the standard deviation of noise that the device makes
	past           []*tensors.Tensor // the noise of the last B steps, if the device keeps it: [B, R, P], or B times [R, P]
	recent         [][]T             // the noise of the last B steps, the last one first, if the host makes it: B times [R·P]
	zeros          *tensors.Tensor   // [R, P] of float64, made when a step has several microbatches
	points         int               // of the learning curve, that are measured
}

func (s *state[T]) finalize() {
	arrays.Finalize(s.weights, s.excluded, s.clip, s.canary, s.probes, s.zeros, s.std)
	arrays.Finalize(s.past...)
	arrays.Finalize(s.slots...)
}

// start returns the state before the first step.
func (g replicaGroup[T]) start() state[T] {
	weights := make([][]float64, len(g.feeder.roots))
	for r, root := range g.feeder.roots {
		weights[r] = g.Initial(g.feeder.first+r, root)
	}
	return g.given(g.feeder.first, weights)
}

// given returns the state of replicas from number first on with given weights.
func (g replicaGroup[T]) given(first int, weights [][]float64) state[T] {
	replicas := len(weights)
	s := state[T]{
		weights:  arrays.Stacked[T](weights, g.Program.Size),
		excluded: arrays.Filled[float64](nil, replicas),
		clip:     arrays.Stacked[T](g.Clip[first:first+replicas], len(g.Clip[first])),
	}
	for range g.Program.Slots {
		s.slots = append(s.slots, arrays.Filled[T](nil, replicas, g.Program.Size))
	}
	if g.Program.Crafted && !g.Program.Moving {
		s.canary = arrays.Stacked[T](g.CraftedSums(first, replicas), g.Program.Size)
	}
	if g.Program.Noise && g.Program.OnDevice && !g.Program.Grid && !g.Program.Phased {
		s.std = arrays.Filled(func(out []T) {
			for r := range out {
				out[r] = T(g.StdDev(first+r, 0))
			}
		}, replicas)
	}
	s.past, s.recent = g.noPast(replicas)
	if len(g.Probes) > 0 {
		s.probes = arrays.Stacked[T](g.Probes, g.Program.Size)
	}
	return s
}
