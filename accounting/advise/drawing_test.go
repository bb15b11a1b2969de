package advise

import (
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
)

// drawings returns the ways to draw batches by name, for one run of a noise multiplier.
func drawings(t *testing.T, sigma float64, change func(q *Question)) map[string]Drawing {
	t.Helper()
	q := fashion()
	q.Examples, q.SamplingRate, q.Steps = 1000, 0.05, 40
	if change != nil {
		change(&q)
	}
	list, err := Advice{Question: q, OneRun: Way{NoiseMultiplier: sigma}}.Drawings()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(list, func(x, y Drawing) int {
		if x.Epsilon.Upper < y.Epsilon.Upper {
			return -1
		}
		return 1
	}) {
		t.Errorf("not sorted: %+v", list)
	}
	found := map[string]Drawing{}
	for _, d := range list {
		found[d.Name] = d
	}
	if len(found) != len(list) {
		t.Errorf("a name twice in %+v", list)
	}
	return found
}

// The interval of each way and package auto's hold the same number. It is at most 3 % wider than
// auto's. The attack on shuffled batches is at most 3 % below auto's, and not above. The events are those of the setting: 2 epochs of 20 steps, batches of 50 of
// 1,000 examples, and a cap of 50 + 5 √(50 · 0.95), rounded up to 85.
func TestDrawingsAgainstAuto(t *testing.T) {
	const sigma = 0.8
	release := accounting.ClippedSum{NoiseMultiplier: sigma}
	steps := func(e accounting.Event) accounting.Event { return accounting.SelfComposed{Event: e, Count: 40} }
	want := map[string]accounting.Event{
		"poisson":             steps(accounting.PoissonSampled{SamplingRate: 0.05, Event: release}),
		"capped":              steps(accounting.TruncatedPoisson{SamplingRate: 0.05, Cap: 85, PopulationSize: 1000, Event: release}),
		"without-replacement": steps(accounting.SampledWithoutReplacement{SampleSize: 50, PopulationSize: 1000, Event: release}),
		"allocation":          accounting.RandomAllocation{Period: 20, Steps: 40, Participations: 1, Event: release},
		"shuffled":            accounting.Shuffled{Batches: 20, Epochs: 2, Event: release},
		"fixed":               accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: sigma}, Count: 2},
	}
	got := drawings(t, sigma, nil)
	if len(got) != len(want) {
		t.Errorf("%d ways, want %d", len(got), len(want))
	}
	for name, event := range want {
		d := got[name]
		if d.Event == nil || d.Event(sigma).String() != event.String() {
			t.Errorf("%s: event %v, want %v", name, d, event)
			continue
		}
		g, err := auto.NewAccountant().EpsilonAt(event, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		e, fine := d.Epsilon, g.Epsilon
		if !e.HasLower || e.Lower > fine.Upper || e.Upper < fine.Lower || e.Width() > fine.Width()+0.03*fine.Upper {
			t.Errorf("%s: %v, want about %v", name, e, fine)
		}
		if name == "shuffled" && (e.Upper != fine.Upper || e.Lower > fine.Lower || e.Lower < 0.97*fine.Lower) {
			t.Errorf("%s: %v, want about %v", name, e, fine)
		}
	}
}

// A cut epoch costs at least the whole epochs before it and at most all of it: shuffled batches
// and a fixed order are priced by 3 epochs for 41 steps, and attacked in 2.
func TestDrawingsOfACutEpoch(t *testing.T) {
	const sigma = 0.8
	two := drawings(t, sigma, nil)
	cut := drawings(t, sigma, func(q *Question) { q.Steps = 41 })
	three := drawings(t, sigma, func(q *Question) { q.Steps = 60 })
	for _, name := range []string{"shuffled", "fixed"} {
		if cut[name].Epsilon.Upper != three[name].Epsilon.Upper {
			t.Errorf("%s: ε at most %g, of whole epochs %g", name, cut[name].Epsilon.Upper, three[name].Epsilon.Upper)
		}
	}
	if cut["shuffled"].Epsilon.Lower != two["shuffled"].Epsilon.Lower {
		t.Errorf("shuffled: ε at least %g, of whole epochs %g", cut["shuffled"].Epsilon.Lower, two["shuffled"].Epsilon.Lower)
	}
	if e := cut["allocation"].Epsilon; !(two["allocation"].Epsilon.Lower < e.Upper && e.Lower < three["allocation"].Epsilon.Upper) {
		t.Errorf("allocation: %v is not between %v and %v", e, two["allocation"].Epsilon, three["allocation"].Epsilon)
	}
	// Less than one epoch has no attack.
	if short := drawings(t, sigma, func(q *Question) { q.Steps = 19 })["shuffled"].Epsilon; short.HasLower || math.IsInf(short.Upper, 1) {
		t.Errorf("19 of 20 steps: %v", short)
	}
	// Epochs of the question are those that are priced.
	if got, want := drawings(t, sigma, func(q *Question) { q.Epochs = 3 })["fixed"].Epsilon, three["fixed"].Epsilon; got != want {
		t.Errorf("3 epochs: %v, want %v", got, want)
	}
}

// What a question does not allow is left out: epochs of one batch, samples and caps of all data.
func TestDrawingsThatAreLeftOut(t *testing.T) {
	for rate, want := range map[float64]int{1: 1, 0.6: 3, 0.5: 6, 0.999: 2} {
		if got := drawings(t, 5, func(q *Question) { q.SamplingRate, q.Steps = rate, 2 }); len(got) != want || got["poisson"].Name == "" {
			t.Errorf("rate %g: %d ways, want %d: %+v", rate, len(got), want, got)
		}
	}
	for _, a := range []Advice{{}, {Question: fashion()}, {Question: fashion(), OneRun: noAdvice().OneRun}} {
		if list, err := a.Drawings(); err == nil || list != nil {
			t.Errorf("%v, error %v", list, err)
		}
	}
}
