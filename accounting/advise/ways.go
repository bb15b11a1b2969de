package advise

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
)

// Way is one way to tune and train.
type Way struct {
	Name string  // short: "sample+rest" is a tuning on a sample and a training on the rest of the data
	Law  law.Law // of the number of runs; nil if scores of parts are compared

	// Event is the event of tuning and training together, at one noise multiplier for every
	// training.
	Event func(noiseMultiplier float64) accounting.Event `json:"-"`

	NoiseMultiplier float64 // least σ at which the whole costs at most Question.Epsilon, to a relative 1e-4
	Epsilon         float64 // of the whole at σ, by the least known bound
	Checked         bool    // whether Epsilon has a certificate
	Published       float64 // of the whole at σ, by the least published bound; +Inf if none applies
	Theorem         string  // of the least known bound

	Share float64 // share of the data that the released model is trained on
	Noise float64 // of a mean gradient in its training: σ/(γ N Share), in clip norms, per coordinate

	Quantile  float64 // expected rank of the winner among all possible runs; NaN if unknown
	ScoreLoss float64 // bound on best score - winner's score, with chance 0.9; NaN if unknown

	// Cost is the mean number of gradients, and Cost99 the largest in 99 of 100 tunings. The unit
	// is one training on all data.
	Cost, Cost99 float64
}

// The chances that a stated loss or cost is not exceeded.
const (
	likelyLoss = 0.9
	likelyCost = 0.99
)

// ways returns all ways, without noise and prices.
func (q Question) ways() ([]Way, error) {
	list := []Way{q.bestOf("one run, drawn", law.Fixed{Count: 1})}
	for _, f := range families {
		l, err := f.reaching(q.Quantile, q.MeanCost)
		if err != nil {
			return nil, fmt.Errorf("advise: %w", err)
		}
		list = append(list, q.bestOf("best of K, "+f.name, l))
	}
	count := int(math.Ceil(q.Quantile/(1-q.Quantile) - 1e-9)) // K/(K+1) >= Quantile
	count = max(1, min(count, int(q.MeanCost), q.Candidates))
	list = append(list, q.bestOf("best of K, fixed", law.Fixed{Count: count}))
	for _, variant := range []subsample.Variant{subsample.RestOfData, subsample.AllData} {
		for _, f := range families {
			way, err := q.sampled(f, variant)
			if err != nil {
				return nil, fmt.Errorf("advise: %w", err)
			}
			list = append(list, way)
		}
	}
	tests, err := q.thresholds()
	return append(list, q.exponential(), tests), err
}

// bestOf returns a search on all data that releases its best run.
func (q Question) bestOf(name string, runs law.Law) Way {
	k := runs.Distribution()
	return Way{
		Name: name, Law: runs, Share: 1, Quantile: k.ExpectedQuantile(), ScoreLoss: math.NaN(), Cost: k.Mean(), Cost99: atMost(k, likelyCost),
		Event: func(sigma float64) accounting.Event {
			if runs == (law.Fixed{Count: 1}) {
				return q.run(sigma)
			}
			return selection.BestOf{Law: runs, Base: q.run(sigma)}
		},
	}
}

// sampled returns a search on a sample, followed by one training. A run on the sample costs q times
// that of one on all data.
//
// Reference: Koskela and Kulkarni (NeurIPS 2023), Section 3.
func (q Question) sampled(f family, variant subsample.Variant) (Way, error) {
	name, last := "sample+rest, "+f.name, 1-q.TuningRate
	if variant == subsample.AllData {
		name, last = "sample+all, "+f.name, 1.0
	}
	runs, err := f.reaching(q.Quantile, (q.MeanCost-last)/q.TuningRate)
	if err != nil {
		return Way{}, err
	}
	k := runs.Distribution()
	return Way{
		Name: name, Law: runs, Share: last, Quantile: k.ExpectedQuantile(), ScoreLoss: math.NaN(),
		Cost: q.TuningRate*k.Mean() + last, Cost99: q.TuningRate*atMost(k, likelyCost) + last,
		Event: func(sigma float64) accounting.Event {
			return subsample.Event{TuningRate: q.TuningRate, Tuning: selection.BestOf{Law: runs, Base: q.run(sigma)}, Training: q.run(sigma), Variant: variant}
		},
	}, nil
}

// exponential returns one choice by the exponential mechanism, followed by one training. The scores
// of all candidates are means over parts of the data. With m candidates and scores of sensitivity
// 1/k, the winner's score is below the best one by more than
//
//	2/(k ε_s) ln(m/(1-p))
//
// with chance at most 1-p.
//
// Reference: Dwork and Roth (2014), Theorem 3.10 and Corollary 3.12.
func (q Question) exponential() Way {
	epsilon := q.ScoreShare * q.Epsilon
	cost := float64(q.Candidates) + 1
	return Way{
		Name: "exponential on parts", Share: 1, Quantile: math.NaN(), Cost: cost, Cost99: cost,
		ScoreLoss: 2 / (float64(q.Parts) * epsilon) * numeric.Log(float64(q.Candidates)/(1-likelyLoss)),
		Event: func(sigma float64) accounting.Event {
			return accounting.Composed{Events: []accounting.Event{accounting.ExponentialMechanism{Epsilon: epsilon}, q.run(sigma)}}
		},
	}
}

// maxTests is the cap on threshold tests. It allows five positives.
const maxTests = 9

// thresholds returns a search by noisy thresholds among the same scores, followed by one training.
// Every candidate is scored at most once.
//
// Reference: Ding, Wu, Xu and Pan (2023), with a public cap; see threshold.Event.
func (q Question) thresholds() (Way, error) {
	tests, err := threshold.Calibrate(accounting.Target{Epsilon: q.ScoreShare * q.Epsilon, Delta: q.Delta}, 1/float64(q.Parts), maxTests, threshold.Once, threshold.Laplace)
	cost := float64(q.Candidates) + 1
	return Way{
		Name: "thresholds on parts", Share: 1, Quantile: math.NaN(), ScoreLoss: math.NaN(), Cost: cost, Cost99: cost,
		Event: func(sigma float64) accounting.Event {
			return accounting.Composed{Events: []accounting.Event{tests, q.run(sigma)}}
		},
	}, err
}
