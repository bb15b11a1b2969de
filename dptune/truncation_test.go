package dptune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune/streams"
)

// ending is a candidate whose hyper-parameter is its truncation δ.
type ending struct{ Candidate[float64, float64] }

func (ending) TruncationDelta(h float64) (float64, error) { return h, nil }

func tailed(tails ...float64) Search[float64, float64] {
	return Search[float64, float64]{
		Law: law.Poisson{MeanRepeats: 3}, Prior: Grid[float64](tails), Candidate: ending{normalCandidate(gaussian)},
		Delta: 1e-5, Unit: "one number",
	}
}

// Brute force: only the score of a run is released. It is a normal number truncated at ±end,
// shifted by 1 for one of two neighbors. The best of K has density f'(F(y)) p(y) with f the
// generating function of K, so δ at the stated ε is an integral. It must not exceed the stated δ.
// In some cases it does at the ε of exact normals. The flag is that of accounting.WithDeltaReserve.
func TestStatementCoversBestOfNormalsThatEnd(t *testing.T) {
	normal := distuv.UnitNormal
	needed := 0
	for i, law := range []law.Law{law.Fixed{Count: 1}, law.Fixed{Count: 3}, law.Poisson{MeanRepeats: 4}, geometric(t), law.Truncated{Law: geometric(t), Max: 12}, law.TwoPoint{Runs: 5, Single: 0.5}} {
		if testing.Short() && i%2 > 0 {
			continue
		}
		runs := law.Distribution()
		ends := []float64{3, 3.5, 4.5}
		if testing.Short() {
			ends = ends[:1]
		}
		for _, end := range ends {
			inside := 1 - 2*normal.CDF(-end)
			density := func(x float64) float64 { // of the best
				if math.Abs(x) > end {
					return 0
				}
				rank := (normal.CDF(x) - normal.CDF(-end)) / inside
				return math.Exp(runs.LogPGFDerivative(min(1, rank))) * normal.Prob(x) / inside
			}
			flag := 2*normal.CDF(-end) + normal.CDF(-(end - 1))
			s := tailed(flag)
			s.Law, s.Accountants = law, []accounting.Accountant{gdp.NewAccountant()}
			for _, delta := range []float64{1.0001 * runs.SuccessProbability(flag) * (1 + 1e-9), 1.1 * runs.SuccessProbability(flag), 2 * runs.SuccessProbability(flag)} {
				if delta >= 1 {
					continue
				}
				s.Delta = delta
				price, err := s.Price()
				if err != nil {
					t.Fatal(err)
				}
				terms, err := s.terms()
				if err != nil {
					t.Fatal(err)
				}
				exact, err := terms.price(0)
				if err != nil {
					t.Fatal(err)
				}
				for sign := -1.0; sign <= 1; sign += 2 {
					for i, epsilon := range []float64{price.Guarantee.Epsilon.Upper, exact.Guarantee.Epsilon.Upper} {
						const cells = 8000
						truth, width := 0.0, (2*end+2)/cells
						for c := range cells {
							x := -end - 1 + (float64(c)+0.5)*width
							truth += width * max(0, density(x)-math.Exp(epsilon)*density(x+sign))
						}
						tolerance := 1e-3*truth + 2*width*(density(end)+density(-end))
						if i == 0 && truth > delta+tolerance {
							t.Errorf("%v, noise ends at %g, shift %g: δ at the stated ε %g is %g, above the stated %g", law, end, sign, epsilon, truth, delta)
						}
						if i == 1 && truth > delta+tolerance {
							needed++
						}
					}
				}
			}
		}
	}
	if needed == 0 {
		t.Error("no case in which exact normals would claim too little: the test says nothing")
	}
}

// A search is priced at what is left of δ: here all of it is computed again by hand.
func TestSearchSetsTheTailsAside(t *testing.T) {
	for _, c := range []struct {
		tails []float64
		want  float64 // of all runs: 1 - E[(1-p)^K] = 1 - e^(-3p) for the largest p
	}{
		{[]float64{0, 0}, 0}, {[]float64{1e-9, 0, 4e-9}, 1.2e-8}, {[]float64{3e-6}, 9e-6}, {[]float64{1e-13}, 3e-13},
	} {
		s := tailed(c.tails...)
		s.Default = 7
		price, err := s.Price()
		if err != nil {
			t.Fatal(err)
		}
		left := 1e-5 - c.want
		want, err := selection.EventAt(selection.BestOf{Law: s.Law, Base: gaussian}, left)
		if err != nil {
			t.Fatal(err)
		}
		if got := price.Guarantee; math.Abs(got.Epsilon.Upper-want.Guarantee.Epsilon.Upper) > 1e-5*want.Guarantee.Epsilon.Upper || got.Delta != 1e-5 || price.OneRun.Delta != 1e-5 {
			t.Errorf("tails %g: %v, want %v at what is left of δ", c.tails, got, want.Guarantee)
		}
		release, err := s.Run(t.Context(), streams.Fixed("tails"))
		if err != nil {
			t.Fatal(err)
		}
		if included := release.Statement.Included; (len(included) > 0) != (c.want > 0) {
			t.Errorf("truncation δ %g: the statement includes %q", c.tails, included)
		}
	}
}

// What takes all of δ, or is above what was priced, is refused before a run, by its field.
func TestTruncationDeltaFaults(t *testing.T) {
	type search = Search[float64, float64]
	sampled := func(s *search) {
		s.Prior, s.Base = Sampler[float64](func(*rand.Rand) float64 { return 1e-9 }), gaussian
	}
	for _, c := range []struct {
		change func(s *search)
		want   string
	}{
		{func(s *search) { s.Prior = Grid[float64]{0.5} }, "dptune: Search.Delta 1e-05: must be above 0.91, which truncated noise takes"},
		{func(s *search) { s.TruncationDelta = -1 }, "dptune: Search.TruncationDelta -1: must be in [0, 1]"},
		{func(s *search) { s.TruncationDelta = math.NaN() }, "dptune: Search.TruncationDelta NaN: must be in [0, 1]"},
		{func(s *search) { s.Prior = Grid[float64]{2} }, "dptune: truncation δ of hyper-parameters 2: 2: must be in [0, 1]"},
		{sampled, "dptune: truncation δ of hyper-parameters 1e-09: 1e-09: must be at most the priced 0"},
		{func(s *search) { sampled(s); s.TruncationDelta = 1e-9 }, ""},
	} {
		s := tailed(0)
		s.Law = geometric(t)
		c.change(&s)
		_, err := s.Run(t.Context(), streams.Fixed("faults"))
		if got := fmt.Sprint(err); !strings.Contains(got, c.want) || (err == nil) != (c.want == "") {
			t.Errorf("error %v, want %q", err, c.want)
		}
		if event, err := (FirstAbove[float64, float64]{Search: s}).Event(); (event == nil) != (err != nil) {
			t.Errorf("event %v next to error %v", event, err)
		}
	}
}

// Each law's chance that any of K runs fails is at most E[K] p, and near it for small p.
func TestAnyTruncationIsNearTheMeanOfRuns(t *testing.T) {
	truncated, err := law.TNBFromMean(0.5, 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, law := range []law.Law{
		law.Fixed{Count: 5}, law.Poisson{MeanRepeats: 2.5}, law.Binomial{Trials: 9, P: 0.3}, geometric(t), truncated,
	} {
		for _, p := range []float64{1e-18, 1e-13, 1e-9, 1e-6} {
			want := law.Distribution().Mean() * p
			if got := anyTruncation(law, p); got > want*(1+1e-8) || got < want*(1-1e-3) {
				t.Errorf("%v: chance of any of K at %g is %g, want about %g", law, p, got, want)
			}
		}
	}
}

// Searches that train once set that training's tail aside: at δ 1e-5 and a tail of 4e-6, ε is
// that of δ 6e-6 without one.
func TestLastTrainingSetsItsTailAside(t *testing.T) {
	train := func(context.Context, float64, streams.Root) (float64, error) { return 0, nil }
	statement := map[string]func(delta, tail float64) (accounting.Statement, error){
		"ThresholdSearch": func(delta, tail float64) (accounting.Statement, error) {
			s := constantScores(0.5)
			s.Training, s.Train, s.Delta, s.TrainingTruncationDelta = gaussian, train, delta, tail
			return s.Statement()
		},
		"ExponentialSearch": func(delta, tail float64) (accounting.Statement, error) {
			s := exponential(0.5)
			s.Training, s.Train, s.Delta, s.TrainingTruncationDelta = gaussian, train, delta, tail
			return s.Statement()
		},
	}
	for name, at := range statement {
		with, err := at(1e-5, 4e-6)
		if err != nil {
			t.Fatal(err)
		}
		want, err := at(6e-6, 0)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := with.Guarantee.Epsilon.Upper, want.Guarantee.Epsilon.Upper; math.Abs(a/b-1) > 1e-6 || with.Guarantee.Delta != 1e-5 {
			t.Errorf("%s: %v, want ε %g", name, with.Guarantee, b)
		}
		if len(with.Included) != 1 || want.Included != nil {
			t.Errorf("%s: includes %q, and without truncation %q", name, with.Included, want.Included)
		}
		if _, err := at(1e-5, 1e-5); err == nil || !strings.Contains(err.Error(), "dptune: "+name+".Delta 1e-05: must be above 1e-05") {
			t.Errorf("%s: nothing left of δ: error %v", name, err)
		}
		if _, err := at(1e-5, 1); err == nil || !strings.Contains(err.Error(), "dptune: "+name+".Delta 1e-05: must be above 1, ") {
			t.Errorf("%s: tail 1: error %v", name, err)
		}
	}
}
