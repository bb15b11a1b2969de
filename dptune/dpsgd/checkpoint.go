package dpsgd

import (
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/checkpoint"
	"github.com/dplab/dplab/dptune/streams"
)

// Checkpoint makes a run resumable: every so many steps, and when its context ends, each
// chunk of replicas writes what it needs to go on into a file of Dir. A run of the same
// trainer and roots takes it up from there and ends with the same bits, whenever the first
// one was killed. The zero value writes nothing.
//
// A file is written under another name, forced to disk and renamed, and the one before it
// is kept: one that is cut off or damaged is passed over with a warning, and a disk that is
// full costs one warning and no more, which Progress tells when it happens. A checkpoint of another plan, model, data set, root,
// code, or of other settings is refused, and so is one that was changed by who does not have the
// root: files are authenticated with a key made from it. Of a fixed root, that is who does not
// know its name. When the run has ended the last files remain, and
// the same run returns its result at once; delete the folder when the result is kept
// elsewhere.
//
// Files hold weights, the optimizer's memory and probes, which the guarantee of the config
// covers, but also Result.Excluded, which it does not: they are not for release. They hold
// neither random state nor the root, since every stream starts from root and label. That
// the root is the same is told by a one-way function of it: it says nothing about a secret
// root, but lets who has the file try names of a fixed one. A run from a secret root can
// only be resumed with that root: see streams.SecretFile.
//
// Layers, losses, clippings and optimizers that are not of this package are known by their names alone. With a secret
// root, the folder then also keeps a nonce, which is part of the noise's key: a run in another
// folder, or in none, has other noise. Do not take up a run with changed code under the same name.
//
// Plan.Weights and Plan.Progress are called again, with the same values, for steps after the
// last checkpoint that had run already. One process at a time may use a folder.
type Checkpoint struct {
	Dir   string // a folder, made if it does not exist; "" is none
	Every int    // steps. 0 is a twentieth of all steps.
}

func (c Checkpoint) validate() error {
	fault := check.In("dpsgd: ")
	fault.That(c.Every >= 0, "Performance.Checkpoint.Every", c.Every, "must be >= 0 (0 for a twentieth of all steps)")
	fault.That(c.Every == 0 || c.Dir != "", "Performance.Checkpoint.Dir", fmt.Sprintf("%q", c.Dir), "must be a folder when Every is set")
	return fault.Err()
}

// due reports whether to write after so many steps.
func (c Checkpoint) due(done, steps int) bool {
	every := c.Every
	if every == 0 {
		every = max(1, steps/20)
	}
	return done%every == 0 || done == steps
}

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
	if c.result.Probes != nil {
		for r := range c.feeder.roots {
			shot.Probes = append(shot.Probes, c.result.Probes[c.feeder.first+r][:done])
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
	s.weights = array(shot.Weights, replicas, c.size)
	s.excluded = arrays.Filled(func(out []float64) { copy(out, shot.Excluded) }, replicas)
	for i, slot := range shot.Slots {
		s.slots[i] = array(slot, replicas, c.size)
	}
	for r, steps := range shot.Probes {
		for t, products := range steps {
			copy(c.result.Probes[c.feeder.first+r][t], products)
		}
	}
}

// resume returns the state to start from and how many steps are done.
func (c chunk[T]) resume() (state, int, error) {
	s := c.start()
	if c.store == nil {
		return s, 0, nil
	}
	shot, found, err := checkpoint.Load[T](c.store, c.feeder.first, c.shape())
	if err != nil || !found {
		return s, 0, err
	}
	c.restore(&s, shot)
	c.meter.skip(len(c.feeder.roots), shot.Step)
	return s, shot.Step, nil
}

// save writes a checkpoint. What goes wrong is a warning, once: the last good file stays.
func (c chunk[T]) save(s state, done int) {
	if c.store == nil {
		return
	}
	shot, err := c.snapshot(s, done)
	if err == nil {
		err = checkpoint.Write(c.store, c.feeder.first, c.shape(), shot)
	}
	if err != nil {
		err = fmt.Errorf("dpsgd: checkpoint after step %d not written, the one before it stays: %w", done, err)
		if c.store.Fail(err) {
			c.meter.warn(err)
		}
	}
}

// shape returns what the arrays of a snapshot of the chunk must be.
func (c chunk[T]) shape() checkpoint.Shape {
	return checkpoint.Shape{
		Replicas: len(c.feeder.roots), Size: c.size, Slots: c.plan.optimizer().Slots(),
		Probes: len(c.plan.Probes), Steps: c.plan.Replicas[0].Steps,
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
		weights[r] = c.initial(c.feeder.first+r, root)
	}
	return c.given(c.feeder.first, weights)
}

// given returns the state of replicas from number first on with given weights.
func (c chunk[T]) given(first int, weights [][]float64) state {
	replicas := len(weights)
	s := state{
		weights:  arrays.Stacked[T](weights, c.size),
		excluded: arrays.Filled[float64](nil, replicas),
		clip:     c.clipNumbers(first, replicas),
	}
	for range c.plan.optimizer().Slots() {
		s.slots = append(s.slots, arrays.Filled[T](nil, replicas, c.size))
	}
	if c.hasCraftedGradient() && !c.plan.gradientsMove() {
		s.canary = arrays.Stacked[T](c.plan.craftedSums(first, replicas, c.size), c.size)
	}
	if c.hasNoise() && c.onDevice {
		s.std = arrays.Filled(func(out []T) {
			for r := range out {
				out[r] = T(c.plan.Replicas[first+r].NoiseStdDev())
			}
		}, replicas)
	}
	if len(c.plan.Probes) > 0 {
		s.probes = arrays.Stacked[T](c.plan.Probes, c.size)
	}
	return s
}

// clipNumbers returns [R, K], what the clipping of some replicas needs. In float32 the norms are
// less by sensitivityRounding, so that sums move by at most C with it.
func (c chunk[T]) clipNumbers(first, replicas int) *tensors.Tensor {
	scale := 1.0
	if c.perf.Precision == Float32 {
		scale = 1 / (1 + sensitivityRounding)
	}
	rows := make([][]float64, replicas)
	for r := range rows {
		config := c.plan.Replicas[first+r]
		rows[r] = config.clipNumbers(len(c.model.LayerSizes()), scale)
	}
	return arrays.Stacked[T](rows, len(rows[0]))
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
