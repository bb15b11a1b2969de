package dptune_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
)

// recorder counts what a TuneThenTrain reads.
type recorder struct {
	sample, training []int
	sampled, trained bool
	h                float64
	tuned            float64
}

const noise = 2.0

// recorded is a tuning whose runs release their hyper-parameter and score it, and whose
// last training releases the sum of h and the tuned output.
func recorded(r *recorder, k law.Law, variant subsample.Variant) dptune.TuneThenTrain[float64, float64] {
	event := accounting.Gaussian{NoiseMultiplier: noise}
	return dptune.TuneThenTrain[float64, float64]{
		Search: dptune.Search[float64, float64]{
			Law: k, Prior: dptune.LogGrid(1, 4, 3), Delta: 1e-5, Unit: "one record", Default: -1,
		},
		Records: 1000, TuningRate: 0.3, Variant: variant,
		TuningEvent: func(float64) (accounting.Event, error) { return event, nil },
		On: func(records []int) (dptune.Candidate[float64, float64], error) {
			r.sample, r.sampled = records, true
			return dptune.CandidateFunc(event, func(_ context.Context, h float64, _ streams.Root) (dptune.Outcome[float64], error) {
				return dptune.Outcome[float64]{Output: h, Score: h}, nil
			}), nil
		},
		Training: accounting.Gaussian{NoiseMultiplier: 2 * noise},
		Train: func(_ context.Context, records []int, h, tuned float64, _ streams.Root) (float64, error) {
			r.training, r.trained, r.h, r.tuned = records, true, h, tuned
			return h + tuned, nil
		},
		DefaultHyperparameters: 7,
	}
}

func always(t *testing.T) law.Law {
	t.Helper()
	law, err := law.Geometric(20)
	if err != nil {
		t.Fatal(err)
	}
	return law
}

// assuming is a candidate that rests on more than its event.
type assuming struct {
	dptune.Candidate[float64, float64]
}

func (assuming) Assumptions() []string { return []string{"the moon is full"} }

// What the runs of the tuning assume is in the statement of the whole, and in that of a search.
func TestStatementsNameWhatCandidatesAssume(t *testing.T) {
	var r recorder
	search := recorded(&r, always(t), subsample.AllData)
	on := search.On
	search.On = func(records []int) (dptune.Candidate[float64, float64], error) {
		c, err := on(records)
		return assuming{c}, err
	}
	out, err := search.Run(t.Context(), streams.Fixed("assuming"))
	if err != nil || !strings.Contains(out.Statement.Full(), "the moon is full") {
		t.Errorf("error %v, statement %s: must name the assumption", err, out.Statement.Full())
	}
	plain := search.Search
	if plain.Candidate, err = search.On(nil); err != nil {
		t.Fatal(err)
	}
	if s, err := plain.Statement(); err != nil || !strings.Contains(s.Full(), "the moon is full") {
		t.Errorf("error %v, statement %s: must name the assumption", err, s.Full())
	}
}

func TestTuneThenTrainReadsWhatItPrices(t *testing.T) {
	for _, variant := range []subsample.Variant{subsample.RestOfData, subsample.AllData} {
		var r recorder
		search := recorded(&r, always(t), variant)
		out, err := search.Run(context.Background(), streams.Fixed("tune then train"))
		if err != nil {
			t.Fatal(err)
		}
		// Binomial(1000, 0.3): standard deviation 14.5; 6 of them fail by chance in 2e-9.
		if n := len(r.sample); math.Abs(float64(n)-300) > 6*14.5 {
			t.Errorf("%v: %d records in the sample: want about 300", variant, n)
		}
		want := map[subsample.Variant]int{subsample.RestOfData: 1000 - len(r.sample), subsample.AllData: 1000}[variant]
		if len(r.training) != want {
			t.Errorf("%v: the last training read %d records: want %d", variant, len(r.training), want)
		}
		for _, i := range r.sample {
			if slices.Contains(r.training, i) != (variant == subsample.AllData) {
				t.Errorf("%v: record %d of the sample is in the last training: %v", variant, i, variant != subsample.AllData)
				break
			}
		}
		if out.Details.Tuned != r.tuned || out.Output != r.h+r.tuned || r.h != out.Hyperparameters {
			t.Errorf("%v: %+v after training with %g on %g", variant, out, r.h, r.tuned)
		}
		price, err := subsample.PriceAt(subsample.Event{
			TuningRate: 0.3, Variant: variant, Training: accounting.Gaussian{NoiseMultiplier: 4},
			Tuning: selection.BestOf{Law: search.Search.Law, Base: accounting.Gaussian{NoiseMultiplier: 2}},
		}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Statement.Guarantee.Epsilon.Upper; got != price.Least().Epsilon {
			t.Errorf("%v: the statement says ε %g: the price is %g", variant, got, price.Least().Epsilon)
		}
		if !out.Seeded || !slices.ContainsFunc(out.Statement.Warnings, func(e error) bool { return errors.Is(e, streams.ErrSeeded) }) {
			t.Errorf("%v: a fixed root must be said: seeded %v, warnings %v", variant, out.Seeded, out.Statement.Warnings)
		}
	}
}

// K = 0 is priced, so the last training takes place all the same.
func TestTuneThenTrainWithoutRuns(t *testing.T) {
	var r recorder
	out, err := recorded(&r, law.Poisson{MeanRepeats: 1e-9}, subsample.AllData).Run(context.Background(), streams.Fixed("no runs"))
	if err != nil {
		t.Fatal(err)
	}
	if !out.Empty || out.Details.Tuned != -1 || out.Hyperparameters != 7 || r.h != 7 || r.tuned != -1 || out.Output != 6 {
		t.Errorf("%+v after training with %g on %g: want the defaults 7 and -1", out, r.h, r.tuned)
	}
}

func TestTuneThenTrainRepeats(t *testing.T) {
	var first, second recorder
	root := streams.Fixed("repeat")
	a, err := recorded(&first, always(t), subsample.RestOfData).Run(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	b, err := recorded(&second, always(t), subsample.RestOfData).Run(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first.sample, second.sample) || a.Output != b.Output {
		t.Errorf("equal roots gave samples of %d and %d records, outputs %g and %g", len(first.sample), len(second.sample), a.Output, b.Output)
	}
}

// What cannot be priced, or runs something else than was priced, stops before the records
// are read.
func TestTuneThenTrainRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*dptune.TuneThenTrain[float64, float64])
		want   string
	}{
		"candidate": {func(s *dptune.TuneThenTrain[float64, float64]) {
			s.Search.Candidate, _ = s.On(nil)
		}, "Search.Candidate is set"},
		"records":  {func(s *dptune.TuneThenTrain[float64, float64]) { s.Records = 0 }, "Records 0: must be >= 1"},
		"rate":     {func(s *dptune.TuneThenTrain[float64, float64]) { s.TuningRate = 1 }, "TuningRate 1: must be in (0, 1)"},
		"variant":  {func(s *dptune.TuneThenTrain[float64, float64]) { s.Variant = 0 }, "Variant 0"},
		"event":    {func(s *dptune.TuneThenTrain[float64, float64]) { s.TuningEvent = nil }, "TuningEvent is nil"},
		"on":       {func(s *dptune.TuneThenTrain[float64, float64]) { s.On = nil }, "On is nil"},
		"training": {func(s *dptune.TuneThenTrain[float64, float64]) { s.Training = nil }, "Training is nil"},
		"train":    {func(s *dptune.TuneThenTrain[float64, float64]) { s.Train = nil }, "Train is nil"},
		"delta":    {func(s *dptune.TuneThenTrain[float64, float64]) { s.Search.Delta = 0 }, "Delta"},
	} {
		var r recorder
		search := recorded(&r, always(t), subsample.AllData)
		c.change(&search)
		r = recorder{}
		_, err := search.Run(context.Background(), streams.Fixed("refuse"))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v: must contain %q", name, err, c.want)
		}
		if r.sampled || r.trained {
			t.Errorf("%s: records were read before the error", name)
		}
	}
	var r recorder
	search := recorded(&r, always(t), subsample.AllData)
	search.TuningEvent = func(float64) (accounting.Event, error) { return accounting.Gaussian{NoiseMultiplier: 99}, nil }
	if _, err := search.Run(context.Background(), streams.Fixed("refuse")); err == nil || !strings.Contains(err.Error(), "must be the priced") {
		t.Errorf("runs of another event: error %v: must be refused", err)
	}
	if r.trained {
		t.Error("runs of another event: the last training took place")
	}
	if _, err := recorded(&r, always(t), subsample.AllData).Run(context.Background(), streams.Root{}); err == nil {
		t.Error("zero root: must be refused")
	}
}

// The tuning and the training on the rest read a hidden number of records. Batches that state a
// number are refused before a record is read.
func TestTuneThenTrainHidesItsSample(t *testing.T) {
	batches := accounting.SampledWithoutReplacement{SampleSize: 10, PopulationSize: 1000, Event: accounting.ClippedSum{NoiseMultiplier: noise}}
	for _, variant := range []subsample.Variant{subsample.RestOfData, subsample.AllData} {
		var r recorder
		search := recorded(&r, always(t), variant)
		search.TuningEvent = func(float64) (accounting.Event, error) { return batches, nil }
		if _, err := search.Run(t.Context(), streams.Fixed("sizes")); !errors.Is(err, accounting.ErrUnsupportedEvent) || !strings.Contains(err.Error(), "the number of examples must be public") || r.sampled {
			t.Errorf("%v: %v, sample read: %v", variant, err, r.sampled)
		}
	}
	var r recorder
	search := recorded(&r, always(t), subsample.RestOfData)
	search.Training = batches
	if _, err := search.Price(); !errors.Is(err, accounting.ErrUnsupportedEvent) || !strings.Contains(err.Error(), "the number of examples must be public") {
		t.Errorf("training on the rest: %v", err)
	}
}

// A tenth of the values choose the clipping bound, the others are summed with it.
func ExampleTuneThenTrain() {
	values := make([]float64, 200)
	for i := range values {
		values[i] = 1 + float64(i%7)/10
	}
	clippedSum := func(records []int, clip float64, root streams.Root) float64 {
		sum := 0.0
		for _, i := range records {
			sum += min(values[i], clip)
		}
		return sum + 4*clip*root.Rand("noise").NormFloat64()
	}
	event := accounting.Gaussian{NoiseMultiplier: 4}
	law, err := law.Logarithmic(5)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := dptune.TuneThenTrain[float64, float64]{
		Search:  dptune.Search[float64, float64]{Law: law, Prior: dptune.LogGrid(0.5, 2, 3), Delta: 1e-5, Unit: "one value"},
		Records: len(values), TuningRate: 0.1, Variant: subsample.RestOfData,
		TuningEvent: func(float64) (accounting.Event, error) { return event, nil },
		On: func(records []int) (dptune.Candidate[float64, float64], error) {
			return dptune.CandidateFunc(event, func(_ context.Context, clip float64, root streams.Root) (dptune.Outcome[float64], error) {
				sum := clippedSum(records, clip, root)
				return dptune.Outcome[float64]{Output: sum, Score: sum - 10*clip}, nil
			}), nil
		},
		Training: event,
		Train: func(_ context.Context, records []int, clip, _ float64, root streams.Root) (float64, error) {
			return clippedSum(records, clip, root), nil
		},
		DefaultHyperparameters: 1,
	}.Run(context.Background(), streams.Fixed("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("clip %g, ε <= %s\n", out.Hyperparameters, accounting.FormatUpper(out.Statement.Guarantee.Epsilon.Upper))
	// Output:
	// clip 1, ε <= 0.8643
}

// teller is a candidate that reports a truncation δ.
type teller struct {
	dptune.Candidate[float64, float64]
	tail float64
}

func (c teller) TruncationDelta(float64) (float64, error) { return c.tail, nil }

// 20 runs on average at 1e-7 each, and 1e-6 for the last: by hand. It is refused if a run reports
// more than was priced.
func TestTuneThenTrainSetsTheTailsAside(t *testing.T) {
	var r recorder
	s := recorded(&r, always(t), subsample.AllData)
	s.TuningTruncationDelta, s.TrainingTruncationDelta = 1e-7, 1e-6
	price, err := s.Price()
	if err != nil {
		t.Fatal(err)
	}
	without := s
	without.TuningTruncationDelta, without.TrainingTruncationDelta = 0, 0
	without.Search.Delta = 1e-5 - 20*1e-7 - 1e-6
	want, err := without.Price()
	if err != nil {
		t.Fatal(err)
	}
	if got := price.Guarantee; math.Abs(got.Epsilon.Upper/want.Guarantee.Epsilon.Upper-1) > 1e-5 || got.Delta != 1e-5 {
		t.Errorf("%v, want %v at what is left of δ", got, want.Guarantee)
	}
	told := 1e-7
	on := s.On
	s.On = func(records []int) (dptune.Candidate[float64, float64], error) {
		c, err := on(records)
		return teller{c, told}, err
	}
	out, err := s.Run(t.Context(), streams.Fixed("tails"))
	if err != nil || len(out.Statement.Included) != 1 {
		t.Errorf("error %v, statement %v", err, out.Statement)
	}
	told = 2e-7
	if _, err = s.Run(t.Context(), streams.Fixed("tails")); err == nil || !strings.Contains(err.Error(), "TuneThenTrain.On: truncation δ of ") || !strings.Contains(err.Error(), ": 2e-07: must be at most the priced 1e-07") {
		t.Errorf("a run that tells of more: error %v", err)
	}
	s.TuningTruncationDelta, s.TrainingTruncationDelta, s.Search.TruncationDelta = -1, 2, 0.5
	_, err = s.Price()
	for _, part := range []string{"TuneThenTrain.TuningTruncationDelta -1: must be in [0, 1]", "TuneThenTrain.TrainingTruncationDelta 2: must be in [0, 1]", "Search.TruncationDelta 0.5: must be 0"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want one with %q", err, part)
		}
	}
}
