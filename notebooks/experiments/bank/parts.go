package bank

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
)

// Parts returns the number of disjoint parts into which the data are split for scores:
// 1/TuningRate. A part is then as large as a sample.
func (c Config) Parts() int { return int(math.Round(1 / c.TuningRate)) }

// Exponential makes one choice by the exponential mechanism and one training with the winner on all
// data. The score of a point is the mean over Parts disjoint parts, with one run of the bank's
// samples on each. Its sensitivity is 1/Parts. Exponential draws the scores draws times. Given the
// scores, the chances are exact.
//
// Reference: dptune.ExponentialSearch.
func (b Bank) Exponential(epsilon float64, level, draws int, rng *rand.Rand) Outcome {
	out := Outcome{Chances: make([]float64, b.Config.Points())}
	parts := float64(b.Config.Parts())
	runs := make([][]Run, b.Config.Points())
	for i := range runs {
		runs[i] = b.onSamples(i, level)
	}
	weights := make([]float64, len(runs))
	for range draws {
		total := 0.0
		for i := range weights {
			score := 0.0
			for range b.Config.Parts() {
				score += runs[i][rng.IntN(len(runs[i]))].Score / parts
			}
			weights[i] = math.Exp(epsilon * parts / 2 * (score - 1)) // scores are at most 1
			total += weights[i]
		}
		for i, w := range weights {
			out.Chances[i] += w / total / float64(draws)
		}
	}
	out.Accuracy = b.After(out.Chances, level, All)
	return out
}

// onSamples returns the runs of a point on the samples of all repeats.
func (b Bank) onSamples(point, level int) []Run {
	return b.At(Sample, point/len(b.Config.LearningRates), level, b.Config.LearningRates[point%len(b.Config.LearningRates)])
}

// ThresholdSearch returns a search for Threshold that costs as much as the target allows, and the
// event of its tests.
func (c Config) ThresholdSearch(target accounting.Target, granularity float64, maxTests int) (search dptune.ThresholdSearch[int, float64], tests threshold.Event, err error) {
	search = dptune.ThresholdSearch[int, float64]{
		Granularity: granularity, MaxTests: maxTests, Refresh: threshold.Once, KeepAtCap: true, Delta: target.Delta, Unit: "one labelled image",
		Scores: dptune.PartScores[int]{Records: 1, Parts: c.Parts()},
	}
	tests, err = threshold.Calibrate(target, search.Scores.Sensitivity(), maxTests, search.Refresh, search.Noise)
	search.ThresholdNoise, search.ScoreNoise = tests.ThresholdNoise, tests.ScoreNoise
	return search, tests, err
}

// Threshold runs a search by noisy thresholds searches times, with scores drawn as for Exponential,
// and trains with the winner on all data. It sets the search's Scores and Proposer. Every test has
// all points of the grid, in an order drawn for each search. If no score is above a threshold, the
// first point is taken. The search only tunes. The caller prices the training.
func (b Bank) Threshold(ctx context.Context, search dptune.ThresholdSearch[int, float64], level, searches int, root streams.Root) (Outcome, error) {
	search.Scores = dptune.PartScores[int]{Records: b.Config.Parts(), Parts: b.Config.Parts(), Score: func(_ context.Context, _ []int, point int, root streams.Root) (float64, error) {
		runs := b.onSamples(point, level)
		return runs[root.Rand("run").IntN(len(runs))].Score, nil
	}}
	out := Outcome{Chances: make([]float64, b.Config.Points())}
	for i := range searches {
		root := root.Child(fmt.Sprintf("search %d", i))
		order := dptune.Grid[int](root.Rand("order").Perm(b.Config.Points()))
		search.Proposer, search.DefaultHyperparameters = order, order[0]
		release, err := search.Run(ctx, root)
		if err != nil {
			return Outcome{}, err
		}
		out.Chances[release.Hyperparameters] += 1 / float64(searches)
	}
	out.Accuracy = b.After(out.Chances, level, All)
	return out, nil
}
