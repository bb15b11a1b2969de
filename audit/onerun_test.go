package audit

import (
	"math"
	"testing"
)

func TestOneRunReference(t *testing.T) {
	const source = "reference/audit.json one_run_steinke; arXiv:2305.08846v1 p. 28 and 46 print 0.673 and 2.675"
	for _, c := range []struct {
		m, r, v    int
		delta, eps float64
	}{
		{1000, 100, 75, 1e-4, 0.6729846641074199}, {1000, 100, 75, 0, 0.7022139309495062},
		{100000, 1510, 1439, 1e-5, 2.6758510076786224}, {100, 20, 20, 1e-5, 1.8195970663713747},
		{16, 16, 16, 0, 1.5803231357927883},
	} {
		b := must(OneRun(Guesses{c.m, c.r, c.v}, Level{Delta: c.delta}))
		near(t, "ε", b.Epsilon, c.eps, 1e-6, source)
	}
	near(t, "p", steinkeP(Guesses{1000, 100, 75}, 0.5, 1e-4), 0.014587207651351313, 1e-12, "vectors.json auditing steinke_one_run p_value")
}

func TestOneRunFDPReference(t *testing.T) {
	const source = "reference/audit.json one_run_fdp: the (r, h) recursion, which matches two other implementations"
	for _, c := range []struct {
		m, r, v        int
		mu, eps, curve float64
	}{
		{1000, 200, 190, 0.9080538303633521, 3.9161045708676268, 2.3823874191078835},
		{1000, 100, 75, 0.2694947210579138, 1.0059159045622141, 0.6868665262778736},
		{1000, 1000, 900, 0.8803956309323471, 3.7793383325534706, 2.013120721000988},
		{10000, 10000, 7000, 0.3581797046295521, 1.3760923260349152, 0.8091535708205212},
	} {
		g := Guesses{c.m, c.r, c.v}
		b := must(OneRunFDP(g, level95))
		near(t, "µ", b.Mu, c.mu, 1e-5, source)
		near(t, "ε", b.Epsilon, c.eps, 1e-5, source)
		near(t, "ε with an (ε, δ) ceiling", oneRunCurve(g, level95), c.curve, 1e-5, source)
	}
	// FIELD notes: at (100000, 1510, 1439) the free maximum lifts 2.676 to 2.794.
	near(t, "maximum", must(OneRunMax(Guesses{100000, 1510, 1439}, level95)).Epsilon, 2.794, 1e-3, "FIELD section F")
}

// The largest mean below v against looking at every i.
func TestLargestMeanAgainstAllMeans(t *testing.T) {
	for _, c := range []struct {
		r, v int
		p    float64
	}{{100, 75, 0.6}, {100, 50, 0.9}, {20, 20, 0.8}, {7, 1, 0.5}, {50, 30, 0.6}} {
		var want float64
		for i := 1; i <= c.r; i++ {
			var sum float64
			for j := max(0, c.v-i); j < c.v; j++ {
				sum += math.Exp(lchoose(c.r, j) + float64(j)*math.Log(c.p) + float64(c.r-j)*math.Log1p(-c.p))
			}
			want = math.Max(want, sum/float64(i))
		}
		near(t, "largest mean", largestMean(c.r, c.v, c.p), want, 1e-13, "every i in turn")
	}
}

func lchoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// Ties at the borders are broken at random: the mean of the right guesses over seeds, by hand.
// With r = 1 the top score is a tie of two members and a non-member. r = 2: and the 0 below is
// right. r = 4: two of that tie, the 0, and a tie of one each at 1. r = 8: all are certain.
// 5.6 standard errors, each right guess having variance 1/4 at most: chance 2e-8 each.
func TestGuessBreaksTiesAtRandom(t *testing.T) {
	const seeds = 2000
	scores := Scores{[]float64{5, 5, 4, 1}, []float64{5, 3, 1, 0}}
	for r, want := range map[int]float64{1: 2. / 3, 2: 5. / 3, 4: 4./3 + 1.5, 8: 6} {
		sum := 0
		for seed := range uint64(seeds) {
			sum += must(Config{Guesses: r, Seed: seed}.GuessesFor(scores)).Correct
		}
		near(t, "mean of right guesses", float64(sum)/seeds, want, 5.6*math.Sqrt(float64(min(r, 3))/4/seeds), "by hand")
	}
	same := Scores{make([]float64, 8), make([]float64, 8)}
	if got := must(same.Guess(6)); got.Correct != 0 {
		t.Errorf("%d of 6 guesses are right on equal scores, want 0: they carry no evidence", got.Correct)
	}
}
