package law_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Each law's draws against its own pmf: chi-square on the counts 0, 1, 2, ..., merged from
// the left until at least 20 are expected in a cell, the tail in the last one. Rejected
// above the quantile 1 - 1e-6/(number of laws), so that all checks together fail by
// chance at most once in 10^6 seeds. The seed is fixed.
func TestRandFollowsPMF(t *testing.T) {
	laws := append([]law.Law{
		law.TNB{Eta: -0.999, Gamma: 1e-4}, law.TNB{Eta: 0, Gamma: 1e-5}, law.TNB{Eta: 1e-4, Gamma: 1e-5},
		law.TNB{Eta: 100, Gamma: 0.9}, law.TNB{Eta: 100, Gamma: 0.4}, law.TNB{Eta: 0.5, Gamma: 0.999},
		law.Poisson{MeanRepeats: 9.9}, law.Poisson{MeanRepeats: 150},
	}, enumerate.Laws...)
	for i, l := range laws {
		n := 200_000
		if testing.Short() {
			n = 40_000
		}
		runs := l.Distribution()
		counts := make([]int, 5000) // larger draws count in n alone
		rng := newRand(uint64(i))
		for range n {
			k, err := runs.Rand(rng)
			if err != nil {
				t.Fatal(err)
			}
			if k < len(counts) {
				counts[k]++
			}
		}
		statistic, cells := chiSquare(l, counts, float64(n))
		if cells < 2 { // a law with one value
			if counts[int(l.Distribution().Mean())] != n {
				t.Errorf("%v: %d of %d draws are the one value", l, counts[int(l.Distribution().Mean())], n)
			}
			continue
		}
		limit := distuv.ChiSquared{K: float64(cells - 1)}.Quantile(1 - 1e-6/float64(len(laws)))
		if !(statistic < limit) {
			t.Errorf("%v: chi-square %.1f in %d cells, limit %.1f", l, statistic, cells, limit)
		}
	}
}

func chiSquare(l law.Law, counts []int, n float64) (statistic float64, cells int) {
	runs := l.Distribution()
	expected, observed, used, seen := 0.0, 0.0, 0.0, 0.0
	for k := 0; k < len(counts) && n-used >= 40; k++ {
		w := n * math.Exp(runs.LogPMF(k))
		expected += w
		used += w
		observed += float64(counts[k])
		seen += float64(counts[k])
		if expected >= 20 {
			statistic += (observed - expected) * (observed - expected) / expected
			cells++
			expected, observed = 0, 0
		}
	}
	expected += n - used
	observed += n - seen
	if expected >= 10 {
		statistic += (observed - expected) * (observed - expected) / expected
		cells++
	}
	return statistic, cells
}

// Large means: the sample mean within 5.5 standard errors (chance 4e-8 each) of the mean.
func TestRandLargeMean(t *testing.T) {
	for i, l := range []law.Law{tnb(t, 0, 1e6), tnb(t, -0.5, 1e4), tnb(t, 1, 1e6), tnb(t, 30, 1e6), law.Poisson{MeanRepeats: 1e6}} {
		rng := newRand(uint64(100 + i))
		const n = 100_000
		var sum, squares float64
		for range n {
			k, err := l.Distribution().Rand(rng)
			if err != nil {
				t.Fatal(err)
			}
			sum += float64(k)
			squares += float64(k) * float64(k)
		}
		mean := sum / n
		stderr := math.Sqrt((squares/n - mean*mean) / n)
		if math.Abs(mean-l.Distribution().Mean()) > 5.5*stderr {
			t.Errorf("%v: sample mean %g ± %g", l, mean, stderr)
		}
	}
}

// gonum's Poisson sampler never returns 0 at mean 10, an event of chance 4.5e-5. Among
// 10^6 draws 45 are expected; fewer than 12 or more than 95 have chance below 1e-8.
func TestPoissonDrawsZero(t *testing.T) {
	rng := newRand(5)
	ten, zeros := law.Poisson{MeanRepeats: 10}.Distribution(), 0
	for range 1_000_000 {
		if k, _ := ten.Rand(rng); k == 0 {
			zeros++
		}
	}
	if zeros < 12 || zeros > 95 {
		t.Errorf("K = 0 came %d times in 10^6 draws, want about 45 (10^6 e^-10)", zeros)
	}
}

func BenchmarkRand(b *testing.B) {
	l, err := law.TNBFromMean(0, 10)
	if err != nil {
		b.Fatal(err)
	}
	runs, rng := l.Distribution(), newRand(1)
	for b.Loop() {
		if _, err := runs.Rand(rng); err != nil {
			b.Fatal(err)
		}
	}
}
