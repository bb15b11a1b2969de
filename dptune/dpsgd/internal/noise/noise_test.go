package noise

import (
	"fmt"
	"math"
	"testing"

	"github.com/dplab/dplab/dptune/streams"
)

// Each check below fails by chance at most once in 10^7: |Z| > 5.33 for a standard normal
// Z has chance 1e-7, and so has a Poisson count that far from its mean, nearly. There are
// some 40 checks, and the root is fixed: in all at most 1e-5, once for all time.
const sigmas = 5.33

// sample draws n normals as float32, as a run does.
func sample(root streams.Root, step, n int, std float64) []float64 {
	values, words := make([]float32, n), make([]uint32, WordsPerPair*Pairs(n))
	From(root).AES(step, words)
	Fill(words, std, values)
	out := make([]float64, n)
	for i, v := range values {
		out[i] = float64(v) / std
	}
	return out
}

// checkMean fails if the mean of n terms of variance v is more than 5.33 deviations from want.
func checkMean(t *testing.T, what string, terms []float64, want, variance float64) {
	t.Helper()
	sum := 0.0
	for _, x := range terms {
		sum += x
	}
	n := float64(len(terms))
	if z := (sum/n - want) / math.Sqrt(variance/n); !(math.Abs(z) <= sigmas) {
		t.Errorf("%s: mean %g, want %g: off by %.2f standard deviations, allowed %.2f", what, sum/n, want, z, sigmas)
	}
}

func powers(values []float64, k int) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = 1
		for range k {
			out[i] *= v
		}
	}
	return out
}

// Moments of N(0, 1): E Z^k is 0, 1, 0, 3, 15 for k = 1, 2, 3, 4, 6, and Var Z^k is
// E Z^2k - (E Z^k)²: 1, 2, 15, 96, 10170.
func TestNoiseMoments(t *testing.T) {
	const n = 2_000_000
	for _, std := range []float64{1, 1e-6, 37.5} {
		z := sample(streams.Fixed("moments"), 0, n, std)
		for _, m := range []struct {
			k              int
			want, variance float64
		}{{1, 0, 1}, {2, 1, 2}, {3, 0, 15}, {4, 3, 96}, {6, 15, 10170}} {
			checkMean(t, fmt.Sprintf("std %g, power %d", std, m.k), powers(z, m.k), m.want, m.variance)
		}
	}
}

// The share beyond each of 1 to 5 standard deviations, on each side, is that of the normal.
func TestNoiseTails(t *testing.T) {
	const n = 4_000_000
	z := sample(streams.Fixed("tails"), 0, n, 2)
	for _, at := range []float64{1, 2, 3, 4, 5} {
		p := 0.5 * math.Erfc(at/math.Sqrt2)
		upper, lower := 0.0, 0.0
		for _, v := range z {
			if v > at {
				upper++
			}
			if v < -at {
				lower++
			}
		}
		// Beyond 5 deviations 1.1 values are expected: the allowance is for a Poisson count, which
		// exceeds mean + 5.33 √mean + 8 with chance below 1e-7.
		mean := p * n
		for side, count := range map[string]float64{"above": upper, "below": lower} {
			if math.Abs(count-mean) > sigmas*math.Sqrt(mean)+8 {
				t.Errorf("%.0f values %s %g deviations, want %.1f", count, side, at, mean)
			}
		}
	}
}

// The empirical distribution is within the Kolmogorov distance that is exceeded with
// chance 2 exp(-2 n d²) = 1e-7 (Massart (1990)).
func TestNoiseDistribution(t *testing.T) {
	const n, bins = 1_000_000, 2000
	counts := make([]float64, bins)
	for _, v := range sample(streams.Fixed("distribution"), 0, n, 3) {
		u := 0.5 * math.Erfc(-v/math.Sqrt2)
		counts[min(int(u*bins), bins-1)]++
	}
	limit := math.Sqrt(math.Log(2/1e-7) / (2 * n))
	below := 0.0
	for i, c := range counts {
		below += c
		if d := math.Abs(below/n - float64(i+1)/bins); d > limit {
			t.Fatalf("at quantile %g the share below is off by %g, allowed %g", float64(i+1)/bins, d, limit)
		}
	}
}

// Coordinates, steps, replicas and roots are uncorrelated, and so are their squares:
// products of independent normals have mean 0 and variance 1, those of centred squares 0
// and 4.
func TestNoiseIndependence(t *testing.T) {
	const n = 500_000
	root := streams.Fixed("independence")
	first := sample(root.Child("replica 0"), 0, n, 1)
	for name, other := range map[string][]float64{
		"next coordinate":  append(append([]float64{}, first[1:]...), sample(root, 0, 1, 1)...),
		"128 further on":   append(append([]float64{}, first[128:]...), sample(root, 0, 128, 1)...),
		"the pair's other": append(append([]float64{}, first[n/2:]...), first[:n/2]...),
		"next step":        sample(root.Child("replica 0"), 1, n, 1),
		"step 10":          sample(root.Child("replica 0"), 10, n, 1),
		"next replica":     sample(root.Child("replica 1"), 0, n, 1),
		"another root":     sample(streams.Fixed("independence 2").Child("replica 0"), 0, n, 1),
	} {
		products, squares := make([]float64, n), make([]float64, n)
		for i := range n {
			products[i] = first[i] * other[i]
			squares[i] = (first[i]*first[i] - 1) * (other[i]*other[i] - 1)
		}
		checkMean(t, name+", products", products, 0, 1)
		checkMean(t, name+", squares", squares, 0, 4)
	}
}
