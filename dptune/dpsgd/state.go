package dpsgd

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/streams"
)

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
