package main

import (
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// replicaBytes is the least that a replica holds in addition to its weights: its settings.
const replicaBytes = 128

// examples returns how many examples the synthetic data set has.
func (b benchmark) examples() int {
	if b.sampling != "full" {
		return int(float64(b.batch) / sampledShare)
	}
	return b.batch
}

// memory returns lower bounds on the bytes of the data set and of a run. If the settings of the
// replicas need more than most, it stops there: checking a million models takes seconds.
func (b benchmark) memory(most int64) (data, run int64, err error) {
	width := 1
	for _, side := range b.named.Input {
		width *= side
	}
	data = 4 * int64(b.examples()) * int64(width+1)
	run = int64(b.replicas) * (replicaBytes + 8*int64(b.model.Size()))
	if data+run > most {
		return data, run, nil
	}
	need, _, err := engine.EstimateMemory(b.model, b.examples(), b.plan(max(b.steps, pilotSteps)), b.requested())
	if need.Host > 0 { // the rest is on a device
		return data, max(run, need.Host), err
	}
	return data, max(run, need.Total()), err
}

// checkMemory returns an error, before anything is drawn, if the measurement does not fit into the
// free bytes. The error names flags that would fit.
func (b benchmark) checkMemory(free int64) error {
	data, run, err := b.memory(free)
	if err != nil || data+run <= free {
		return err
	}
	return fmt.Errorf("-model %s -batch %d -replicas %d: data of %s and a run of at least %s: must be at most the free %s of this machine; %s",
		b.named.Name, b.batch, b.replicas, megabytes(data), megabytes(run), megabytes(free), b.fitting(free))
}

// fitting names the flags to lower: -batch or -replicas if one is enough, otherwise both.
func (b benchmark) fitting(free int64) string {
	fits := func(try benchmark) bool {
		data, run, err := try.memory(free)
		return err == nil && data+run <= free
	}
	lower := b
	for lower.batch > 1 && !fits(lower) {
		lower.batch /= 2
	}
	if fits(lower) {
		return fmt.Sprintf("-batch %d would fit", lower.batch)
	}
	lower = b
	for lower.replicas > 1 && !fits(lower) {
		lower.replicas /= 2
	}
	if fits(lower) {
		return fmt.Sprintf("-replicas %d would fit", lower.replicas)
	}
	return "lower -batch and -replicas"
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.0f MB", float64(bytes)/1e6) }
