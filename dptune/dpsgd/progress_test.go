package dpsgd

import (
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
)

// The ε so far is that of the steps of the furthest chunk and of the dearest replica, and at
// the end that of the run; the steps are averaged, and those of a checkpoint cost no time.
func TestMeter(t *testing.T) {
	a := Config{NoiseMultiplier: 2, Sampling: Poisson{Rate: 0.5}, Steps: 10}
	b := a
	b.NoiseMultiplier = 1
	epsilon := EpsilonUpperAt(1e-5, contour.NewAccountant())
	var seen []Progress
	m := newMeter(Plan{Replicas: []Config{a, b, a, a}, EpsilonUpper: epsilon, Progress: func(p Progress) { seen = append(seen, p) }}, 100)
	if len(m.distinct) != 2 || m.examples != 200 {
		t.Errorf("%d distinct configs, %g examples a step: want 2 and 200", len(m.distinct), m.examples)
	}
	last := func() Progress { return seen[len(seen)-1] }
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
	newMeter(Plan{Replicas: []Config{a}}, 10).Add(1, 1) // nobody listens
}

// An accountant's failure is no guarantee, not a good one.
func TestEpsilonUpperAtOfAnUnknownEvent(t *testing.T) {
	if got := EpsilonUpperAt(1e-5, contour.NewAccountant())(accounting.SelfComposed{}); got < 1e300 {
		t.Errorf("ε %g of an event that is not valid, want +Inf", got)
	}
}

func TestProgressLine(t *testing.T) {
	p := Progress{Step: 120, Steps: 300, Remaining: 12345 * time.Millisecond, ExamplesPerSecond: 34999.6, EpsilonUpper: 1.2345678}
	const line = "step 120 of 300, ε <= 1.2346, 35000 examples/s, 12s left"
	end := Progress{Step: 300, Steps: 300}
	const last = "step 300 of 300, 0 examples/s, 0s left"
	var terminal, file strings.Builder
	show, write := progressLine(&terminal, true, time.Hour), progressLine(&file, false, time.Hour)
	for _, p := range []Progress{p, p, end} {
		show(p)
		write(p)
	}
	if want := strings.Repeat("\r\x1b[K"+line, 2) + "\r\x1b[K" + last + "\n"; terminal.String() != want {
		t.Errorf("on a terminal %q, want %q", terminal.String(), want)
	}
	if want := line + "\n" + last + "\n"; file.String() != want {
		t.Errorf("elsewhere %q, want %q", file.String(), want)
	}
	var public strings.Builder // which is no terminal
	ProgressLine(&public)(end)
	if want := last + "\n"; public.String() != want {
		t.Errorf("ProgressLine writes %q, want %q", public.String(), want)
	}
}
