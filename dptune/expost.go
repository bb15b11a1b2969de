package dptune

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection/expost"
)

// ExPostPrice is the cost of a search that releases a run with these hyper-parameters. It may be
// far below the price of the search, which is that of its dearest candidate.
type ExPostPrice[H any] struct {
	Hyperparameters H
	Epsilon         float64 // in nats
}

// ExPostPrices returns the ex-post prices of a search whose Prior has a Support, before anything
// runs. A part of δ is set aside for truncated noise. For neighboring data sets and each set S of
// releases they bound
//
//	P[S] <= P'[S, no run] + Σ_h e^(ε_h) P'[S, h released] + Delta,
//
// A record in a release with h therefore lost at most ε_h, up to Delta. No run (K = 0) loses
// nothing. A [Grid] draws its values with equal chances; of another prior the chances are not used.
//
// Reference: package expost.
func (s Search[H, O]) ExPostPrices() ([]ExPostPrice[H], error) {
	t, err := s.terms()
	if err != nil {
		return nil, err
	}
	left, err := t.deltaLeft(t.truncation)
	if err != nil {
		return nil, err
	}
	support := s.Prior.Support()
	if support == nil {
		return nil, errors.New("dptune: Search.Prior has no Support: must list its values for ex-post prices")
	}
	weight := 0.0
	if _, even := s.Prior.(Grid[H]); even {
		weight = 1 / float64(len(support))
	}
	tuning := expost.Event{Law: s.Law}
	for _, h := range support {
		event, err := eventOfRun(s.Candidate, h)
		if err != nil {
			return nil, err
		}
		tuning.Candidates = append(tuning.Candidates, expost.Candidate{Event: event, Weight: weight})
	}
	prices, err := expost.PriceAt(tuning, left, auto.NewAccountant(s.Accountants...))
	if err != nil {
		return nil, fmt.Errorf("dptune: %w", err)
	}
	out := make([]ExPostPrice[H], len(support))
	for i, h := range support {
		out[i] = ExPostPrice[H]{h, prices[i].Epsilon}
	}
	return out, nil
}
