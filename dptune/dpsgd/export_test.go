package dpsgd

import "github.com/dplab/dplab/dptune/streams"

// SetDefaultBackend opens a backend and makes it the one that an empty name means.
func SetDefaultBackend(name string) error {
	_, err := openBackend(name)
	if err == nil {
		defaultBackend = name
	}
	return err
}

// DefaultBackend returns the backend that an empty name means.
func DefaultBackend() string { return defaultBackend }

// SensitivityRounding is sensitivityRounding.
const SensitivityRounding = sensitivityRounding

// Batch returns the batch of a step of the first replica, in the order in which it is cut.
func (t *Trainer) Batch(root streams.Root, step int) []int32 {
	f := feeder[float32]{graphs: t.graphs, microbatch: t.perf.Microbatch, roots: []streams.Root{root}, shared: root}
	return f.batches(step).batches[0]
}
