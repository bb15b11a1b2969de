package dptune

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/streams"
)

// TuneThenTrain tunes on a Poisson sample of the records and trains once more with the
// winner's hyper-parameters: on the records that the sample left, or on all. A record is in
// the sample with chance TuningRate, so that the tuning costs less privacy and less work.
//
// The sample, like K and the losers, stays secret. The winner of the tuning may be
// published with the last output, and the last training may start from it.
//
// Reference: Koskela and Kulkarni (NeurIPS 2023), Section 3; subsample.PriceAt.
type TuneThenTrain[H, O any] struct {
	// Search is the tuning. Its Candidate must be nil: On gives it. Its Delta and its Identity are
	// of the whole.
	Search Search[H, O]

	Records    int               // how many records there are, indexed from 0. Required.
	TuningRate float64           // q in (0, 1), chosen without looking at the data. Required.
	Variant    subsample.Variant // what the last training reads. Required.

	// Event returns what one run of the tuning with h does to the records it is given, its
	// score included. It must not depend on them. Required.
	Event func(h H) (accounting.Event, error)
	// On returns the runs of the tuning over the records with the given indices, of which
	// there may be none. What they assume stands in the Statement after Run. Required.
	On func(records []int) (Candidate[H, O], error)
	// TuningTruncationDelta and TrainingTruncationDelta are what one run of the tuning, whatever h, and the last
	// training set aside of δ since their noise is truncated, in [0, 1): see [NoiseTruncated].
	// On's candidates must not tell of more. Search.TruncationDelta must be 0.
	TuningTruncationDelta, TrainingTruncationDelta float64

	// Training is what Train does to the records it is given, whatever h. Required.
	Training accounting.Event
	// Train runs the last training over the given records with hyper-parameters h, drawing
	// from root alone. A factor for more records than the tuning had must come from the
	// public TuningRate, not from how many there are. Required.
	Train func(ctx context.Context, records []int, h H, tuned O, root streams.Root) (O, error)

	DefaultHyperparameters H // of the last training if no run of the tuning took place (K = 0)
}

// Trained is what a TuneThenTrain lets out; all of it may be published.
type Trained[H, O any] struct {
	Release[H, O]               // of the last training; Empty if the tuning had no run
	Tuning        Release[H, O] // the winner of the tuning; its Statement is that of the whole
}

// Validate returns every fault, joined. It runs nothing.
func (t TuneThenTrain[H, O]) Validate() error {
	f := check.In("dptune: TuneThenTrain.")
	f.That(t.Search.Candidate == nil, "Search.Candidate", "is set", "must be nil, since On gives it")
	f.That(t.Search.TruncationDelta == 0, "Search.TruncationDelta", t.Search.TruncationDelta, "must be 0, since TuningTruncationDelta gives it")
	f.Number("TuningTruncationDelta", t.TuningTruncationDelta, check.BelowOne)
	f.Count("Records", t.Records, 1)
	f.Number("TuningRate", t.TuningRate, check.OpenUnit)
	f.That(t.Event != nil, "Event", "is nil", "must be a function")
	f.That(t.On != nil, "On", "is nil", "must be a function")
	f.That(t.Training != nil, "Training", "is nil", "must be an event")
	f.That(t.Train != nil, "Train", "is nil", "must be a function")
	f.Number("TrainingTruncationDelta", t.TrainingTruncationDelta, check.BelowOne)
	f.Add(t.Variant.Validate())
	if t.Training != nil {
		f.Below("Training", t.Training.Validate())
	}
	if t.Event != nil {
		f.Add(t.tuning(nil).Validate())
	}
	return f.Err()
}

// Price returns what the whole costs, before anything runs, with the [NoiseTruncated] of all runs
// set aside. It does not depend on the data.
func (t TuneThenTrain[H, O]) Price() (accounting.Price, error) {
	if err := t.Validate(); err != nil {
		return accounting.NoPrice(), err
	}
	return t.price(t.noiseTail())
}

// noiseTail returns what all runs together set aside of δ.
func (t TuneThenTrain[H, O]) noiseTail() float64 {
	return anyTail(t.Search.Law, t.TuningTruncationDelta) + t.TrainingTruncationDelta
}

// event is what the tuning and the training run.
func (t TuneThenTrain[H, O]) event() (subsample.TuneThenTrain, error) {
	base, err := t.tuning(nil).BaseEvent()
	return subsample.TuneThenTrain{
		TuningRate: t.TuningRate,
		Tuning:     selection.Event{Law: t.Search.Law, Base: base},
		Training:   t.Training,
		Variant:    t.Variant,
	}, err
}

// price is Price with so much of δ set aside.
func (t TuneThenTrain[H, O]) price(tail float64) (accounting.Price, error) {
	event, err := t.event()
	if err != nil {
		return accounting.NoPrice(), err
	}
	left, err := deltaLeft("TuneThenTrain.Search", t.Search.Delta, tail)
	if err != nil {
		return accounting.NoPrice(), err
	}
	price, err := subsample.PriceAt(event, left, t.Search.Accountants...)
	if err != nil {
		return accounting.NoPrice(), fmt.Errorf("dptune: %w", err)
	}
	price.Guarantee.Delta, price.OneRun.Delta = t.Search.Delta, t.Search.Delta
	return price, nil
}

// Run draws the sample, tunes on it, and trains. The price is computed first: what cannot
// be priced does not touch the data. All draws come from root; take it from streams.Secret
// for a release. On an error nothing is released.
func (t TuneThenTrain[H, O]) Run(ctx context.Context, root streams.Root) (Trained[H, O], error) {
	root, statement, err := begin(root, "tune, then train", given(t.Search.Identity), t.Statement)
	if err != nil {
		return Trained[H, O]{Release: noRelease[H, O](), Tuning: noRelease[H, O]()}, err
	}
	sample, rest := t.split(root)
	candidate, err := t.On(sample)
	if err != nil {
		return Trained[H, O]{Release: noRelease[H, O](), Tuning: noRelease[H, O]()}, err
	}
	if candidate == nil {
		return Trained[H, O]{Release: noRelease[H, O](), Tuning: noRelease[H, O]()}, errors.New("dptune: TuneThenTrain.On returned nil: must be a Candidate")
	}
	on := t.Search
	on.Candidate = candidate
	statement.Assumptions = append(statement.Assumptions, on.assumptionsOf()...)
	tuned, err := t.tuning(candidate).run(ctx, root.Child("tuning"), statement)
	if err != nil {
		return Trained[H, O]{Release: noRelease[H, O](), Tuning: noRelease[H, O]()}, err
	}
	h := tuned.Hyperparameters
	if tuned.Empty {
		h = t.DefaultHyperparameters
	}
	output, err := t.Train(ctx, rest, h, tuned.Output, root.Child("training"))
	if err != nil {
		return Trained[H, O]{Release: noRelease[H, O](), Tuning: noRelease[H, O]()}, fmt.Errorf("dptune: training with %v: %w", h, err)
	}
	out := Trained[H, O]{Release: tuned, Tuning: tuned}
	out.Output, out.Hyperparameters = output, h
	return out, nil
}

// split draws the sample, and returns it with the records of the last training.
func (t TuneThenTrain[H, O]) split(root streams.Root) (sample, training []int) {
	rng := root.Rand("sample")
	for i := range t.Records {
		inside := data.Coin(t.TuningRate, rng)
		if inside {
			sample = append(sample, i)
		}
		if !inside || t.Variant == subsample.AllData {
			training = append(training, i)
		}
	}
	return sample, training
}

// tuning is the search over the runs of candidate, at the price of Event.
func (t TuneThenTrain[H, O]) tuning(candidate Candidate[H, O]) Search[H, O] {
	s := t.Search
	s.Candidate = priced[H, O]{event: t.Event, tail: t.TuningTruncationDelta, runs: candidate}
	s.TruncationDelta = t.TuningTruncationDelta
	return s
}

// priced is a candidate whose runs must be those that were priced.
type priced[H, O any] struct {
	event func(h H) (accounting.Event, error)
	tail  float64
	runs  Candidate[H, O]
}

func (p priced[H, O]) Event(h H) (accounting.Event, error) { return p.event(h) }

func (p priced[H, O]) RunAll(ctx context.Context, hs []H, roots []streams.Root) ([]Outcome[O], error) {
	for _, h := range hs {
		want, err := p.event(h)
		if err != nil {
			return nil, err
		}
		got, err := p.runs.Event(h)
		if err != nil {
			return nil, err
		}
		if !reflect.DeepEqual(got, want) {
			return nil, fmt.Errorf("dptune: TuneThenTrain.On: hyper-parameters %v run %v: must be the priced %v", h, got, want)
		}
		tail, err := tailOf(p.runs, h)
		if err != nil {
			return nil, err
		}
		if tail > p.tail {
			return nil, fmt.Errorf("dptune: TuneThenTrain.On: hyper-parameters %v have truncation δ %g: must be at most TuningTruncationDelta, the priced %g", h, tail, p.tail)
		}
	}
	return p.runs.RunAll(ctx, hs, roots)
}
