package game_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/audit/onerun"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// lastWeights is an adversary of one's own: its canary pushes the last weights of the model, all
// by the same length.
type lastWeights int

func (a lastWeights) String() string { return fmt.Sprintf("the last %d weights", int(a)) }

func (a lastWeights) Prepare(_ context.Context, h game.Hidden) (game.Attack, error) {
	n, k := h.Game.Model.Size(), int(a)
	gradient, start := make([]float64, n), h.Initial.Values[0]
	for i := n - k; i < n; i++ {
		gradient[i] = h.Game.Config.ClipNorm / float64(k) // of norm ClipNorm/√k
	}
	return game.Attack{
		Canary: dpsgd.Canary{Gradient: gradient},
		Score: func(_ int, weights []float64) (score float64) {
			for i := n - k; i < n; i++ {
				score += start[i] - weights[i]
			}
			return score
		},
	}, nil
}

// Play an adversary of your own against the final weights. Its canary uses only a part of the norm
// that it may have, so it shows less than the claim.
func ExampleAdversary() {
	model, err := models.MLP(4, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	play := game.HiddenState{
		Model: model, Data: data.Dataset{Name: "nobody", Shape: []int{4}, Classes: 2}, Games: 400,
		Config: dpsgd.Config{
			ClipNorm: 1, NoiseMultiplier: 1, Steps: 4, ExpectedBatchSize: 1, LearningRate: 0.1, Sampling: dpsgd.FullBatch{},
		},
		Adversary: lastWeights(2),
	}
	result, err := play.Run(context.Background(), streams.Fixed("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	last := result.Observed[0]
	report, err := audit.Bounds(last.Scores, audit.Config{Delta: 1e-5, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	claim, err := audit.EpsilonOfMu(2, 1e-5) // 4 steps of noise multiplier 1
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: a leak is shown: %v; more than the claim: %v\n", result.Adversary, report.AUC.Lower > 0.5, report.Bounds[0].Epsilon > claim)
	// Output:
	// the last 2 weights: a leak is shown: true; more than the claim: false
}

// Play games of a training loop of your own. It shuffles the examples once and keeps the order, so
// an example takes part in the same step of every epoch. Its claim is that of Poisson samples.
func ExampleWorlds() {
	const epochs, steps, sigma = 10, 100, 1. // steps of each epoch
	claim := accounting.SelfComposed{Count: epochs * steps, Event: accounting.PoissonSampled{
		SamplingRate: 1. / steps, Event: accounting.Gaussian{NoiseMultiplier: sigma},
	}}
	play := game.Worlds{Event: claim, Games: 500, Play: func(_ context.Context, in []bool, roots []streams.Root) ([]float64, error) {
		scores := make([]float64, len(in))
		for i, root := range roots {
			rng := root.Rand("training")
			place, sums := rng.IntN(steps), make([]float64, steps) // of each step over the epochs
			for range epochs {
				for t := range sums {
					sums[t] += sigma * rng.NormFloat64()
					if t == place && in[i] {
						sums[t]++
					}
				}
			}
			ratio := 0.0 // of the likelihoods, the place being unknown
			for _, x := range sums {
				ratio += math.Exp((x-epochs/2.)/(sigma*sigma)) / steps
			}
			scores[i] = numeric.Log(ratio)
		}
		return scores, nil
	}}
	result, err := play.Run(context.Background(), streams.Fixed("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	ceiling, err := audit.ClaimOf(result.Event)
	if err != nil {
		fmt.Println(err)
		return
	}
	verdict, err := audit.TestClaim(result.Scores, ceiling, audit.Config{Seed: 1})
	fmt.Println("Poisson samples claimed, contradicted:", verdict.Contradicted, err)
	// Output:
	// Poisson samples claimed, contradicted: true <nil>
}

// See every noisy sum of a run. The adversary chooses the canary's gradient, and its score is the
// likelihood ratio of all steps. The engine keeps its claim. A claim of twice the noise is
// contradicted.
func ExampleEveryStep() {
	model, err := models.MLP(4, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	config := dpsgd.Config{
		ClipNorm: 1, NoiseMultiplier: 1, Steps: 20, ExpectedBatchSize: 1, LearningRate: 0.1, Sampling: dpsgd.Poisson{Rate: 0.2},
	}
	play := game.EveryStep{
		Model: model, Background: data.Dataset{Name: "nobody", Shape: []int{4}, Classes: 2}, Config: config, Games: 500,
		Direction: []float64{1, 1, 1, 1, 0, 0, 0, 0, 0, 0},
	}
	result, err := play.Run(context.Background(), streams.Fixed("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	config.NoiseMultiplier = 2
	for _, event := range []accounting.Event{result.Event, config.Event()} {
		claim, err := audit.ClaimOf(event)
		if err != nil {
			fmt.Println(err)
			return
		}
		verdict, err := audit.TestClaim(result.Scores, claim, audit.Config{Seed: 1})
		fmt.Println(event, "contradicted:", verdict.Contradicted, err)
	}
	// Output:
	// 20 x PoissonSampled(q=0.2, ClippedSum(σ=1)) contradicted: false <nil>
	// 20 x PoissonSampled(q=0.2, ClippedSum(σ=2)) contradicted: true <nil>
}

// Train shadow models on random halves of real examples, and guess the half of a target. The labels
// are coins, so what a model knows of them it learned by heart.
func ExampleShadows() {
	rng, examples := rand.New(rand.NewPCG(1, 2)), data.Dataset{Name: "coins", Shape: []int{40}, Classes: 2}
	for range 100 {
		for range 40 {
			examples.Features = append(examples.Features, float32(rng.NormFloat64()))
		}
		examples.Labels = append(examples.Labels, rng.Int32N(2))
	}
	model, err := models.MLP(40, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	play := game.Shadows{
		Model: model, Examples: examples, Models: 16,
		Config: dpsgd.Config{NonPrivate: true, Steps: 50, ExpectedBatchSize: 50, LearningRate: 1, Sampling: dpsgd.FullBatch{}},
	}
	result, err := play.Run(context.Background(), streams.Fixed("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	lira, err := result.LiRA()
	if err != nil {
		fmt.Println(err)
		return
	}
	rmia, err := result.RMIA(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, scores := range []audit.Scores{lira, rmia} {
		report, err := onerun.Bounds(scores, audit.Config{Delta: 1e-5, Seed: 1, Guesses: 40})
		if err != nil {
			fmt.Println(err)
			return
		}
		bound, _ := report.Headline()
		rate, err := audit.TPRAtFPR(scores, 0.1, audit.Config{})
		fmt.Println("a leak is shown:", bound.Epsilon > 0, "TPR above FPR 0.1:", rate.TPR.Estimate > 0.1, err)
	}
	// Output:
	// a leak is shown: true TPR above FPR 0.1: true <nil>
	// a leak is shown: true TPR above FPR 0.1: true <nil>
}
