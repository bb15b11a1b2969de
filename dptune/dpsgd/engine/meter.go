package engine

import (
	"sync"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/dpsgd"
)

// meter counts model-steps and calls report at most ten times a second, and at the end.
type meter struct {
	report          func(dpsgd.Progress)
	epsilon         func(accounting.Event) float64 // nil for none
	plan            dpsgd.Plan
	distinct        []int // replicas whose events differ
	steps, replicas int
	examples        float64 // expected examples of one step of all replicas

	mutex       sync.Mutex
	start, last time.Time
	accounting  time.Duration // time of computing the last ε
	done        int           // model-steps
	skipped     int           // part of done that came from checkpoints
	furthest    int           // steps of the most advanced replica
	warning     error
}

func newMeter(p dpsgd.Plan, dataset int) *meter {
	m := &meter{report: p.Progress, epsilon: p.EpsilonUpper, plan: p, steps: p.Replicas[0].Steps, replicas: len(p.Replicas), start: time.Now()}
	seen := map[string]bool{}
	for r, c := range p.Replicas {
		if p.Own != nil {
			m.examples += c.ExpectedBatchSize
			if m.epsilon != nil { // all have one event
				m.distinct = []int{0}
			}
			continue
		}
		eachPhase(c, func(phase dpsgd.Config) {
			m.examples += phase.Sampling.Share() * float64(dataset) * float64(phase.Steps) / float64(c.Steps)
		})
		if event := c.Event().String(); m.epsilon != nil && !seen[event] {
			seen[event], m.distinct = true, append(m.distinct, r)
		}
	}
	return m
}

// Skip counts steps of a group of replicas that were done before.
func (m *meter) Skip(replicas, steps int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.skipped += replicas * steps
	m.count(replicas*steps, steps)
}

// Add counts model-steps of a group of replicas. steps is how many steps each has done in all.
func (m *meter) Add(modelSteps, steps int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.count(modelSteps, steps)
}

// Warn puts an error into the next report, at the next step.
func (m *meter) Warn(err error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.warning, m.last = err, time.Time{}
}

func (m *meter) count(modelSteps, steps int) {
	m.done += modelSteps
	m.furthest = max(m.furthest, steps)
	// Accounting should take at most a tenth of the time.
	interval := max(100*time.Millisecond, 10*m.accounting)
	now, total := time.Now(), m.steps*m.replicas
	if m.report == nil || modelSteps == 0 || (m.done < total && now.Sub(m.last) < interval) {
		return
	}
	elapsed, fresh := now.Sub(m.start), float64(m.done-m.skipped)
	progress := dpsgd.Progress{
		Step: m.done / m.replicas, Steps: m.steps, Replicas: m.replicas, Elapsed: elapsed,
		ExamplesPerSecond: m.examples * fresh / float64(m.replicas) / max(elapsed.Seconds(), 1e-9),
		EpsilonUpper:      m.epsilonUpper(),
		Warning:           m.warning,
	}
	if fresh > 0 {
		progress.Remaining = time.Duration(float64(elapsed) * float64(total-m.done) / fresh)
	}
	m.accounting = time.Since(now)
	m.report(progress)
	m.last = time.Now()
}

// epsilonUpper returns the largest ε over the replicas, after the steps of the most advanced one.
func (m *meter) epsilonUpper() float64 {
	largest := 0.0
	for _, r := range m.distinct {
		largest = max(largest, m.epsilon(m.plan.EventAfter(r, m.furthest)))
	}
	return largest
}
