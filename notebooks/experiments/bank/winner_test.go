package bank

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune/streams"
)

// Three draws from four runs, two of them tied, one twice as likely as the others: every outcome is
// listed.
func TestWinnerAgainstEnumeration(t *testing.T) {
	scores, weights := []float64{0.5, 0.7, 0.7, 0.2}, []float64{1, 1, 2, 1}
	want := make([]float64, 4)
	for a := range 4 {
		for b := range 4 {
			for c := range 4 {
				chance := weights[a] * weights[b] * weights[c] / 125
				best := math.Max(scores[a], math.Max(scores[b], scores[c]))
				tied := 0.0
				for _, i := range []int{a, b, c} {
					if scores[i] == best {
						tied++
					}
				}
				for _, i := range []int{a, b, c} {
					if scores[i] == best {
						want[i] += chance / tied
					}
				}
			}
		}
	}
	for i, got := range Winner(law.Fixed{Count: 3}.Distribution(), scores, weights) {
		if math.Abs(got-want[i]) > 1e-15 {
			t.Errorf("run %d wins with chance %.17g, enumeration gives %.17g", i, got, want[i])
		}
	}
}

// 200,000 searches drawn one by one: each of 6 chances is within 5.5 standard errors, which fails
// falsely with chance 2e-7.
func TestWinnerAgainstSimulation(t *testing.T) {
	scores := []float64{0.1, 0.4, 0.4, 0.3, 0.9, 0.8}
	rng := streams.Fixed("winner").Rand("simulation")
	for _, runs := range []law.Law{law.TNB{Eta: 0, Gamma: 0.2}, law.TNB{Eta: 1, Gamma: 0.3}, law.Poisson{MeanRepeats: 2}} {
		const n = 200000
		wins := make([]float64, len(scores))
		k := runs.Distribution()
		for range n {
			count, err := k.Rand(rng)
			if err != nil {
				t.Fatal(err)
			}
			best, ties := -1, 0
			for range count {
				i := rng.IntN(len(scores))
				switch {
				case best < 0 || scores[i] > scores[best]:
					best, ties = i, 1
				case scores[i] == scores[best]:
					if ties++; rng.IntN(ties) == 0 {
						best = i
					}
				}
			}
			if best >= 0 {
				wins[best]++
			}
		}
		weights := []float64{1, 1, 1, 1, 1, 1}
		for i, want := range Winner(k, scores, weights) {
			if got := wins[i] / n; math.Abs(got-want) > 5.5*math.Sqrt(want*(1-want)/n) {
				t.Errorf("%v: run %d won %.5f of the searches, exact %.5f", runs, i, got, want)
			}
		}
	}
}
