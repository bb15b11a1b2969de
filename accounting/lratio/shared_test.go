package lratio

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/lattice"
	"github.com/dplab/dplab/accounting/numeric"
)

// Shared laws give ends that meet those of a law made for the one δ, and are about as wide as asked
// for. Quick answers are the upper ends.
func TestSharedLaws(t *testing.T) {
	asked := 0
	for _, event := range []accounting.Event{
		allocation(1.1, 16, 64), allocation(0.6, 7, 10),
		accounting.RandomAllocation{Period: 20, Steps: 20, Participations: 2, Event: accounting.ClippedSum{NoiseMultiplier: 2}},
		accounting.ClippedSum{NoiseMultiplier: 2}, accounting.ClippedSum{NoiseMultiplier: 0.01},
	} {
		for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceOne} {
			one := Accountant{Relation: relation, Width: 0.02}
			many := accounting.Unchecked(Accountant{Relation: relation}).(Accountant)
			deltas := []float64{0.3, 1e-5, 1e-40}
			if testing.Short() { // one, in turn
				asked++
				deltas = deltas[asked%3:][:1]
			}
			for _, delta := range deltas {
				want, got := epsilonOf(t, one, event, delta), epsilonOf(t, many, event, delta)
				if got.Lower > want.Upper || got.Upper < want.Lower {
					t.Errorf("%v, %v, δ %g: shared laws give %v, others %v", event, relation, delta, got, want)
				}
				if known := exactly(event, relation); known && got.Width() > 2e-3*(got.Upper+1) {
					t.Errorf("%v, %v, δ %g: %v is wide", event, relation, delta, got)
				}
				fast, err := quick(many).EpsilonAt(event, delta)
				if fast.Epsilon.Upper != got.Upper || err != nil {
					t.Errorf("%v, %v, δ %g: quick answer %v, %v; want %g", event, relation, delta, fast, err, got.Upper)
				}
				if fast, _ := quick(one).EpsilonAt(event, delta); fast.Epsilon.Upper < want.Lower {
					t.Errorf("%v, %v, δ %g: quick answer %v below %g", event, relation, delta, fast, want.Lower)
				}
			}
		}
	}
}

// quick returns the accountant with quick answers.
func quick(a Accountant) accounting.Accountant {
	return accounting.WithOptions(a, accounting.Options{Unchecked: true, Quick: true})
}

// exactly reports whether one pair of laws is that of the event, within the grid.
func exactly(event accounting.Event, relation accounting.Neighboring) bool {
	switch e := event.(type) {
	case accounting.RandomAllocation:
		return relation == accounting.AddOrRemoveOne && e.Participations == 1
	case accounting.ClippedSum:
		return relation == accounting.AddOrRemoveOne && e.NoiseMultiplier > 0.1
	}
	return false
}

// All errors of a quick answer come with ε = +Inf.
func TestQuickErrors(t *testing.T) {
	laplace := allocation(1, 10, 10)
	laplace.Event = accounting.Laplace{NoiseMultiplier: 1}
	for name, ask := range map[string]func() (accounting.Guarantee, error){
		"δ":     func() (accounting.Guarantee, error) { return quick(coarse).EpsilonAt(allocation(1, 10, 10), 2) },
		"event": func() (accounting.Guarantee, error) { return quick(coarse).EpsilonAt(laplace, 1e-5) },
	} {
		if g, err := ask(); err == nil || !math.IsInf(g.Epsilon.Upper, 1) {
			t.Errorf("%s: %v, %v", name, g, err)
		}
	}
	if g, err := quick(coarse).EpsilonAt(accounting.NonPrivate{}, 1e-5); err != nil || !math.IsInf(g.Epsilon.Upper, 1) {
		t.Errorf("no noise: %v, %v", g, err)
	}
}

// Fifty questions about one event need few laws, and a calibration one for each σ.
func TestLawsPerQuestion(t *testing.T) {
	event := allocation(1.2345, 30, 90)
	many := accounting.Unchecked(coarse)
	for i := range 50 {
		epsilonOf(t, many.(Accountant), event, math.Exp(-0.5*float64(i+1)))
	}
	p, err := coarse.program(asked(t, event))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, r := range laws.last {
		if r.key.factors == p.key(p.lower) {
			count++
		}
	}
	for _, r := range curves.last {
		if r.key.factors == fmt.Sprint(false, p.key(p.upper)) {
			count++
		}
	}
	if count == 0 || count > 12 { // three masses of tails, each with two ends and two coarse laws
		t.Errorf("50 questions built %d laws: want 12", count)
	}
}

// The memory returns what was built for the key, builds it once for all who ask at a time, keeps
// errors, and forgets the ones that were asked for longest ago.
func TestMemory(t *testing.T) {
	var m memory[profile]
	var lock sync.Mutex
	built := map[lawKey]int{}
	failure := errors.New("failure")
	ask := func(n int) (profile, error) {
		key := lawKey{fmt.Sprint(n % 3), n, float64(n)}
		return m.of(key, func() (profile, error) {
			lock.Lock()
			defer lock.Unlock()
			if built[key]++; n == 7 {
				return profile{}, failure
			}
			return profile{kappa: float64(n)}, nil
		})
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := range mostRemembered {
				if p, err := ask(n); n == 7 && err != failure || n != 7 && (p.kappa != float64(n) || err != nil) {
					t.Errorf("law %d: %v, %v", n, p.kappa, err)
				}
			}
		})
	}
	all.Wait()
	for key, times := range built {
		if times != 1 {
			t.Errorf("%v was built %d times", key, times)
		}
	}
	if len(built) != mostRemembered || len(m.last) != mostRemembered {
		t.Errorf("%d laws built, %d remembered", len(built), len(m.last))
	}
	for n := range 3 * mostRemembered {
		if p, _ := ask(n); n != 7 && p.kappa != float64(n) {
			t.Errorf("law %d: %v", n, p.kappa)
		}
	}
	if len(m.last) != mostRemembered || m.last[0].key.cells != 3*mostRemembered-1 {
		t.Errorf("%d laws remembered, last %v", len(m.last), m.last[0].key)
	}
}

// Programs of different laws have different keys, and a key does not depend on the order of events.
func TestKeys(t *testing.T) {
	key := func(event accounting.Event) string {
		t.Helper()
		p, err := NewAccountant().program(asked(t, event))
		if err != nil {
			t.Fatal(err)
		}
		return p.key(p.upper)
	}
	gaussian := accounting.Gaussian{NoiseMultiplier: 3}
	different := []accounting.Event{
		allocation(1, 10, 10), allocation(math.Nextafter(1, 2), 10, 10), allocation(1, 11, 11), allocation(1, 10, 20), allocation(1, 10, 15),
		accounting.SelfComposed{Event: accounting.PoissonSampled{SamplingRate: 0.5, Event: gaussian}, Count: 3},
		accounting.SelfComposed{Event: accounting.PoissonSampled{SamplingRate: 0.25, Event: gaussian}, Count: 3},
		accounting.Composed{Events: []accounting.Event{allocation(1, 10, 10), gaussian}},
		accounting.Composed{Events: []accounting.Event{allocation(1, 10, 10), gaussian, gaussian}},
	}
	seen := map[string]accounting.Event{}
	for _, event := range different {
		k := key(event)
		if other, known := seen[k]; known {
			t.Errorf("%v and %v have the key %s", event, other, k)
		}
		seen[k] = event
	}
	parts := []accounting.Event{allocation(1, 10, 10), allocation(2, 10, 10), gaussian}
	if a, b := key(accounting.Composed{Events: parts}), key(accounting.Composed{Events: []accounting.Event{parts[2], parts[1], parts[0]}}); a != b {
		t.Errorf("keys %s and %s of one composition", a, b)
	}
}

// Questions about many δ of an event with attacks share a few searches. A lower end is that of a
// search for its own δ, but for outcomes with a chance far below δ.
func TestSharedAttacks(t *testing.T) {
	for name, c := range map[string]struct {
		event    accounting.RandomAllocation
		relation accounting.Neighboring
	}{
		"k of t":      {accounting.RandomAllocation{Period: 33, Steps: 99, Participations: 4, Event: accounting.ClippedSum{NoiseMultiplier: 1.7}}, accounting.AddOrRemoveOne},
		"replace-one": {accounting.RandomAllocation{Period: 34, Steps: 68, Participations: 1, Event: accounting.ClippedSum{NoiseMultiplier: 1.3}}, accounting.ReplaceOne},
	} {
		a := Accountant{Relation: c.relation}
		p, err := a.program(asked(t, c.event, c.relation))
		if err != nil {
			t.Fatal(err)
		}
		part := p.periods[0]
		searches := map[*lattice.Attacks]bool{}
		for i := range 20 {
			delta := math.Pow(10, -1-float64(i)/4)
			got := p.attacked(delta)
			searches[p.attacks(part, numeric.Log(delta))] = true
			if i%6 > 0 {
				continue
			}
			remove, add := lattice.EpsilonAt(p.placement(part), part.repeated, delta)
			if want := math.Max(remove, add); math.Abs(got-want) > 1e-4*want {
				t.Errorf("%s at %g: %.9g, want %.9g of its own search", name, delta, got, want)
			}
		}
		if len(searches) > 2 {
			t.Errorf("%s: %d searches for 20 δ down to 2e-6, want at most 2", name, len(searches))
		}
	}
}
