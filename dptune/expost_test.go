package dptune

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/expost"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/dptune/streams"
)

// noiseCandidate has the hyper-parameter as its noise multiplier.
type noiseCandidate struct{}

func (noiseCandidate) Event(sigma float64) (accounting.Event, error) {
	return accounting.Gaussian{NoiseMultiplier: sigma}, nil
}

func (noiseCandidate) RunAll(_ context.Context, hs []float64, roots []streams.Root) ([]Outcome[float64], error) {
	out := make([]Outcome[float64], len(hs))
	for i, h := range hs {
		x := h * roots[i].Rand("x").NormFloat64()
		out[i] = Outcome[float64]{Output: x, Score: x}
	}
	return out, nil
}

// Ex-post prices of a search are those of package expost at the δ and the chances of the search;
// the weak candidate costs less than the search.
func TestExPost(t *testing.T) {
	s := search(t)
	s.Candidate, s.Prior = noiseCandidate{}, Grid[float64]{1, 4}
	got, err := s.ExPostPrices()
	if err != nil {
		t.Fatal(err)
	}
	price, err := s.Price()
	if err != nil {
		t.Fatal(err)
	}
	want, err := expost.PriceAt(expost.Event{Law: s.Law, Candidates: []expost.Candidate{
		{Event: accounting.Gaussian{NoiseMultiplier: 1}, Weight: 0.5}, {Event: accounting.Gaussian{NoiseMultiplier: 4}, Weight: 0.5}}}, s.Delta)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range []float64{1, 4} {
		if got[i].Hyperparameters != h || got[i].Epsilon != want[i].Epsilon {
			t.Errorf("σ = %g: %+v, want ε = %g", h, got[i], want[i].Epsilon)
		}
	}
	if whole := price.Guarantee.Epsilon.Upper; got[1].Epsilon > whole-2 || got[0].Epsilon > whole {
		t.Errorf("released strong %g, weak %g, where the search costs %g", got[0].Epsilon, got[1].Epsilon, whole)
	}
	s.TruncationDelta = s.Delta / 100
	with, err := s.ExPostPrices()
	if err != nil || with[0].Epsilon <= got[0].Epsilon {
		t.Errorf("with a part of δ set aside: %v, %v, without %v", with, err, got)
	}
	s.Prior, s.Base = Sampler[float64](func(*rand.Rand) float64 { return 1 }), accounting.Gaussian{NoiseMultiplier: 1}
	if _, err := s.ExPostPrices(); err == nil || !strings.Contains(err.Error(), "Prior") {
		t.Errorf("a prior without a list: %v", err)
	}
}

// A candidate may itself be a search, as for the price. With geometric laws of means 4 and 2 it is
// the best of 8 runs on average, by a geometric law again. No price is below the exact one of that,
// for a score that grows with the output.
func TestExPostOfSearches(t *testing.T) {
	s := search(t)
	s.Law, s.Prior = law.TNB{Eta: 1, Gamma: 1. / 4}, Grid[float64]{1}
	s.Candidate = CandidateFunc[float64, float64](selection.BestOf{Law: law.TNB{Eta: 1, Gamma: 1. / 2}, Base: accounting.Gaussian{NoiseMultiplier: 2}}, nil)
	exact, err := monotone.Gaussian{Law: law.TNB{Eta: 1, Gamma: 1. / 8}, Mu: 0.5}.EpsilonAt(s.Delta)
	if err != nil {
		t.Fatal(err)
	}
	for _, named := range [][]accounting.Accountant{nil, {rdp.NewAccountant()}} {
		s.Accountants = named
		got, err := s.ExPostPrices()
		if err != nil {
			t.Fatal(err)
		}
		price, err := s.Price()
		if err != nil {
			t.Fatal(err)
		}
		if e := got[0].Epsilon; e < exact.Lower || e > 1.1*price.Guarantee.Epsilon.Upper {
			t.Errorf("accountants %v: ε %g, want at least the exact %v, and about the price %v", named, e, exact, price.Guarantee)
		}
	}
}
