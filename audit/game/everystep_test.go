package game_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

func everyStep(t testing.TB, sampling dpsgd.Sampling, steps, games int) game.EveryStep {
	t.Helper()
	model, err := models.MLP(6, 3)
	if err != nil {
		t.Fatal(err)
	}
	return game.EveryStep{
		Model: model, Background: background(0), Games: games,
		Config: dpsgd.Config{ClipNorm: 0.7, NoiseMultiplier: 0.8, Sampling: sampling, Steps: steps, ExpectedBatchSize: 1, LearningRate: 1},
	}
}

func playEveryStep(t *testing.T, g game.EveryStep, name string) game.Result {
	t.Helper()
	result, err := g.Run(context.Background(), streams.Fixed(name))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// The scores of the engine have the law of the formula, simulated with other draws: on Poisson
// samples, on random allocations with a cut period, on full batches, and by a score of one's own.
func TestScoresOfEveryStep(t *testing.T) {
	const sigma, steps, drawn = 0.8, 10, 20000
	n := 2000
	if testing.Short() {
		n = 500
	}
	ratio := func(x float64) float64 { return math.Exp(x/sigma - 1/(2*sigma*sigma)) }
	for _, c := range []struct {
		sampling dpsgd.Sampling
		score    func(sums []float64) float64               // of the game
		formula  func(sums []float64) float64               // of the test
		joins    func(rng *rand.Rand, place, step int) bool // place is a draw for the period
	}{
		{dpsgd.FullBatch{}, nil, func(sums []float64) (score float64) {
			for _, x := range sums {
				score += numeric.Log(ratio(x))
			}
			return score
		}, func(*rand.Rand, int, int) bool { return true }},
		{dpsgd.Poisson{Rate: 0.3}, nil, func(sums []float64) float64 {
			product := 1.0
			for _, x := range sums {
				product *= 0.7 + 0.3*ratio(x)
			}
			return numeric.Log(product)
		}, func(rng *rand.Rand, _, _ int) bool { return rng.Float64() < 0.3 }},
		{dpsgd.RandomAllocation{Period: 4}, nil, func(sums []float64) float64 {
			product := 1.0
			for first := range slices.Chunk(append(slices.Clone(sums), 1/(2*sigma), 1/(2*sigma)), 4) { // l = 0
				product *= (ratio(first[0]) + ratio(first[1]) + ratio(first[2]) + ratio(first[3])) / 4
			}
			return numeric.Log(product)
		}, func(_ *rand.Rand, place, step int) bool { return place == step%4 }},
		{dpsgd.RandomAllocation{Period: 4}, slices.Max[[]float64], slices.Max[[]float64], func(_ *rand.Rand, place, step int) bool { return place == step%4 }},
	} {
		g := everyStep(t, c.sampling, steps, n)
		g.Score = c.score
		result := playEveryStep(t, g, "every step")
		if result.Event != g.Config.Event() {
			t.Errorf("%v: event %v, want %v", c.sampling, result.Event, g.Config.Event())
		}
		rng := rand.New(rand.NewPCG(3, 4))
		for world, scores := range map[string][]float64{"member": result.Scores.Member, "non-member": result.Scores.NonMember} {
			want := make([]float64, drawn)
			for i := range want {
				sums, place := make([]float64, steps), 0
				for step := range sums {
					if step%4 == 0 {
						place = rng.IntN(4)
					}
					sums[step] = rng.NormFloat64()
					if world == "member" && c.joins(rng, place, step) {
						sums[step] += 1 / sigma
					}
				}
				want[i] = c.formula(sums)
			}
			slices.Sort(want)
			below := func(x float64) float64 {
				at, _ := slices.BinarySearch(want, x)
				return float64(at) / drawn
			}
			if d := kolmogorov(scores, below); d > limit(n)+limit(drawn) {
				t.Errorf("%v, %s scores: %.3f away from the simulated law, allowed %.3f", c.sampling, world, d, limit(n)+limit(drawn))
			}
		}
	}
}

// The length of a direction does not matter. Along all coordinates together and along one, scores
// have the normal law of full batches.
func TestDirectionOfEveryStep(t *testing.T) {
	const n, steps, sigma = 500, 10, 0.8
	for _, direction := range [][]float64{nil, slices.Repeat([]float64{-3}, 21), append(make([]float64, 20), 1e-3)} {
		g := everyStep(t, dpsgd.FullBatch{}, steps, n)
		g.Direction = direction
		scores := playEveryStep(t, g, "direction").Scores
		deviation := math.Sqrt(steps) / sigma // of the sum of x_i/σ - 1/(2σ²), x_i of variance 1
		for world, s := range map[float64][]float64{1: scores.Member, 0: scores.NonMember} {
			law := func(x float64) float64 {
				return normalCDF((x - steps*(world-0.5)/(sigma*sigma)) / deviation)
			}
			if d := kolmogorov(s, law); d > limit(n) {
				t.Errorf("direction %v, world %g: %.3f away from the normal law, allowed %.3f", direction, world, d, limit(n))
			}
		}
	}
}

func TestEveryStepErrors(t *testing.T) {
	for want, change := range map[string]func(*game.EveryStep){
		"EveryStep.Config.Sampling FixedBatches(period 3): must be Poisson, RandomAllocation or FullBatch": func(g *game.EveryStep) { g.Config.Sampling = dpsgd.FixedBatches{Period: 3} },
		"EveryStep.Games 0: must be >= 1":              func(g *game.EveryStep) { g.Games = 0 },
		"NonPrivate":                                   func(g *game.EveryStep) { g.Config.NonPrivate, g.Config.NoiseMultiplier = true, 0 },
		"EveryStep.Model":                              func(g *game.EveryStep) { g.Model = dpsgd.Model{} },
		"EveryStep.Direction has length 1: must be 21": func(g *game.EveryStep) { g.Direction = []float64{1} },
		"EveryStep.Direction has norm 0: must be":      func(g *game.EveryStep) { g.Direction = make([]float64, 21) },
		"no usable scores":                             func(g *game.EveryStep) { g.Score = func([]float64) float64 { return math.NaN() } },
	} {
		g := everyStep(t, dpsgd.RandomAllocation{Period: 3}, 4, 2)
		change(&g)
		result, err := g.Run(context.Background(), streams.Fixed("errors"))
		if err == nil || !strings.Contains(err.Error(), want) || len(result.Scores.Member) > 0 {
			t.Errorf("scores %v, error %v, want one that names %q", result.Scores, err, want)
		}
	}
}
