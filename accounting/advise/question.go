package advise

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// Question is what is public before a tuning. A zero among the last five fields stands for the
// default.
//
// With Epochs above 0 a training of Steps steps is so many epochs, in each of which a record is in
// one batch at most, by a rule that looks at no data. A missing record leaves its place empty, and
// no other one moves. A training is then Epochs Gaussian releases. Data that a loader shuffles are
// another matter: a missing record moves others.
type Question struct {
	Epsilon, Delta float64 // of all that is done to the data; in nats, > 0, and in (0, 1)
	Examples       int     // N >= 1
	SamplingRate   float64 // γ of each training, in (0, 1]
	Steps          int     // T of each training, >= 1
	Epochs         int     `json:",omitempty"` // of disjoint batches, see below; 0 if every record joins every step by its own coin
	Candidates     int     // points of the grid, >= 2
	MeanCost       float64 // gradients that may be computed on average, in those of one training on all data; > 1

	Quantile   float64 // expected quantile that is wanted, in (0.5, 1); 0 is 0.9
	TuningRate float64 // q of a tuning on a sample, in (0, 1); 0 is 0.1
	Parts      int     // k >= 2 parts of the data for scores; 0 is 10
	ScoreShare float64 // share of ε that a choice by noisy scores has, in (0, 1); 0 is 0.5
	Seconds    float64 // that one training on all data takes; 0 if it is not known
}

// DefaultQuantile is that of a Question without one.
const DefaultQuantile = 0.9

// The other defaults.
const (
	defaultTuningRate = 0.1
	defaultParts      = 10
	defaultScoreShare = 0.5
)

// mostCost bounds the laws' means, and with them how long their tails are summed.
const mostCost = 1e4

// mostCandidates is far beyond any grid.
const mostCandidates = 1e6

// Validate returns every fault, joined.
func (q Question) Validate() error {
	f := check.In("advise: Question.")
	f.Number("Epsilon", q.Epsilon, check.Positive)
	f.Number("Delta", q.Delta, check.OpenUnit)
	f.Count("Examples", q.Examples, 1)
	f.Number("SamplingRate", q.SamplingRate, check.Rate)
	f.Count("Steps", q.Steps, 1)
	f.That(q.Epochs >= 0 && q.Epochs <= q.Steps, "Epochs", q.Epochs, "must be 0, or 1 to Steps")
	f.That(q.Candidates >= 2 && q.Candidates <= mostCandidates, "Candidates", q.Candidates, fmt.Sprintf("must be 2 to %g", float64(mostCandidates)))
	f.That(q.MeanCost > 1 && q.MeanCost <= mostCost, "MeanCost", q.MeanCost, fmt.Sprintf("must be > 1 and at most %g: the last training counts", float64(mostCost)))
	f.That(q.Quantile == 0 || q.Quantile > 0.5 && q.Quantile < 1, "Quantile", q.Quantile, "must be in (0.5, 1), or 0 for 0.9: one run has 0.5")
	f.That(q.TuningRate == 0 || check.OpenUnit.Holds(q.TuningRate), "TuningRate", q.TuningRate, "must be in (0, 1), or 0 for 0.1")
	f.That(q.Parts == 0 || q.Parts >= 2, "Parts", q.Parts, "must be >= 2, or 0 for 10")
	f.That(q.ScoreShare == 0 || check.OpenUnit.Holds(q.ScoreShare), "ScoreShare", q.ScoreShare, "must be in (0, 1), or 0 for 0.5")
	f.Number("Seconds", q.Seconds, check.NotNegative)
	return f.Err()
}

// given returns the question with its defaults.
func (q Question) given() Question {
	if q.Quantile == 0 {
		q.Quantile = DefaultQuantile
	}
	if q.TuningRate == 0 {
		q.TuningRate = defaultTuningRate
	}
	if q.Parts == 0 {
		q.Parts = defaultParts
	}
	if q.ScoreShare == 0 {
		q.ScoreShare = defaultScoreShare
	}
	return q
}

// run is one training at a noise multiplier.
func (q Question) run(sigma float64) accounting.Event {
	if q.Epochs > 0 {
		return accounting.SelfComposed{Count: q.Epochs, Event: accounting.Gaussian{NoiseMultiplier: sigma}}
	}
	return accounting.SelfComposed{Count: q.Steps, Event: accounting.PoissonSampled{SamplingRate: q.SamplingRate, Event: accounting.Gaussian{NoiseMultiplier: sigma}}}
}

// warnings are doubts that do not stop the work.
func (q Question) warnings() (list []error) {
	if q.Delta*float64(q.Examples) >= 1 {
		list = append(list, fmt.Errorf("advise: δ = %g is not below 1/%d, one over the number of examples: publishing a random example would meet it", q.Delta, q.Examples))
	}
	return list
}
