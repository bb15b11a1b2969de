package dptune

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/dptune/streams"
)

func TestBestIsTheHighestScore(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	rng := streams.Fixed("best").Rand("ties")
	for _, c := range []struct {
		name   string
		scores []float64
		want   int
	}{
		{"none", nil, -1},
		{"one NaN", []float64{nan}, 0},
		{"NaN loses to a number, before and after it", []float64{nan, 1, nan}, 1},
		{"NaN loses to -Inf", []float64{nan, -inf, nan}, 1},
		{"+Inf wins", []float64{3, inf, 4}, 1},
		{"last", []float64{1, 2, 3}, 2},
	} {
		outcomes := make([]Outcome[int], len(c.scores))
		for i, s := range c.scores {
			outcomes[i].Score = s
		}
		if got := best(outcomes, rng); got != c.want {
			t.Errorf("%s: best of %v is %d, want %d", c.name, c.scores, got, c.want)
		}
	}
}

// A rule of "first wins" or "last wins" would be fine for privacy and unfair to the prior.
// 4 tied outcomes, n = 4000 draws: each wins n/4 times, standard deviation 27.4; 6 standard
// deviations fail by chance in 8e-9 of the draws of a seed (two-sided, 4 counts).
func TestTiesAreBrokenUniformly(t *testing.T) {
	rng := streams.Fixed("tie test").Rand("ties")
	wins := make([]int, 4)
	for range 4000 {
		wins[best(make([]Outcome[int], 4), rng)]++
	}
	for i, w := range wins {
		if math.Abs(float64(w)-1000) > 6*27.4 {
			t.Errorf("outcome %d of 4 equal ones wins %d of 4000 times, want about 1000", i, w)
		}
	}
}

func TestLogGrid(t *testing.T) {
	got := LogGrid(0.01, 100, 5)
	for i, want := range []float64{0.01, 0.1, 1, 10, 100} {
		if math.Abs(got[i]/want-1) > 1e-12 {
			t.Errorf("LogGrid(0.01, 100, 5)[%d] = %g, want %g", i, got[i], want)
		}
	}
	for _, bad := range []Grid[float64]{LogGrid(0, 1, 3), LogGrid(2, 1, 3), LogGrid(1, math.Inf(1), 3), LogGrid(math.NaN(), 1, 3), LogGrid(1, 2, 0)} {
		if bad.Validate() == nil {
			t.Errorf("grid %v of bad arguments must not validate", bad)
		}
	}
}

func TestCrossListsAllPairs(t *testing.T) {
	type pair struct {
		a float64
		b string
	}
	got := Cross(Grid[float64]{1, 2}, Grid[string]{"x", "y"}, func(a float64, b string) pair { return pair{a, b} })
	want := []pair{{1, "x"}, {1, "y"}, {2, "x"}, {2, "y"}}
	if len(got) != len(want) {
		t.Fatalf("Cross gives %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("Cross[%d] = %v, want %v", i, got[i], want[i])
		}
	}
}

// The noise of a score is normal with the stated deviation: n = 20000, the mean strays by
// more than 6 standard errors (6/sqrt(n) = 0.042 of σ) with chance 2e-9; the variance by
// more than 6*sqrt(2/n) = 0.06 with about the same.
func TestPrivateAccuracyNoise(t *testing.T) {
	const n, sigma, correct = 20000, 2.5, 100
	rng := rand.New(rand.NewPCG(1, 2))
	score := PrivateAccuracy{NoiseMultiplier: sigma}
	var sum, squares float64
	for range n {
		d := (score.Score(correct, rng) - correct) / sigma
		sum, squares = sum+d, squares+d*d
	}
	if mean := sum / n; math.Abs(mean) > 6/math.Sqrt(n) {
		t.Errorf("mean of the noise is %g σ, want 0", mean)
	}
	if variance := squares / n; math.Abs(variance-1) > 6*math.Sqrt(2.0/n) {
		t.Errorf("variance of the noise is %g σ², want 1", variance)
	}
}
