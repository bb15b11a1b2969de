package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// measured is the result of a measurement. Times are for one step of all replicas.
type measured struct {
	compile     time.Duration   // time of building and of the first run, less a usual run
	compileCPU  time.Duration   // its processor time
	steps       int             // of one run
	runs        []time.Duration // time of a step in each timed run
	cpu         time.Duration   // processor time of a step, over all timed runs
	foreign     float64         // cores that other processes kept busy; -1 if not known
	performance engine.Performance
	generator   dpsgd.Generator
	rss         float64       // most resident memory, in MB, before the floor is measured
	estimate    engine.Memory // the engine's estimate, without the data set and the program
	floor       floor         // zero on a device with its own memory
}

// onDevice reports whether programs ran on a device with its own memory. Its work takes no
// processor time.
func (m measured) onDevice() bool { return m.estimate.Host > 0 }

func (m measured) least() time.Duration { return slices.Min(m.runs) }

// median returns the median time of a run. For an even number of runs it is the mean of the middle
// two.
func (m measured) median() time.Duration {
	sorted := slices.Sorted(slices.Values(m.runs))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

const (
	pilotSteps = 3
	leastRuns  = 3
	runLength  = 500 * time.Millisecond
	usualSteps = 32 // of a run, unless it would take longer than
	longestRun = 4 * time.Second
)

// patience returns a warning if a step takes more than about a minute of a processor core.
func (b benchmark) patience() string {
	const long = 1e12
	work := float64(b.batch) * float64(b.replicas) * operations(b.model)
	if work < long {
		return ""
	}
	return fmt.Sprintf("at least %[2]d steps of %.2[1]g operations in products: Ctrl-C stops\n", work, leastRuns+2)
}

// measure times whole runs of the trainer, including drawing the initial weights and reading the
// final ones. A run has enough steps for these to matter little: if a step takes long because of
// many models, so do their weights.
func (b benchmark) measure(ctx context.Context) (measured, error) {
	m := measured{steps: b.steps}
	pilot := b.steps
	if pilot == 0 {
		pilot = pilotSteps
	}
	start, cpu := time.Now(), cpuTime()
	trainer, err := b.trainer(pilot)
	if err != nil {
		return m, err
	}
	if _, err := m.timed(ctx, trainer); err != nil {
		return m, err
	}
	first, firstCPU := time.Since(start), cpuTime()-cpu
	second, err := m.timed(ctx, trainer)
	if err != nil {
		return m, err
	}
	m.compile = max(0, first-second)
	m.compileCPU = max(0, 2*firstCPU-(cpuTime()-cpu))
	if m.steps == 0 {
		in := func(time time.Duration) int { return int(float64(pilot) * float64(time) / float64(second)) }
		m.steps = max(pilot, in(runLength), min(usualSteps, in(longestRun)))
	}
	if m.steps != pilot {
		if trainer, err = b.trainer(m.steps); err != nil {
			return m, err
		}
		if _, err := m.timed(ctx, trainer); err != nil { // compiles
			return m, err
		}
	}
	m.performance = trainer.Performance()
	err = profiled(b.cpuProfile, func() error { return m.repeat(ctx, trainer, b.seconds) })
	if err != nil {
		return m, err
	}
	m.rss = peakRSS()
	m.estimate, _, err = engine.EstimateMemory(b.model, b.data.Len(), b.plan(m.steps), b.requested())
	if err != nil || m.onDevice() {
		return m, err
	}
	m.floor, err = b.leastTime(ctx, m.performance)
	return m, err
}

// repeat times at least three runs, until the seconds are over.
func (m *measured) repeat(ctx context.Context, trainer *engine.Replicas, seconds float64) error {
	start, cpu, busy := time.Now(), cpuTime(), busyTime()
	for len(m.runs) < leastRuns || time.Since(start).Seconds() < seconds {
		run, err := m.timed(ctx, trainer)
		if err != nil {
			return err
		}
		m.runs = append(m.runs, run/time.Duration(m.steps))
	}
	used := cpuTime() - cpu
	m.cpu = used / time.Duration(m.steps*len(m.runs))
	m.foreign = -1
	if busy > 0 {
		m.foreign = max(0, (busyTime()-busy-used).Seconds()/time.Since(start).Seconds())
	}
	return nil
}

// timed returns the time of one run, and records the generator of its noise.
func (m *measured) timed(ctx context.Context, trainer *engine.Replicas) (time.Duration, error) {
	start := time.Now()
	result, err := trainer.Run(ctx, streams.Fixed("dpbench"))
	if err != nil {
		return 0, err
	}
	m.generator = result.Generator
	return time.Since(start), nil
}
