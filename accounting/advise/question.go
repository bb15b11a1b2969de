package advise

import (
	"cmp"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// Question has the public facts before a tuning. A zero among the last five fields means the
// default. For Seconds it means unknown.
//
// With Epochs above 0 a training of Steps steps has that many epochs. In each epoch a record is in
// at most one batch, by a rule that reads no data. A missing record leaves its place empty, and no
// other record moves. A training is then Epochs Gaussian releases. This does not hold if a loader
// shuffles the data, as a missing record then moves others.
type Question struct {
	Epsilon, Delta float64 // of tuning and training together; in nats, > 0, and in (0, 1)
	Examples       int     // N >= 1
	SamplingRate   float64 // γ of each training, in (0, 1]
	Steps          int     // T of each training, >= 1
	Epochs         int     `json:",omitempty"` // of disjoint batches, see above; 0: every record joins every step by its own coin
	Candidates     int     // points of the grid, >= 2
	MeanCost       float64 // largest mean cost, in gradients of one training on all data; > 1

	Quantile   float64 // wanted expected quantile, in (0.5, 1); 0 is 0.9
	TuningRate float64 // q of a tuning on a sample, in (0, 1); 0 is 0.1
	Parts      int     // k >= 2 parts of the data for scores; 0 is 10
	ScoreShare float64 // share of ε for a choice by noisy scores, in (0, 1); 0 is 0.5
	Seconds    float64 // time of one training on all data; 0 if unknown
}

// DefaultQuantile is the wanted quantile of a Question without one.
const DefaultQuantile = 0.9

// The other defaults.
const (
	defaultTuningRate = 0.1
	defaultParts      = 10
	defaultScoreShare = 0.5
)

// mostCost bounds the laws' means, and so the length of the sums over their tails.
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
	f.That(q.MeanCost > 1 && q.MeanCost <= mostCost, "MeanCost", q.MeanCost, fmt.Sprintf("must be > 1 and at most %g, as the last training counts", float64(mostCost)))
	f.That(q.Quantile == 0 || q.Quantile > 0.5 && q.Quantile < 1, "Quantile", q.Quantile, "must be in (0.5, 1), as one run has 0.5, or 0 for 0.9")
	f.That(q.TuningRate == 0 || check.OpenUnit.Holds(q.TuningRate), "TuningRate", q.TuningRate, "must be in (0, 1), or 0 for 0.1")
	f.That(q.Parts == 0 || q.Parts >= 2, "Parts", q.Parts, "must be >= 2, or 0 for 10")
	f.That(q.ScoreShare == 0 || check.OpenUnit.Holds(q.ScoreShare), "ScoreShare", q.ScoreShare, "must be in (0, 1), or 0 for 0.5")
	f.Number("Seconds", q.Seconds, check.NotNegative)
	return f.Err()
}

// given returns the question with its defaults.
func (q Question) given() Question {
	q.Quantile = cmp.Or(q.Quantile, DefaultQuantile)
	q.TuningRate = cmp.Or(q.TuningRate, defaultTuningRate)
	q.Parts = cmp.Or(q.Parts, defaultParts)
	q.ScoreShare = cmp.Or(q.ScoreShare, defaultScoreShare)
	return q
}

// run is one training at a noise multiplier.
func (q Question) run(sigma float64) accounting.Event {
	if q.Epochs > 0 {
		return accounting.SelfComposed{Count: q.Epochs, Event: accounting.Gaussian{NoiseMultiplier: sigma}}
	}
	return accounting.SelfComposed{Count: q.Steps, Event: accounting.PoissonSampled{SamplingRate: q.SamplingRate, Event: accounting.Gaussian{NoiseMultiplier: sigma}}}
}

// warnings returns doubts that do not stop the search.
func (q Question) warnings() (list []error) {
	if q.Delta*float64(q.Examples) >= 1 {
		return append(list, fmt.Errorf("advise: δ = %g is not below 1/%d, one over the number of examples: even publishing a random example would meet it", q.Delta, q.Examples))
	}
	if large := accounting.WarnOfDelta(q.Delta); large != nil {
		list = append(list, large)
	}
	return list
}
