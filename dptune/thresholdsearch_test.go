package dptune

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune/streams"
)

// constantScores is a search whose candidates are their own scores.
func constantScores(candidates ...float64) ThresholdSearch[float64, float64] {
	return ThresholdSearch[float64, float64]{
		Proposer: Grid[float64](candidates),
		Scores: PartScores[float64]{Records: 40, Parts: 10, Score: func(_ context.Context, _ []int, h float64, _ streams.Root) (float64, error) {
			return h, nil
		}},
		Granularity: 0.01, MaxTests: 41, ThresholdNoise: 0.2, ScoreNoise: 0.4, Refresh: threshold.Once,
		Delta: 1e-5, Unit: "one number",
	}
}

// nearlySilent is a search with next to no noise.
func nearlySilent(s ThresholdSearch[float64, float64]) ThresholdSearch[float64, float64] {
	s.ThresholdNoise, s.ScoreNoise = 1e-5, 1e-5
	return s
}

// Without noise, a best score of n granules takes 2(k+m)+1 tests: k passes of steps 1, 2,
// 4, ... up to 2^k - 1 <= n, and one pass for each of the m ones in the binary form of the
// rest; and each pass is paid back by a test without one, plus the last.
func TestThresholdSearchWithoutNoise(t *testing.T) {
	for n := 1; n <= 99; n++ {
		s := nearlySilent(constantScores(0.001, float64(n)/100+0.003, 0.002))
		out, err := s.Run(t.Context(), streams.Fixed("silent"))
		if err != nil {
			t.Fatal(err)
		}
		k := bits.Len(uint(n+1)) - 1
		m := bits.OnesCount(uint(n + 1 - 1<<k))
		if want := 2*(k+m) + 1; len(out.Details.Tests) != want || math.Abs(out.Details.Level-float64(n)/100) > 1e-9 {
			t.Errorf("n = %d: %d tests up to level %g: want %d up to %g", n, len(out.Details.Tests), out.Details.Level, want, float64(n)/100)
		}
		if out.Hyperparameters != float64(n)/100+0.003 || out.Empty {
			t.Errorf("n = %d: winner %g", n, out.Hyperparameters)
		}
	}
}

// Algorithm 1 of the paper, its lines 12 to 34, on the same draws of noise.
func TestAsPrintedIsAlgorithm1(t *testing.T) {
	candidates := []float64{0.3, 0.72, 0.5, 0.71}
	for i := range 200 {
		const parts, epsilon, g = 10, 2, 0.05
		search := constantScores(candidates...).AsPrinted(epsilon)
		search.Granularity, search.MaxTests, search.KeepAtCap = g, 401, true
		root := streams.Fixed("printed " + strconv.Itoa(i))
		out, err := unpriced(search.search)(t.Context(), root)
		if err != nil || out.Details.AtCap {
			t.Fatal(out.Details.AtCap, err)
		}
		rng := root.Rand("noise")
		lap := func(b float64) float64 { return laplace(b, rng) }
		winner, u, step, tests := -1, 0.0, 1, 0
		for step != 0 {
			tests++
			threshold, accumulated := u+float64(step)*g+lap(2./(parts*epsilon)), false
			for s, score := range candidates {
				if score+lap(4./(parts*epsilon)) >= threshold {
					winner, u, accumulated = s, u+g*float64(step), true
					step *= 2
					break
				}
			}
			if !accumulated {
				step /= 2
			}
		}
		if len(out.Details.Tests) != tests || math.Abs(out.Details.Level-u) > 1e-9 || winner < 0 != out.Empty || winner >= 0 && out.Hyperparameters != candidates[winner] {
			t.Errorf("run %d: winner %g after %d tests at level %g: Algorithm 1 has candidate %d after %d at %g", i, out.Hyperparameters, len(out.Details.Tests), out.Details.Level, winner, tests, u)
		}
	}
	for _, epsilon := range []float64{0, -1, math.NaN()} {
		if err := constantScores(0.5).AsPrinted(epsilon).Validate(); err == nil {
			t.Errorf("ε %g: no error", epsilon)
		}
	}
}

// One test of one candidate passes with the chance that a difference of two Laplace draws
// exceeds x = threshold - score:
//
//	P = (b1² e^(-x/b1) - b2² e^(-x/b2)) / (2 (b1² - b2²)),  x >= 0.
//
// n = 8000: Hoeffding's bound misses by more than 0.0302 with chance at most 1e-6.
func TestThresholdTestHasTheLawThatIsPriced(t *testing.T) {
	s := constantScores(0.25)
	s.Granularity, s.MaxTests, s.KeepAtCap = 0.5, 1, true
	b1, b2, x := s.ThresholdNoise, s.ScoreNoise, 0.25
	want := (b1*b1*math.Exp(-x/b1) - b2*b2*math.Exp(-x/b2)) / (2 * (b1*b1 - b2*b2))
	passed := 0
	const n = 8000
	for i := range n {
		out, err := unpriced(s.search)(t.Context(), streams.Fixed("law "+strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		if out.Empty == out.Details.AtCap {
			t.Fatal("with one test the search is empty or at its cap")
		}
		if out.Details.AtCap {
			passed++
		}
	}
	if got := float64(passed) / n; math.Abs(got-want) > 0.0302 {
		t.Errorf("passed with frequency %.4f, want %.4f within 0.0302", got, want)
	}
}

// The chances of all four outcomes of a search with at most three tests of one candidate, by
// quadrature over the thresholds' noises (Simpson's rule between kinks), against n = 8000 searches.
// By Hoeffding's bound one is off by more than 0.0313 with chance at most 4e-7; for 2000 by twice
// that.
func TestThresholdSearchHasTheLawThatIsPriced(t *testing.T) {
	const score, g = 0.4, 0.25
	n, allowed := 8000, 0.0313
	if testing.Short() {
		n, allowed = 2000, 0.0626
	}
	for run := range 6 {
		refresh, noise := []threshold.Refresh{threshold.EachTest, threshold.EachPositive, threshold.Once}[run%3], []threshold.Noise{threshold.Laplace, threshold.Exponential}[run/3]
		s := constantScores(score)
		s.Noise = noise
		s.Granularity, s.MaxTests, s.KeepAtCap, s.Refresh, s.ThresholdNoise, s.ScoreNoise = g, 3, true, refresh, 0.3, 0.2
		got := map[string]float64{}
		for i := range n {
			out, err := unpriced(s.search)(t.Context(), streams.Fixed("law of all tests "+strconv.Itoa(i)))
			if err != nil {
				t.Fatal(err)
			}
			answers := ""
			for _, test := range out.Details.Tests {
				answers += map[bool]string{true: "+", false: "-"}[test.Passed()]
			}
			got[answers] += 1 / float64(n)
		}
		// chance integrates over one noise the product of the answers to thresholds 1, 3 or 2 g.
		chance := func(answers string, granules ...float64) float64 {
			sum := 0.0
			const long, points = 12.0, 6000
			start, h := -long/2, long/points
			if noise == threshold.Exponential { // no mass below
				start = -s.ThresholdNoise
			}
			for i := range points + 1 {
				rho := start + h*float64(i)
				v := density(noise, rho, s.ThresholdNoise)
				for j, m := range granules {
					p := upperTail(noise, m*g+rho-score, s.ScoreNoise)
					if answers[j] == '-' {
						p = 1 - p
					}
					v *= p
				}
				weight := []float64{2.0 / 3, 4.0 / 3}[i%2]
				if i == 0 {
					weight = 1.0 / 3
				}
				sum += v * h * weight
			}
			return sum
		}
		// Thresholds: g; after a pass 3g (step 2), then 2g (step 1).
		want := map[string]float64{"-": chance("-", 1)}
		switch refresh {
		case threshold.EachTest:
			want["++"], want["+-+"], want["+--"] = chance("+", 1)*chance("+", 3), chance("+", 1)*chance("-", 3)*chance("+", 2), chance("+", 1)*chance("-", 3)*chance("-", 2)
		case threshold.EachPositive:
			want["++"], want["+-+"], want["+--"] = chance("+", 1)*chance("+", 3), chance("+", 1)*chance("-+", 3, 2), chance("+", 1)*chance("--", 3, 2)
		case threshold.Once:
			want["++"], want["+-+"], want["+--"] = chance("++", 1, 3), chance("+-+", 1, 3, 2), chance("+--", 1, 3, 2)
		}
		total := 0.0
		for answers, p := range want {
			total += p
			if math.Abs(got[answers]-p) > allowed {
				t.Errorf("%v noise, new %v: answers %s with frequency %.4f, want %.4f", noise, refresh, answers, got[answers], p)
			}
		}
		if math.Abs(total-1) > 1e-5 || len(got) > 4 {
			t.Errorf("%v noise, new %v: the chances sum to %g, and %v came out", noise, refresh, total, got)
		}
	}
}

// density is that of noise of mean 0 at x; an exponential one is exp(-1-x/b)/b from -b on.
func density(noise threshold.Noise, x, scale float64) float64 {
	switch {
	case noise == threshold.Laplace:
		return math.Exp(-math.Abs(x)/scale) / (2 * scale)
	case x < -scale:
		return 0
	}
	return math.Exp(-1-x/scale) / scale
}

// upperTail is the chance that noise of mean 0 is x or more.
func upperTail(noise threshold.Noise, x, scale float64) float64 {
	switch {
	case noise == threshold.Exponential:
		return math.Exp(-math.Max(0, 1+x/scale))
	case x > 0:
		return math.Exp(-x/scale) / 2
	}
	return 1 - math.Exp(x/scale)/2
}

// The empirical distribution of n = 4000 draws leaves its law by more than 0.0426
// with chance at most 1e-6 (Dvoretzky-Kiefer-Wolfowitz with Massart's constant).
func TestNoiseHasItsLaw(t *testing.T) {
	const n, scale = 4000, 0.7
	for _, noise := range []threshold.Noise{threshold.Laplace, threshold.Exponential} {
		th := newThresholds(threshold.Event{Noise: noise}, streams.Fixed("laplace").Rand("draws"))
		draws := make([]float64, n)
		for i := range draws {
			draws[i] = th.draw(scale)
		}
		slices.Sort(draws)
		for i, x := range draws {
			if want := 1 - upperTail(noise, x, scale); math.Abs(float64(i)/n-want) > 0.0426 {
				t.Fatalf("%v: empirical distribution at %g: %g, want %g", noise, x, float64(i)/n, want)
			}
		}
	}
}

// The threshold's noise lasts as long as it is priced for, and the score's never.
func TestThresholdNoiseLasts(t *testing.T) {
	for refresh, want := range map[threshold.Refresh][2]bool{ // same after a test without, with a positive
		threshold.EachTest: {false, false}, threshold.EachPositive: {true, false}, threshold.Once: {true, true},
	} {
		e := constantScores(0).TestsEvent()
		e.Refresh = refresh
		th := newThresholds(e, streams.Fixed("lasts").Rand("noise"))
		first := th.next(0)
		th.above(-1e6, first)
		second := th.next(0)
		th.above(1e6, second)
		third := th.next(0)
		if (first == second) != want[0] || (second == third) != want[1] {
			t.Errorf("%v: noises %g, %g, %g", refresh, first, second, third)
		}
	}
}

func TestThresholdSearchFailsClosed(t *testing.T) {
	s := nearlySilent(constantScores(0.99))
	s.MaxTests = 5 // 99 granules take 15 tests
	out, err := s.Run(t.Context(), streams.Fixed("cap"))
	if !errors.Is(err, ErrCapReached) || !reflect.DeepEqual(out, noRelease[float64, float64, ThresholdSearchDetails[float64]]()) {
		t.Errorf("got %+v, %v: want nothing and ErrCapReached", out, err)
	}
	s.KeepAtCap = true
	out, err = s.Run(t.Context(), streams.Fixed("cap"))
	if err != nil || !out.Details.AtCap || out.Hyperparameters != 0.99 || len(out.Details.Tests) != 3 {
		t.Errorf("got %+v, %v: want the winner at the third positive", out, err)
	}
}

// Every record is in one part, and a score sees the part's records only; whatever a part
// returns, it moves the mean by at most 1/k.
func TestThresholdSearchParts(t *testing.T) {
	s := constantScores(0.5)
	s.Scores.Parts, s.Scores.Records = 4, 1000
	var lock sync.Mutex
	var seen []int
	sizes := map[int]bool{}
	values := []float64{math.NaN(), math.Inf(1), -3, 7}
	s.Scores.Score = func(_ context.Context, records []int, _ float64, _ streams.Root) (float64, error) {
		lock.Lock()
		defer lock.Unlock()
		seen = append(seen, records...)
		sizes[len(records)] = true
		v := values[0]
		values = values[1:]
		return v, nil
	}
	c := newScorer(s.Scores, streams.Fixed("parts"))
	mean, err := c.of(t.Context(), 0.5)
	if err != nil || mean != 0.5 { // 0, 1, 0, 1
		t.Errorf("mean %g, %v: want 0.5", mean, err)
	}
	slices.Sort(seen)
	for i := range s.Scores.Records {
		if len(seen) != s.Scores.Records || seen[i] != i {
			t.Fatalf("%d records in parts, place %d has another: want each once", len(seen), i)
		}
	}
	if again, _ := c.of(t.Context(), 0.5); again != mean || len(values) != 0 {
		t.Error("a score was computed twice")
	}
	if len(sizes) < 2 {
		t.Error("all parts have the same size: each record must have a die of its own")
	}
}

// A proposer sees the answers, and may stop; progress reports them in order.
func TestThresholdSearchProposer(t *testing.T) {
	s := nearlySilent(constantScores())
	var reported []Test[float64]
	s.Progress = func(test Test[float64]) { reported = append(reported, test) }
	s.Proposer = ProposerFunc[float64](func(tests []Test[float64]) []float64 {
		switch len(tests) {
		case 0:
			return []float64{0.1, 0.3}
		case 1:
			if !tests[0].Passed() || tests[0].Winner != 0 {
				t.Errorf("first test %+v: want candidate 0 to pass 0.01", tests[0])
			}
			return []float64{0.01, 0.05}
		}
		return nil
	})
	out, err := s.Run(t.Context(), streams.Fixed("proposer"))
	if err != nil || out.Hyperparameters != 0.05 || len(out.Details.Tests) != 2 || !reflect.DeepEqual(reported, out.Details.Tests) {
		t.Errorf("got %+v, %v, progress %+v: want 0.05 after two tests", out, err, reported)
	}
}
