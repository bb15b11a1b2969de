package law_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/selection/law"
)

// Laws with long tails, and those next to the limits of their samplers.
func TestRandFollowsPMF(t *testing.T) {
	for _, l := range []law.Law{
		law.TNB{Eta: -0.999, Gamma: 1e-4}, law.TNB{Eta: 0, Gamma: 1e-5}, law.TNB{Eta: 1e-4, Gamma: 1e-5},
		law.TNB{Eta: 100, Gamma: 0.9}, law.TNB{Eta: 100, Gamma: 0.4}, law.TNB{Eta: 0.5, Gamma: 0.999},
		law.Poisson{MeanRepeats: 9.9}, law.Poisson{MeanRepeats: 150},
	} {
		drawsFollow(t, l)
	}
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
	l, err := law.Logarithmic(10)
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
