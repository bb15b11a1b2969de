package dpsgd

import (
	"sync"
	"time"
)

// Progress says how far a run is.
type Progress struct {
	Step, Steps       int           // steps done and to do, averaged over the replicas
	Replicas          int           // models that train
	Elapsed           time.Duration // since the start
	Remaining         time.Duration // estimated; 0 at the end
	ExamplesPerSecond float64       // expected examples of all replicas, not those drawn
}

// meter counts model-steps and calls report at most ten times a second, and at the end.
type meter struct {
	report          func(Progress)
	steps, replicas int
	examples        float64 // expected examples of one step of all replicas

	mutex       sync.Mutex
	start, last time.Time
	done        int // model-steps
	skipped     int // of those, taken from checkpoints
}

func newMeter(p Plan, dataset int) *meter {
	m := &meter{report: p.Progress, steps: p.Replicas[0].Steps, replicas: len(p.Replicas), start: time.Now()}
	for _, c := range p.Replicas {
		m.examples += c.expectedRate() * float64(dataset)
	}
	return m
}

// skip counts model-steps that were done before.
func (m *meter) skip(modelSteps int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.done += modelSteps
	m.skipped += modelSteps
}

// add counts one step of a chunk of replicas.
func (m *meter) add(replicas int) {
	if m.report == nil {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.done += replicas
	const interval = 100 * time.Millisecond
	now, total := time.Now(), m.steps*m.replicas
	if m.done < total && now.Sub(m.last) < interval {
		return
	}
	m.last = now
	elapsed := now.Sub(m.start)
	fresh := float64(m.done - m.skipped)
	m.report(Progress{
		Step: m.done / m.replicas, Steps: m.steps, Replicas: m.replicas,
		Elapsed:           elapsed,
		Remaining:         time.Duration(float64(elapsed) * float64(total-m.done) / fresh),
		ExamplesPerSecond: m.examples * fresh / float64(m.replicas) / max(elapsed.Seconds(), 1e-9),
	})
}
