package dptune

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting/selection/expost"
)

// ExPost is what a search costs if it releases a run with these hyper-parameters. It may be far below the price of the search, which is that of
// the dearest candidate.
type ExPost[H any] struct {
	Hyperparameters H
	Epsilon         float64 // in nats
}

// ExPost returns the ex-post prices of a search whose Prior has a Support, before anything runs, with the [NoiseTruncated] of all runs set aside. For
// neighboring data sets and each set S of releases they say
//
//	P[S] <= P'[S, no run] + Σ_h e^(ε_h) P'[S, h released] + Delta,
//
// so that who is released with h lost at most ε_h, but for Delta. No run (K = 0) loses nothing. The values of a [Grid] are known to be drawn with
// equal chances; of another prior the chances are not used.
//
// Reference: package expost.
func (s Search[H, O]) ExPost() ([]ExPost[H], error) {
	tail, err := s.noiseTail()
	if err != nil {
		return nil, err
	}
	left, err := deltaLeft("Search", s.Delta, tail)
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
	tuning := expost.Tuning{Law: s.Law}
	for _, h := range support {
		event, err := s.eventOf(h)
		if err != nil {
			return nil, err
		}
		tuning.Candidates = append(tuning.Candidates, expost.Candidate{Event: event, Weight: weight})
	}
	prices, err := expost.PriceAt(tuning, left, s.Accountants...)
	if err != nil {
		return nil, fmt.Errorf("dptune: %w", err)
	}
	out := make([]ExPost[H], len(support))
	for i, h := range support {
		out[i] = ExPost[H]{h, prices[i].Epsilon}
	}
	return out, nil
}
