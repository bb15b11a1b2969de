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

// TuneThenTrain releases one training with the hyper-parameters that a [Search] on a sample of the
// records chose.
//
// A record is in the sample with chance TuningRate. The tuning then costs less privacy and less
// work. The training reads the records that the sample left, or all. The sample, like K and the
// losers, stays secret. The winner of the tuning may be published with the last output, and the
// last training may start from it.
//
// Reference: Koskela and Kulkarni (NeurIPS 2023), Section 3; subsample.PriceAt.
type TuneThenTrain[H, O any] struct {
	// Search is the tuning. Its Candidate must be nil and its TruncationDelta 0, since On and
	// TuningTruncationDelta give them. Its Delta and its Identity are of the whole.
	Search Search[H, O]

	Records    int               // the number of records, indexed from 0. Required.
	TuningRate float64           // q in (0, 1), chosen without looking at the data. Required.
	Variant    subsample.Variant // what the last training reads. Required.

	// TuningEvent returns the event of one run of the tuning with h on its records, its score
	// included. It must not depend on them. Required.
	TuningEvent func(h H) (accounting.Event, error)
	// On returns the runs of the tuning over the records with the given indices. There may be no
	// records. The Statement after Run lists their assumptions. Required.
	On func(records []int) (Candidate[H, O], error)
	// TuningTruncationDelta and TrainingTruncationDelta are the parts of δ set aside for truncated
	// noise, in [0, 1]. The first is that of one run of the tuning, whatever h, and the second that of
	// the last training. On's candidates must not report more.
	TuningTruncationDelta, TrainingTruncationDelta float64

	// Training is the event of Train on its records, whatever h. Required.
	Training accounting.Event
	// Train runs the last training over the given records with hyper-parameters h. It draws only from
	// root. A factor for more records than the tuning had must come from the public TuningRate, not
	// from their number. Required.
	Train func(ctx context.Context, records []int, h H, tuned O, root streams.Root) (O, error)

	DefaultHyperparameters H // of the last training if no run of the tuning took place (K = 0)
}

// TuneThenTrainDetails are what the release of a TuneThenTrain adds; all of it may be published.
// Empty means that the tuning had no run.
type TuneThenTrainDetails[O any] struct {
	Tuned O // the output of the tuning's winner; Search.Default if there was none
}

// Validate returns every fault, joined. It runs nothing.
func (t TuneThenTrain[H, O]) Validate() error {
	f := check.In("dptune: TuneThenTrain.")
	f.That(t.Search.Candidate == nil, "Search.Candidate", "is set", "must be nil, since On gives it")
	f.That(t.Search.TruncationDelta == 0, "Search.TruncationDelta", t.Search.TruncationDelta, "must be 0, since TuningTruncationDelta gives it")
	f.Number("TuningTruncationDelta", t.TuningTruncationDelta, check.Unit)
	f.Count("Records", t.Records, 1)
	f.Number("TuningRate", t.TuningRate, check.OpenUnit)
	f.That(t.TuningEvent != nil, "TuningEvent", "is nil", "must be a function")
	f.That(t.On != nil, "On", "is nil", "must be a function")
	f.That(t.Training != nil, "Training", "is nil", "must be an event")
	f.That(t.Train != nil, "Train", "is nil", "must be a function")
	f.Number("TrainingTruncationDelta", t.TrainingTruncationDelta, check.Unit)
	f.Add(t.Variant.Validate())
	if t.Training != nil {
		f.Below("Training", t.Training.Validate())
	}
	if t.TuningEvent != nil {
		f.Add(t.tuning(nil).Validate())
	}
	return f.Err()
}

// Event returns the tuning on a sample, and the training after it.
func (t TuneThenTrain[H, O]) Event() (accounting.Event, error) { return eventOf(t.terms()) }

// Price returns what the whole costs, before anything runs.
func (t TuneThenTrain[H, O]) Price() (accounting.Price, error) { return priceOf(t.terms()) }

// Statement returns the guarantee of the whole, before anything runs.
func (t TuneThenTrain[H, O]) Statement() (accounting.Statement, error) {
	return statementOf(t.terms())
}

func (t TuneThenTrain[H, O]) terms() (terms, error) {
	if err := t.Validate(); err != nil {
		return terms{}, err
	}
	run, err := t.tuning(nil).RunEvent()
	if err != nil {
		return terms{}, err
	}
	return terms{
		field: "TuneThenTrain.Search.Delta", delta: t.Search.Delta,
		truncation:  anyTruncation(t.Search.Law, t.TuningTruncationDelta) + t.TrainingTruncationDelta,
		event:       t.event(run),
		accountants: t.Search.Accountants,
		draws:       "tune, then train", identity: t.identity,
		statement: accounting.Statement{
			Unit:    t.Search.Unit,
			Subject: "the best of a random number of runs with its hyper-parameters and the output of the last training",
			Assumptions: append([]string{
				"each record joined the tuning sample by its own coin",
				"the tuning sample stays secret",
				assumesCount, assumesHidden, assumesPriors,
				assumesRuns + ", whatever its hyper-parameters", assumesTraining,
				assumesReals, assumesSecret,
			}, t.Search.Assumptions...),
			NotCovered: notCovered("the tuning sample, the number of runs, the losing runs, their scores and the running time: do not publish them"),
		},
	}, nil
}

// identity is that of the search, if it was given, with the event and what decides the draws.
func (t TuneThenTrain[H, O]) identity() ([]byte, error) {
	run, err := t.tuning(nil).RunEvent()
	if err != nil {
		return nil, err
	}
	return bound(t.Search.Identity, t.event(run), t.Search.Prior, t.Search.Prior.Support(), t.Records)
}

func (t TuneThenTrain[H, O]) event(run accounting.Event) accounting.Event {
	return subsample.Event{
		TuningRate: t.TuningRate, Variant: t.Variant, Training: t.Training,
		Tuning: selection.BestOf{Law: t.Search.Law, Base: run},
	}
}

// Run draws the sample, tunes on it, and trains. The price is computed first: a protocol without a
// price does not touch the data. All draws come from root; take it from streams.Secret for a
// release. On an error nothing is released.
func (t TuneThenTrain[H, O]) Run(ctx context.Context, root streams.Root) (Release[H, O, TuneThenTrainDetails[O]], error) {
	return releasing(root, t.terms, func(root streams.Root, out *Release[H, O, TuneThenTrainDetails[O]]) error {
		return t.run(ctx, root, out)
	})
}

// run is Run after it has begun.
func (t TuneThenTrain[H, O]) run(ctx context.Context, root streams.Root, out *Release[H, O, TuneThenTrainDetails[O]]) error {
	sample, rest := t.split(root)
	candidate, err := t.On(sample)
	if err == nil && candidate == nil {
		err = errors.New("dptune: TuneThenTrain.On returned nil: must be a Candidate")
	}
	if err != nil {
		return err
	}
	out.Statement.Assumptions = append(out.Statement.Assumptions, assumptionsOf(candidate, t.Search.Prior.Support())...)
	out.Statement = notePlaces(out.Statement, candidate, t.Search.Prior.Support())
	var tuned Release[H, O, NoDetails]
	if err := t.tuning(candidate).run(ctx, root.Child("tuning"), &tuned); err != nil {
		return err
	}
	h := tuned.Hyperparameters
	if tuned.Empty {
		h = t.DefaultHyperparameters
	}
	out.Hyperparameters, out.Empty, out.Details.Tuned, out.unsafe = h, tuned.Empty, tuned.Output, tuned.unsafe
	if out.Output, err = t.Train(ctx, rest, h, tuned.Output, root.Child("training")); err != nil {
		return fmt.Errorf("dptune: training with %v: %w", h, err)
	}
	return nil
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

// tuning is the search over the runs of candidate, at the price of TuningEvent.
func (t TuneThenTrain[H, O]) tuning(candidate Candidate[H, O]) Search[H, O] {
	s := t.Search
	s.Candidate = priced[H, O]{event: t.TuningEvent, truncation: t.TuningTruncationDelta, runs: candidate}
	s.TruncationDelta = t.TuningTruncationDelta
	return s
}

// priced is a candidate whose runs must be those that were priced.
type priced[H, O any] struct {
	event      func(h H) (accounting.Event, error)
	truncation float64
	runs       Candidate[H, O]
}

func (p priced[H, O]) Event(h H) (accounting.Event, error) { return p.event(h) }

func (p priced[H, O]) RunAll(ctx context.Context, hs []H, roots []streams.Root) ([]Outcome[O], error) {
	for _, h := range hs {
		if err := p.check(h); err != nil {
			return nil, err
		}
	}
	return p.runs.RunAll(ctx, hs, roots)
}

// check returns an error unless a run with h is the priced one.
func (p priced[H, O]) check(h H) error {
	want, err := p.event(h)
	if err != nil {
		return err
	}
	got, err := p.runs.Event(h)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("dptune: TuneThenTrain.On: hyper-parameters %v run %v: must be the priced %v", h, got, want)
	}
	truncation, err := truncationOf(p.runs, h)
	if err == nil && truncation > p.truncation {
		err = fmt.Errorf("dptune: TuneThenTrain.On: truncation δ of %v: %g: must be at most the priced %g", h, truncation, p.truncation)
	}
	return err
}
