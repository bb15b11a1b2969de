package auto_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/adaptive"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
)

const delta = 1e-5

func TestContract(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant {
		return auto.Accountant{Grid: pld.Accountant{Width: 0.05, MaxGrid: 1 << 12}}
	})
}

func sgd(q, sigma float64, steps int) accounting.Event {
	return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{
		SamplingRate: q, Event: accounting.Gaussian{NoiseMultiplier: sigma}}}
}

func tnb(t testing.TB, eta, mean float64) law.TNB {
	t.Helper()
	law, err := law.TNBFromMean(eta, mean)
	if err != nil {
		t.Fatal(err)
	}
	return law
}

func upper(t testing.TB, a accounting.Accountant, event accounting.Event, delta float64) float64 {
	t.Helper()
	g, err := a.EpsilonAt(event, delta)
	if err != nil {
		t.Fatalf("%v: %v", event, err)
	}
	return g.Epsilon.Upper
}

// δ at the ε of δ is δ. More of anything costs more, and no more than the parts do together.
func TestSelections(t *testing.T) {
	a := auto.NewAccountant()
	tuning := selection.BestOf{Law: tnb(t, 0, 5), Base: sgd(0.01, 1.5, 1000)}
	training := sgd(0.01, 1.5, 1000)
	search := threshold.Event{Sensitivity: 1, ThresholdNoise: 20, ScoreNoise: 60, MaxTests: 30, MaxPositives: 3, Refresh: threshold.Once}
	sample := subsample.Event{TuningRate: 0.1, Tuning: tuning, Training: training, Variant: subsample.RestOfData}
	for i, event := range []accounting.Event{
		tuning, search, sample,
		accounting.SelfComposed{Event: tuning, Count: 2},
		accounting.Composed{Events: []accounting.Event{tuning, accounting.Laplace{NoiseMultiplier: 5}}},
		accounting.Composed{Events: []accounting.Event{search, training}},
		accounting.Composed{Events: []accounting.Event{search, tuning, training}},
		accounting.Composed{Events: []accounting.Event{sample, training}},
		accounting.Composed{Events: []accounting.Event{accounting.WorstCase{Events: []accounting.Event{tuning, training}}, training}},
		accounting.WorstCase{Events: []accounting.Event{tuning, search}},
		accounting.Parallel{Events: []accounting.Event{sample, search}},
		accounting.PoissonSampled{SamplingRate: 0.5, Event: tuning},
	} {
		if testing.Short() && i%6 != 2 {
			continue
		}
		epsilon := upper(t, a, event, delta)
		if !(epsilon > 0 && epsilon < 20) {
			t.Errorf("%v: ε %g, want a price", event, epsilon)
		}
		// Basic composition of what runs.
		node, err := accounting.Flatten(event)
		if err != nil {
			t.Fatal(err)
		}
		if sampled := node.Shape == accounting.PoissonSample; node.Shape != accounting.Mechanism {
			sum, most := 0.0, 0.0
			for _, e := range node.Children {
				one := upper(t, a, e.Event, delta/float64(len(node.Children)*node.Count))
				sum += float64(node.Count) * one
				most = math.Max(most, upper(t, a, e.Event, delta))
			}
			if epsilon > sum*(1+1e-9) || sampled && epsilon > most*(1+1e-9) {
				t.Errorf("%v: ε %g, want at most %g, what its parts cost alone", event, epsilon, sum)
			}
			if _, composed := event.(accounting.Composed); composed && epsilon < most {
				t.Errorf("%v: ε %g, want at least %g, what its dearest part costs", event, epsilon, most)
			}
		}
	}
	small := tuning
	if testing.Short() {
		small.Base = accounting.Gaussian{NoiseMultiplier: 3}
	}
	for _, event := range []accounting.Event{tuning, search, accounting.Composed{Events: []accounting.Event{small, accounting.Gaussian{NoiseMultiplier: 5}}}} {
		d, err := a.DeltaAt(event, upper(t, a, event, delta))
		if err != nil || !(d.Upper <= delta*(1+2e-4) && d.Upper >= delta*(1-2e-4)) {
			t.Errorf("%v: δ at the ε of δ %g is %g, %v", event, delta, d.Upper, err)
		}
	}
}

// A tuning in a composition: with certified runs it costs no more than by Rényi curves, and
// a tuning whose run has no curve is priced at all.
func TestComposes(t *testing.T) {
	certified := auto.NewAccountant()
	tuning := selection.BestOf{Law: tnb(t, 0, 5), Base: sgd(0.01, 1.5, 1000)}
	event := accounting.Composed{Events: []accounting.Event{tuning, sgd(0.01, 1.5, 1000)}}
	with, err := certified.EpsilonAt(event, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	without, err := auto.NewAccountant(rdp.NewAccountant()).EpsilonAt(event, 1e-5)
	if err != nil || !(with.Epsilon.Upper <= without.Epsilon.Upper*(1+1e-9)) { // two searches over orders
		t.Errorf("ε %v (%s) with certified runs, %v, %v by Rényi curves", with.Epsilon, with.Method, without.Epsilon, err)
	}
	if alone, err := certified.EpsilonAt(tuning, 1e-5); err != nil || !(with.Epsilon.Upper > alone.Epsilon.Upper) {
		t.Errorf("ε %v, below that of the tuning alone, %v, %v", with.Epsilon, alone.Epsilon, err)
	}
	sampled := selection.BestOf{Law: tnb(t, 0, 5), Base: accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.Laplace{NoiseMultiplier: 3}}}
	g, err := certified.EpsilonAt(accounting.Composed{Events: []accounting.Event{sampled, accounting.Gaussian{NoiseMultiplier: 4}}}, 1e-5)
	if err != nil || !(g.Epsilon.Upper > 0 && g.Epsilon.Upper < 20) {
		t.Errorf("a tuning of sampled Laplace runs, then a Gaussian: %v, %v", g, err)
	}
}

// Dominated alternatives cost what the dearest costs, and a composition of one event what it costs.
func TestSimplest(t *testing.T) {
	a, tuning := auto.NewAccountant(), selection.BestOf{Law: tnb(t, 0, 5), Base: sgd(0.01, 1.5, 1000)}
	want := upper(t, a, tuning, delta)
	for _, event := range []accounting.Event{
		accounting.SelfComposed{Event: tuning, Count: 1},
		accounting.Composed{Events: []accounting.Event{accounting.Composed{Events: []accounting.Event{tuning}}}},
		accounting.PoissonSampled{SamplingRate: 1, Event: tuning},
		accounting.WorstCase{Events: []accounting.Event{accounting.Gaussian{NoiseMultiplier: 50}, tuning}},
		accounting.Parallel{Events: []accounting.Event{tuning, selection.BestOf{Law: tnb(t, 0, 3), Base: sgd(0.01, 1.5, 1000)}}},
	} {
		if got := upper(t, a, event, delta); got != want {
			t.Errorf("%v: ε %.12g, want %.12g, that of %v", event, got, want, tuning)
		}
	}
}

// Who names accountants gets those, and who names this one gets the same as who names none.
func TestNamed(t *testing.T) {
	tuning := selection.BestOf{Law: tnb(t, 0, 10), Base: sgd(0.01, 2, 5000)}
	all, named := upper(t, auto.NewAccountant(), tuning, delta), upper(t, auto.NewAccountant(rdp.NewAccountant()), tuning, delta)
	if !(named > all*1.05) {
		t.Errorf("by Rényi bounds alone ε %g, by all %g: want more", named, all)
	}
	if got := upper(t, auto.NewAccountant(contour.NewAccountant()), tuning, delta); got != all {
		t.Errorf("with contour named ε %g, want %g, as contour is asked about such runs", got, all)
	}
	if p, err := selection.EventAt(tuning, delta, auto.NewAccountant()); err != nil || p.Least().Epsilon != all {
		t.Errorf("selection with this accountant: %v, %v, want ε %g", p.Guarantee, err, all)
	}
	g, err := auto.NewAccountant(rdp.NewAccountant()).EpsilonAt(sgd(0.01, 2, 5000), delta)
	if err != nil || !strings.HasPrefix(g.Method, "RDP") || g.Epsilon.HasLower {
		t.Errorf("one run by the Rényi accountant: %v, %v", g, err)
	}
}

// Under replace-one a sample of fixed size has a price, and a selection is refused by name.
func TestReplaceOne(t *testing.T) {
	a, err := auto.NewAccountantFor(accounting.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	run := accounting.SelfComposed{Count: 100, Event: accounting.SampledWithoutReplacement{SampleSize: 50, PopulationSize: 1000, Event: accounting.Gaussian{NoiseMultiplier: 2}}}
	g, err := a.EpsilonAt(run, delta)
	if err != nil || g.Neighboring != accounting.ReplaceOne || !(g.Epsilon.Width() <= 0.01) {
		t.Errorf("%v: %v, %v", run, g, err)
	}
	if _, err := a.EpsilonAt(selection.BestOf{Law: tnb(t, 0, 10), Base: run}, delta); !errors.Is(err, accounting.ErrUnsupportedEvent) || !strings.Contains(err.Error(), "replace-one") {
		t.Errorf("a selection: %v, want ErrUnsupportedEvent and the relation", err)
	}
	// The larger of two Gaussians dominates the other, but a replaced record may leave one part and join the other.
	parts := accounting.Parallel{Events: []accounting.Event{accounting.Gaussian{NoiseMultiplier: 2}, accounting.Gaussian{NoiseMultiplier: 50}}}
	if g, err := a.EpsilonAt(parts, delta); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("%v: %v, %v, want ErrUnsupportedEvent", parts, g, err)
	}
	for _, relation := range []accounting.Neighboring{0, 9} {
		if _, err := auto.NewAccountantFor(relation); err == nil {
			t.Errorf("relation %v: must be refused", relation)
		}
	}
}

// A composition of very many selections is priced by a few Rényi bounds, and does not take
// forever.
func TestManySelections(t *testing.T) {
	count := 300
	if testing.Short() {
		count = 100
	}
	var many accounting.Composed
	for i := range count {
		many.Events = append(many.Events, selection.BestOf{Law: tnb(t, 0, 2+float64(i)/100), Base: sgd(0.001, 4, 100+i)})
	}
	p, err := auto.NewAccountant().PriceAt(many, delta)
	if err != nil || len(p.Bounds) != 1 || !(p.Guarantee.Epsilon.Upper < 20) {
		t.Errorf("%d selections: %v, %v", count, p.Guarantee, err)
	}
	repeated := accounting.SelfComposed{Event: many.Events[0], Count: 1_000_000}
	if testing.Short() {
		repeated.Event = selection.BestOf{Law: tnb(t, 0, 2), Base: accounting.Gaussian{NoiseMultiplier: 300}}
	}
	if _, err := auto.NewAccountant().EpsilonAt(repeated, delta); err != nil {
		t.Errorf("a million selections: %v", err)
	}
}

// TestReplacedIsNarrow: DP-SGD under replace-one has a narrow, checked price by default, and a
// δ that fits it. The value is of a quadrature of the exact pair (TestReplacedClippedSum of pld).
func TestReplacedIsNarrow(t *testing.T) {
	a, err := auto.NewAccountantFor(accounting.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	run := accounting.SelfComposed{Count: 5000, Event: accounting.PoissonSampled{
		SamplingRate: 0.01, Event: accounting.ClippedSum{NoiseMultiplier: 2}}}
	g, err := a.EpsilonAt(run, 1e-5)
	if err != nil || math.Abs(g.Epsilon.Upper-2.955928329860931) > 1e-7 || g.Epsilon.Width() > 1e-7 || g.Certificate == nil || len(g.Warnings) > 0 {
		t.Errorf("%v, %v", g, err)
	}
	delta, err := a.DeltaAt(run, g.Epsilon.Upper)
	if err != nil || delta.Lower > 1e-5 || delta.Upper < 0.999e-5 || delta.Upper > 1e-5 {
		t.Errorf("δ at ε = %g: %v, %v", g.Epsilon.Upper, delta, err)
	}
}

// A reserve of 0.01 leaves nothing of δ = 0.005, so ε is +Inf. For the runs of a selection it is
// refused: K runs need a larger one.
func TestReserveOfGivenAccountants(t *testing.T) {
	run := accounting.Gaussian{NoiseMultiplier: 2}
	reserve := accounting.WithDeltaReserve{Accountant: auto.NewAccountant(), Delta: 0.01}
	best := selection.BestOf{Law: law.Fixed{Count: 2}, Base: run}
	for name, event := range map[string]accounting.Event{
		"release": run, "choice first": accounting.Composed{Events: []accounting.Event{accounting.ExponentialMechanism{Epsilon: 1}, run}},
	} {
		if g, err := auto.NewAccountant(reserve).EpsilonAt(event, 0.005); err != nil || !math.IsInf(g.Epsilon.Upper, 1) {
			t.Errorf("%s: %v, %v, want ε +Inf", name, g, err)
		}
	}
	for name, event := range map[string]accounting.Event{
		"best of two":     best,
		"two of them":     accounting.SelfComposed{Event: best, Count: 2},
		"proposals":       adaptive.Event{Law: law.TNB{Eta: 1, Gamma: 0.5}, Base: run, Least: 0.5, Most: 2},
		"first good run":  firstabove.Event{Law: law.TNB{Eta: 1, Gamma: 0.5}, Base: run},
		"threshold tests": threshold.Event{Sensitivity: 1, ThresholdNoise: 20, ScoreNoise: 60, MaxTests: 30, MaxPositives: 3, Refresh: threshold.Once},
		"on a sample":     subsample.Event{Tuning: best, Training: run, TuningRate: 0.1, Variant: subsample.AllData},
	} {
		if g, err := auto.NewAccountant(reserve).EpsilonAt(event, 0.005); err == nil || !strings.Contains(err.Error(), "WithDeltaReserve.Delta 0.01: must be 0 for one run") {
			t.Errorf("%s: %v, %v, want the reserve refused", name, g, err)
		}
		for _, holder := range []accounting.Accountant{
			&accounting.WithDeltaReserve{Accountant: &reserve},
			struct{ accounting.WithDeltaReserve }{reserve},
			struct{ accounting.Accountant }{&reserve},
			struct {
				accounting.Accountant
				others []accounting.Accountant
			}{auto.NewAccountant(), []accounting.Accountant{nil, reserve}},
		} {
			if delta, err := auto.NewAccountant(holder).DeltaAt(event, 1); err == nil {
				t.Errorf("%s by %T: δ %v, want an error", name, holder, delta)
			}
		}
	}
}

// ten is an accountant whose answers are ten times those of the one that it embeds.
type ten struct{ auto.Accountant }

func (a ten) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	g, err := a.Accountant.EpsilonAt(event, delta)
	g.Epsilon = accounting.UpperBound(10 * g.Epsilon.Upper)
	return g, err
}

// An accountant that embeds another one prices a run by its own answers.
func TestEmbeddedAccountantIsNotAskedBesides(t *testing.T) {
	run := accounting.Gaussian{NoiseMultiplier: 2}
	base, err := baserun.New(run, ten{auto.NewAccountant()})
	if err != nil {
		t.Fatal(err)
	}
	own, err := ten{auto.NewAccountant()}.EpsilonAt(run, delta)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(base.Sources(), func(s baserun.Source) bool { return s.EpsilonAt(delta) == own.Epsilon.Upper }) {
		t.Errorf("no source of the run has the accountant's own ε %g", own.Epsilon.Upper)
	}
}

// An attack on shuffled batches gives a lower end for the event, and none for a mechanism with a
// reserve.
func TestShuffledWithReserve(t *testing.T) {
	event := accounting.Shuffled{Batches: 2, Epochs: 3, Event: accounting.ClippedSum{NoiseMultiplier: 2}}
	a := auto.NewAccountant(accounting.WithDeltaReserve{Accountant: pld.NewAccountant(), Delta: 1e-2})
	if g, err := a.EpsilonAt(event, 0.02); err != nil || g.Epsilon.HasLower || !(g.Epsilon.Upper < 10) {
		t.Errorf("ε %v, %v: want an upper end only", g.Epsilon, err)
	}
	if d, err := a.DeltaAt(event, 1); err != nil || d.HasLower || !(d.Upper < 1) {
		t.Errorf("δ %v, %v: want an upper end only", d, err)
	}
}
