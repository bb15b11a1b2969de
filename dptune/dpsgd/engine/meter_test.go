package engine

import (
	"testing"
	"time"

	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/dptune/dpsgd"
)

// The ε so far is that of the steps of the furthest group and of the dearest replica, and at
// the end that of the run; the steps are averaged, and those of a checkpoint cost no time.
func TestMeter(t *testing.T) {
	a := dpsgd.Config{NoiseMultiplier: 2, Sampling: dpsgd.Poisson{Rate: 0.5}, Steps: 10}
	b := a
	b.NoiseMultiplier = 1
	epsilon := dpsgd.EpsilonUpperAt(1e-5, contour.NewAccountant())
	var seen []dpsgd.Progress
	m := newMeter(dpsgd.Plan{Replicas: []dpsgd.Config{a, b, a, a}, EpsilonUpper: epsilon, Progress: func(p dpsgd.Progress) { seen = append(seen, p) }}, 100)
	if len(m.distinct) != 2 || m.examples != 200 {
		t.Errorf("%d distinct configs, %g examples a step: want 2 and 200", len(m.distinct), m.examples)
	}
	last := func() dpsgd.Progress { return seen[len(seen)-1] }
	m.Skip(2, 4)
	if p := last(); p.Step != 2 || p.EpsilonUpper != epsilon(b.EventAfter(4)) || p.ExamplesPerSecond != 0 || p.Remaining != 0 {
		t.Errorf("after 4 of 10 steps of half of the replicas: %+v", p)
	}
	m.last = time.Time{}
	m.Add(2, 1)
	if p := last(); p.Step != 2 || p.EpsilonUpper != epsilon(b.EventAfter(4)) || p.ExamplesPerSecond <= 0 || p.Remaining <= 0 {
		t.Errorf("after a step of the others: %+v", p)
	}
	for step := 2; step <= 10; step++ {
		m.Add(2, step)
	}
	for step := 5; step <= 10; step++ {
		m.Add(2, step)
	}
	want := epsilon(b.Event())
	if p := last(); p.Step != 10 || p.EpsilonUpper != want || p.Remaining != 0 || want <= epsilon(a.Event()) {
		t.Errorf("at the end: %+v, want ε %g", p, want)
	}
	seen = nil
	newMeter(dpsgd.Plan{Replicas: []dpsgd.Config{a}}, 10).Add(1, 1) // nobody listens
}
