package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/adaptive"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
)

// door is one way to ask what an event costs at δ = 1e-5.
type door struct {
	name string
	ask  func() (float64, error)
}

// TestOnePrice asks for the price of each event at every door: the accountant, package selection,
// this command by flags and by a file, and the statements of private searches. They must be
// equal, to the last bit.
func TestOnePrice(t *testing.T) {
	run := sgdRun(0.01, 2, 5000)
	gaussian := accounting.Gaussian{NoiseMultiplier: 2}
	logarithmic, err := law.Logarithmic(10)
	if err != nil {
		t.Fatal(err)
	}
	geometric, err := law.Geometric(3)
	if err != nil {
		t.Fatal(err)
	}
	const sgdFlags = " -base sgd -rate 0.01 -noise 2 -steps 5000"
	tests := threshold.Event{Sensitivity: 0.01, ThresholdNoise: 0.3, ScoreNoise: 0.6, MaxTests: 9, MaxPositives: 5, Refresh: threshold.Once}
	oneSided := tests
	oneSided.Noise = threshold.Exponential
	for i, c := range []struct {
		name  string
		event accounting.Event
		doors []door
	}{
		{"README's tuning", selection.BestOf{Law: logarithmic, Base: run},
			append(searches(logarithmic, run), byFlags(t, "tune -law tnb -eta 0 -mean 10"+sgdFlags), byFlags(t, "tune -law logarithmic -mean 10"+sgdFlags))},
		{"one run", run, []door{byFlags(t, "sgd -rate 0.01 -noise 2 -steps 5000")}},
		{"Poisson", selection.BestOf{Law: law.Poisson{MeanRepeats: 3}, Base: gaussian},
			append(searches(law.Poisson{MeanRepeats: 3}, gaussian), byFlags(t, "tune -law poisson -mean 3 -base gaussian -noise 2"))},
		{"fixed", selection.BestOf{Law: law.Fixed{Count: 4}, Base: run},
			append(searches(law.Fixed{Count: 4}, run), byFlags(t, "tune -law fixed -count 4"+sgdFlags))},
		{"binomial", selection.BestOf{Law: law.Binomial{Trials: 20, P: 0.5}, Base: run}, append(searches(law.Binomial{Trials: 20, P: 0.5}, run), byFlags(t, "tune -law binomial -trials 20 -p 0.5"+sgdFlags))},
		{"two-point", selection.BestOf{Law: law.TwoPoint{Runs: 10, Single: 0.1}, Base: run}, append(searches(law.TwoPoint{Runs: 10, Single: 0.1}, run), byFlags(t, "tune -law two_point -runs 10 -single 0.1"+sgdFlags))},
		{"truncated", selection.BestOf{Law: law.Truncated{Law: logarithmic, Max: 30}, Base: run}, append(searches(law.Truncated{Law: logarithmic, Max: 30}, run), byFlags(t, "tune -law truncated -of tnb -mean 10 -max 30"+sgdFlags))},
		{"Laplace runs", selection.BestOf{Law: logarithmic, Base: accounting.Laplace{NoiseMultiplier: 3}}, searches(logarithmic, accounting.Laplace{NoiseMultiplier: 3})},
		{"runs with a δ", selection.BestOf{Law: logarithmic, Base: accounting.ApproxDP{Epsilon: 0.5, Delta: 1e-8}}, searches(logarithmic, accounting.ApproxDP{Epsilon: 0.5, Delta: 1e-8})},
		{"runs of two kinds", selection.BestOf{Law: logarithmic, Base: accounting.WorstCase{Events: []accounting.Event{gaussian, accounting.Laplace{NoiseMultiplier: 3}}}},
			searches(logarithmic, gaussian, accounting.Laplace{NoiseMultiplier: 3})},
		{"tuning on a sample", subsample.Event{TuningRate: 0.1, Tuning: selection.BestOf{Law: logarithmic, Base: run}, Training: run, Variant: subsample.RestOfData},
			[]door{sampled(logarithmic, run), byFlags(t, "tune -law tnb -mean 10 -tuning-rate 0.1"+sgdFlags)}},
		{"withheld beyond a limit", selection.BestOf{Law: law.Withheld{Law: logarithmic, Max: 30}, Base: run}, append(searches(law.Withheld{Law: logarithmic, Max: 30}, run), byFlags(t, "tune -law withheld -of tnb -mean 10 -max 30"+sgdFlags))},
		{"the first good run", firstabove.Event{Law: logarithmic, Base: run},
			[]door{firstGood(logarithmic, run), byFlags(t, "tune -release first -law tnb -eta 0 -mean 10"+sgdFlags)}},
		{"proposals", adaptive.Event{Law: logarithmic, Base: run, Least: 0.5, Most: 2},
			[]door{byFlags(t, "tune -densities 0.5,2 -law tnb -eta 0 -mean 10"+sgdFlags)}},
		{"limited geometric", selection.BestOf{Law: law.Capped{Law: geometric, Max: 5}, Base: gaussian},
			[]door{byFlags(t, "tune -law capped -of geometric -mean 3 -max 5 -base gaussian -noise 2")}},
		{"threshold tests", tests, []door{thresholds(tests, nil)}},
		{"threshold tests by exponential noise", oneSided, []door{thresholds(oneSided, nil)}},
		{"threshold tests by exponential noise, then a training", accounting.Composed{Events: []accounting.Event{oneSided, run}}, []door{thresholds(oneSided, run)}},
		{"threshold tests, then a training", accounting.Composed{Events: []accounting.Event{tests, run}}, []door{thresholds(tests, run)}},
		{"an exponential choice, then a training", accounting.Composed{Events: []accounting.Event{accounting.ExponentialMechanism{Epsilon: 0.5}, run}}, []door{exponentialChoice(0.5, run)}},
		{"a tuning, then a training", accounting.Composed{Events: []accounting.Event{selection.BestOf{Law: logarithmic, Base: run}, run}}, nil},
		{"the worst of a tuning and a training", accounting.WorstCase{Events: []accounting.Event{selection.BestOf{Law: logarithmic, Base: run}, run}}, nil},
	} {
		if testing.Short() && i%5 != 0 {
			continue
		}
		want, err := auto.NewAccountant().EpsilonAt(c.event, 1e-5)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		doors := append([]door{file(t, c.event), written(c.event)}, c.doors...)
		if e, ok := c.event.(selection.BestOf); ok {
			doors = append(doors, door{"selection", func() (float64, error) {
				p, err := selection.EventAt(e, 1e-5)
				return p.Guarantee.Epsilon.Upper, err
			}})
		}
		for _, d := range doors {
			if got, err := d.ask(); err != nil || got != want.Epsilon.Upper {
				t.Errorf("%s, %s: ε %.9g, %v, want %.9g, as package auto says", c.name, d.name, got, err, want.Epsilon.Upper)
			}
		}
	}
}

func sgdRun(q, sigma float64, steps int) accounting.Event {
	return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{SamplingRate: q, Event: accounting.Gaussian{NoiseMultiplier: sigma}}}
}

// byFlags asks this command.
func byFlags(t *testing.T, line string) door {
	return door{"dpcost " + line, func() (float64, error) { return number64Of(ask(t, line+" -delta 1e-5")) }}
}

// file asks this command about a file that holds the event.
func file(t *testing.T, event accounting.Event) door {
	return door{"dpcost plan", func() (float64, error) {
		text, err := eventjson.Marshal(event)
		if err != nil {
			return 0, err
		}
		return number64Of(ask(t, "plan "+writePlan(t, `{"delta": 1e-5, "events": [`+string(text)+`]}`)))
	}}
}

func number64Of(a jsonAnswer) (float64, error) {
	upper, ok := a.Epsilon.Upper.(float64)
	if !ok {
		return 0, fmt.Errorf("upper end %v", a.Epsilon.Upper)
	}
	return upper, nil
}

// written asks the accountant about the event as it comes back from JSON.
func written(event accounting.Event) door {
	return door{"JSON", func() (float64, error) {
		text, err := eventjson.Marshal(event)
		if err != nil {
			return 0, err
		}
		back, err := eventjson.Unmarshal(text)
		if err != nil {
			return 0, err
		}
		g, err := auto.NewAccountant().EpsilonAt(back, 1e-5)
		return g.Epsilon.Upper, err
	}}
}

// runsOf is a candidate whose hyper-parameter says which of its events a run is.
type runsOf []accounting.Event

func (r runsOf) Event(h int) (accounting.Event, error) { return r[h], nil }

func (runsOf) RunAll(_ context.Context, hs []int, _ []streams.Root) ([]dptune.Outcome[int], error) {
	return make([]dptune.Outcome[int], len(hs)), nil
}

func searchOf(k law.Law, runs ...accounting.Event) dptune.Search[int, int] {
	s := dptune.Search[int, int]{Law: k, Candidate: runsOf(runs), Delta: 1e-5, Unit: "one record"}
	grid := dptune.Grid[int]{}
	for i := range runs {
		grid = append(grid, i)
	}
	s.Prior = grid
	return s
}

// searches are the statement of a private search, its release's, and its price.
func searches(k law.Law, runs ...accounting.Event) []door {
	s := searchOf(k, runs...)
	return []door{
		{"dptune.Search's statement", func() (float64, error) { return epsilonOf(s.Statement()) }},
		{"dptune.Search's release", func() (float64, error) {
			r, err := s.Run(context.Background(), streams.Fixed("one price"))
			return r.Statement.Guarantee.Epsilon.Upper, err
		}},
		{"dptune.Search's price", func() (float64, error) {
			p, err := s.Price()
			return p.Guarantee.Epsilon.Upper, err
		}},
	}
}

func epsilonOf(s accounting.Statement, err error) (float64, error) {
	return s.Guarantee.Epsilon.Upper, err
}

func train[O any](context.Context, int, streams.Root) (O, error) {
	var none O
	return none, nil
}

func sampled(k law.Law, run accounting.Event) door {
	s := searchOf(k, run)
	s.Candidate = nil
	return door{"dptune.TuneThenTrain's statement", func() (float64, error) {
		return epsilonOf(dptune.TuneThenTrain[int, int]{
			Search: s, Records: 100, TuningRate: 0.1, Variant: subsample.RestOfData, Training: run,
			TuningEvent: func(int) (accounting.Event, error) { return run, nil },
			On:          func([]int) (dptune.Candidate[int, int], error) { return runsOf{run}, nil },
			Train:       func(context.Context, []int, int, int, streams.Root) (int, error) { return 0, nil },
		}.Statement())
	}}
}

var hundredParts = dptune.PartScores[int]{Records: 100, Parts: 100,
	Score: func(context.Context, []int, int, streams.Root) (float64, error) { return 0, nil }}

func thresholds(event threshold.Event, training accounting.Event) door {
	s := dptune.ThresholdSearch[int, int]{
		Proposer: dptune.Grid[int]{0}, Scores: hundredParts, Granularity: 0.1, MaxTests: event.MaxTests,
		ThresholdNoise: event.ThresholdNoise, ScoreNoise: event.ScoreNoise, Refresh: event.Refresh, Noise: event.Noise,
		Training: training, Delta: 1e-5, Unit: "one record",
	}
	if training != nil {
		s.Train = train[int]
	}
	return door{"dptune.ThresholdSearch's statement", func() (float64, error) { return epsilonOf(s.Statement()) }}
}

func firstGood(k law.Law, runs ...accounting.Event) door {
	s := dptune.FirstAbove[int, int]{Search: searchOf(k, runs...), Threshold: 0.5}
	return door{"dptune.FirstAbove's statement", func() (float64, error) { return epsilonOf(s.Statement()) }}
}

func exponentialChoice(epsilon float64, training accounting.Event) door {
	return door{"dptune.ExponentialSearch's statement", func() (float64, error) {
		return epsilonOf(dptune.ExponentialSearch[int, int]{
			Candidates: []int{0}, Scores: hundredParts, Epsilon: epsilon, Training: training, Train: train[int], Delta: 1e-5, Unit: "one record",
		}.Statement())
	}}
}

// A plan with batches that need the number of examples, on a sample of hidden size, has no price at
// any depth of the file. The message names the whole event.
func TestHiddenSizesHaveNoPrice(t *testing.T) {
	const (
		batches = `{"type": "sampled_without_replacement", "sample_size": 10, "population_size": 1000, "event": {"type": "clipped_sum", "noise_multiplier": 1}}`
		shuffle = `{"type": "shuffled", "batches": 10, "epochs": 1, "kept": false, "event": {"type": "clipped_sum", "noise_multiplier": 1}}`
		best    = `{"type": "selection", "law": {"type": "fixed", "count": 3}, "base": %s}`
		on      = `{"type": "poisson_sampled", "sampling_rate": 0.1, "event": %s}`
		tuned   = `{"type": "tune_then_train", "tuning_rate": 0.1, "tuning": %s, "training": %s, "variant": "rest of the data"}`
		sum     = `{"type": "clipped_sum", "noise_multiplier": 1}`
	)
	for event, want := range map[string]string{
		fmt.Sprintf(tuned, fmt.Sprintf(best, batches), sum): "on a Poisson sample of rate 0.1; then ClippedSum(σ=1), on rest of the data: unsupported event: SampledWithoutReplacement(10 of 1000, ClippedSum(σ=1)) on a Poisson sample: the number of examples must be public",
		fmt.Sprintf(tuned, fmt.Sprintf(best, sum), shuffle): "unsupported event: Shuffled(10 batches, 1 epochs, a new order each, ClippedSum(σ=1)) on a Poisson sample: the number of examples must be public",
		fmt.Sprintf(on, fmt.Sprintf(best, shuffle)):         "PoissonSampled(q=0.1, best of K runs of Shuffled(10 batches",
	} {
		file := writePlan(t, `{"delta": 1e-5, "events": [`+event+`]}`)
		for _, line := range []string{"plan " + file, "curve -plan " + file + " -kind profile -points 3"} {
			if stdout, stderr, code := call(t, line); code != 1 || stdout != "" || !strings.Contains(stderr, want) {
				t.Errorf("%s: code %d, %s%s, want %q", event, code, stdout, stderr, want)
			}
		}
	}
}
