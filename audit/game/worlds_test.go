package game_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit"
)

// world draws the noisy sums of a run along the canary's direction, in units of the noise: one list
// for each epoch of t steps. The canary's gradient is 1/σ = 1.
type world func(rng *rand.Rand, t, epochs int, member bool) [][]float64

// draw draws sums of noise, plus shift at some steps of each epoch.
func draw(rng *rand.Rand, t, epochs int, shift float64, places func() []int) [][]float64 {
	sums := make([][]float64, epochs)
	for e := range sums {
		for range t {
			sums[e] = append(sums[e], rng.NormFloat64())
		}
		for _, i := range places() {
			sums[e][i] += shift
		}
	}
	return sums
}

func oneIf(member bool) float64 {
	if member {
		return 1
	}
	return 0
}

// allocation is a random allocation: a place for each epoch.
func allocation(rng *rand.Rand, t, epochs int, member bool) [][]float64 {
	return draw(rng, t, epochs, oneIf(member), func() []int { return []int{rng.IntN(t)} })
}

// twoPlaces draws two places for each epoch.
func twoPlaces(rng *rand.Rand, t, epochs int, member bool) [][]float64 {
	return draw(rng, t, epochs, oneIf(member), func() []int { return rng.Perm(t)[:2] })
}

// keptBins draws one place for all epochs.
func keptBins(rng *rand.Rand, t, epochs int, member bool) [][]float64 {
	kept := []int{rng.IntN(t)}
	return draw(rng, t, epochs, oneIf(member), func() []int { return kept })
}

// shuffled is shuffling into equal batches, of others with gradient -1, up to a constant. The batch
// of the canary lacks one of them, whether the canary's gradient is 1 or 0.
func shuffled(rng *rand.Rand, t, epochs int, member bool) [][]float64 {
	return draw(rng, t, epochs, 1+oneIf(member), func() []int { return []int{rng.IntN(t)} })
}

// logMean returns ln of the mean of exp f over values.
func logMean(values []float64, f func(x float64) float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum += math.Exp(f(x))
	}
	return numeric.Log(sum / float64(len(values)))
}

// The scores are the logarithms of the likelihood ratios of the worlds, at σ = 1.
func allocationScore(sums [][]float64) (score float64) {
	for _, epoch := range sums {
		score += logMean(epoch, func(x float64) float64 { return x - 0.5 })
	}
	return score
}

func keptScore(sums [][]float64) float64 {
	total := slices.Clone(sums[0])
	for _, epoch := range sums[1:] {
		for i, x := range epoch {
			total[i] += x
		}
	}
	return logMean(total, func(x float64) float64 { return x - float64(len(sums))/2 })
}

func shuffledScore(sums [][]float64) (score float64) {
	for _, epoch := range sums {
		score += logMean(epoch, func(x float64) float64 { return 2*x - 2 }) - allocationScore([][]float64{epoch})
	}
	return score
}

// Audits of 1,000 games in each world, at σ 1, 100 steps an epoch, 10 epochs and δ 1e-5, with the
// rank 4 fixed beforehand. A random allocation costs an ε from 1.70140 to 1.70167, and no audit of
// it is above that. Kept bins cost 13.25 and shuffling at least 9.40, and all of their audits are
// above it. ε seldom shows two places in an epoch. The test of the law of the draws does, in package
// dpsgd.
func TestWorldsOfBatches(t *testing.T) {
	const price = 1.70167
	audits := 20
	if testing.Short() {
		audits = 4
	}
	for name, c := range map[string]struct {
		world      world
		score      func(sums [][]float64) float64
		from, upTo float64 // of the bounds
	}{
		"random allocation":      {allocation, allocationScore, 0, price},
		"kept bins":              {keptBins, keptScore, price, 13.2067},
		"shuffled, others at -1": {shuffled, shuffledScore, price, 17.8567},
		"two places":             {twoPlaces, allocationScore, 0, math.Inf(1)},
	} {
		bounds := make([]float64, audits)
		for i := range bounds {
			rng := rand.New(rand.NewPCG(uint64(i), 1))
			var scores audit.Scores
			for range 1000 {
				scores.Member = append(scores.Member, c.score(c.world(rng, 100, 10, true)))
				scores.NonMember = append(scores.NonMember, c.score(c.world(rng, 100, 10, false)))
			}
			bound, err := audit.RankTwoTail(scores, 4, audit.Config{Delta: 1e-5})
			if err != nil {
				t.Fatal(err)
			}
			bounds[i] = bound.Epsilon
		}
		t.Logf("%s: ε at least %.2f to %.2f", name, slices.Min(bounds), slices.Max(bounds))
		if slices.Min(bounds) < c.from || slices.Max(bounds) > c.upTo {
			t.Errorf("%s: bounds %.3f to %.3f, want them from %.3f to %.3f", name, slices.Min(bounds), slices.Max(bounds), c.from, c.upTo)
		}
	}
}
