package dptune

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/streams"
)

func exponential(candidates ...float64) ExponentialSearch[float64, float64] {
	return ExponentialSearch[float64, float64]{
		Candidates: candidates, Scores: constantScores().Scores, Epsilon: 1, Delta: 1e-5, Unit: "one number",
	}
}

// Candidate h wins with chance exp(ε h/(2Δ)) / Σ. n = 8000: Hoeffding's bound misses one of three
// by more than 0.0321 with chance at most 1e-6 in all. On neighboring scores no chance moves by
// more than e^ε.
func TestExponentialSearchHasTheLawThatIsPriced(t *testing.T) {
	n, off := 8000, 0.0321 // which scales as 1/√n
	if testing.Short() {
		n, off = 2000, 0.0642
	}
	s := exponential(0.2, 0.5, 0.6)
	chances := func(scores []float64) (p []float64) {
		sum := 0.0
		for _, score := range scores {
			p = append(p, math.Exp(s.Epsilon*score/(2*s.Scores.Sensitivity())))
			sum += p[len(p)-1]
		}
		for i := range p {
			p[i] /= sum
		}
		return p
	}
	want := chances(s.Candidates)
	got := make([]float64, 3)
	for i := range n {
		winner, err := s.choose(t.Context(), streams.Fixed("exponential "+strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		got[winner] += 1 / float64(n)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > off {
			t.Errorf("candidate %d wins with frequency %.4f, want %.4f", i, got[i], want[i])
		}
	}
	d := s.Scores.Sensitivity()
	moved := chances([]float64{0.2 + d, 0.5 - d, 0.6 - d})
	if ratio := math.Log(moved[0] / want[0]); ratio > s.Epsilon || ratio < 0.5*s.Epsilon {
		t.Errorf("log ratio %g on neighbors: want from half of ε = %g to all", ratio, s.Epsilon)
	}
}

func TestExponentialSearchStatement(t *testing.T) {
	s := exponential(0.2, 0.9)
	s.Training = accounting.Gaussian{NoiseMultiplier: 2}
	s.Train = func(_ context.Context, h float64, _ streams.Root) (float64, error) { return 2 * h, nil }
	out, err := s.Run(t.Context(), streams.Fixed("statement"))
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Statement.Guarantee.Epsilon.Upper; worstChoice(1, 0.5, got) > s.Delta || worstChoice(1, 0.5, got-0.003) < s.Delta {
		t.Errorf("ε %g: the worst choice and a Gaussian leak δ = %g there and %g at 0.003 less, want %g between", got, worstChoice(1, 0.5, got), worstChoice(1, 0.5, got-0.003), s.Delta)
	}
	if out.Output != 2*out.Hyperparameters || !out.Seeded {
		t.Errorf("released %+v", out)
	}
	again, err := s.Run(t.Context(), streams.Fixed("statement"))
	if err != nil || !reflect.DeepEqual(out, again) {
		t.Errorf("two searches with one root differ: %+v, %+v, %v", out, again, err)
	}
	alone, err := exponential(0.2).Statement()
	if err != nil || alone.Guarantee.Epsilon.Upper > 1 {
		t.Errorf("the choice alone: %v, %v: want at most 1", alone.Guarantee, err)
	}
}

// worstChoice is the largest δ at ε of a choice among two candidates, then a Gaussian of parameter
// µ, by the definition. The log odds of the choice move by e, so the losses of its outputs are t
// and t-e, for t in a list.
func worstChoice(e, mu, epsilon float64) float64 {
	gaussian := func(at float64) float64 { // Balle and Wang (2018), Theorem 8, at any real ε
		phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		return phi(mu/2-at/mu) - math.Exp(at)*phi(-mu/2-at/mu)
	}
	worst := 0.0
	for t := 0.001; t < e; t += 0.001 {
		a := math.Expm1(t-e) / math.Expm1(-e)
		worst = math.Max(worst, a*gaussian(epsilon-t)+(1-a)*gaussian(epsilon-t+e))
	}
	return worst
}

func TestExponentialSearchErrors(t *testing.T) {
	broken := errors.New("broken")
	s := exponential(0.2, 0.3)
	s.Scores.Score = func(context.Context, []int, float64, streams.Root) (float64, error) { return 0, broken }
	if out, err := s.Run(t.Context(), streams.Fixed("broken")); !errors.Is(err, broken) || out.Hyperparameters != 0 {
		t.Errorf("a broken score: got %+v, %v", out, err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := exponential(0.2).Run(canceled, streams.Fixed("canceled")); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: got %v", err)
	}
	if _, err := exponential(0.2).Run(t.Context(), streams.Root{}); !errors.Is(err, streams.ErrNoRoot) {
		t.Errorf("no root: got %v", err)
	}
	for name, change := range map[string]func(*ExponentialSearch[float64, float64]){
		"Candidates": func(s *ExponentialSearch[float64, float64]) { s.Candidates = nil },
		"Scores":     func(s *ExponentialSearch[float64, float64]) { s.Scores.Parts = 0 },
		"Epsilon":    func(s *ExponentialSearch[float64, float64]) { s.Epsilon = math.Inf(1) },
		"Training":   func(s *ExponentialSearch[float64, float64]) { s.Training = accounting.Gaussian{NoiseMultiplier: 1} },
		"Delta":      func(s *ExponentialSearch[float64, float64]) { s.Delta = 1 },
		"Unit":       func(s *ExponentialSearch[float64, float64]) { s.Unit = "" },
	} {
		s := exponential(0.2)
		change(&s)
		if _, err := s.Run(t.Context(), streams.Fixed("bad")); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
