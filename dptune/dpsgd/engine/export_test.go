package engine

import (
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/streams"
)

// DefaultBackend returns the backend that an empty name means.
func DefaultBackend() string { return backend.Named("") }

// Observe sets Plan.Weights after NewReplicas, which refuses it with checkpoints: to see which steps
// a run takes.
func (t *Replicas) Observe(weights func(step, replica int, weights []float64)) {
	t.plan.Weights = weights
}

// Batch returns the batch of a step of the first replica, in the order in which it is cut.
func (t *Replicas) Batch(root streams.Root, step int) []int32 {
	batch, err := t.job().FirstBatch(root, step)
	if err != nil {
		panic(err)
	}
	return batch
}

// BeforeCalls sets what runs before every call of one of the trainer's programs. Programs of an
// evaluator are not among them.
func (t *Replicas) BeforeCalls(f func()) { t.programs.BeforeCall = f }
