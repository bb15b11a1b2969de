package bank

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
)

// 4,000 runs of dptune.ExponentialSearch, whose scores are drawn from the bank, choose each point
// as often as the bank says, to 5.5 standard errors of either; 2,000 draws of scores have less
// error than the searches.
func TestExponentialAgainstSearches(t *testing.T) {
	b := drawnBank(t, small())
	const level, epsilon = 0, 3
	n := 4000
	if testing.Short() {
		n = 400
	}
	points := make([]int, b.Config.Points())
	for i := range points {
		points[i] = i
	}
	search := dptune.ExponentialSearch[int, float64]{
		Candidates: points, Epsilon: epsilon, Delta: 1e-5, Unit: "one row",
		Scores: dptune.PartScores[int]{Records: 4, Parts: b.Config.Parts(), Score: func(_ context.Context, _ []int, i int, root streams.Root) (float64, error) {
			runs := b.At(Sample, i/3, level, b.Config.LearningRates[i%3])
			return runs[root.Rand("run").IntN(len(runs))].Score, nil
		}},
	}
	counts := make([]float64, len(points))
	for i := range n {
		release, err := search.Run(t.Context(), streams.Fixed(fmt.Sprintf("exponential %d", i)))
		if err != nil {
			t.Fatal(err)
		}
		counts[release.Hyperparameters]++
	}
	out := b.Exponential(epsilon, level, 2000, streams.Fixed("exponential").Rand("scores"))
	for i, want := range out.Chances {
		if got := counts[i] / float64(n); math.Abs(got-want) > 5.5*math.Sqrt(want*(1-want)/float64(n)) {
			t.Errorf("point %d: chosen by %.4f of the searches, the bank says %.4f", i, got, want)
		}
	}
}

// With next to no noise a threshold search ends with a point that few others are above; with much
// noise it is any.
func TestThresholdChoosesGoodPoints(t *testing.T) {
	c := small()
	c.LearningRates = []float64{0.25, 1, 4}
	b := drawnBank(t, c)
	for at, runs := range b.cells { // the last learning rate is good, the others are not
		for i := range runs {
			runs[i].Score = 0.1
			if at.rate == 2 {
				runs[i].Score = 0.9
			}
		}
	}
	search := dptune.ThresholdSearch[int, float64]{Granularity: 0.1, MaxTests: 9, Refresh: threshold.Once, KeepAtCap: true, Delta: 1e-5, Unit: "one row"}
	for _, x := range []struct{ noise, least, most float64 }{{1e-4, 1, 1}, {50, 0, 0.9}} {
		search.ThresholdNoise, search.ScoreNoise = x.noise, x.noise
		out, err := b.Threshold(t.Context(), search, 0, 100, streams.Fixed("threshold"))
		if err != nil {
			t.Fatal(err)
		}
		if good := out.Chances[2] + out.Chances[5]; good < x.least-1e-12 || good > x.most+1e-12 {
			t.Errorf("noise %g: a good point chosen by %.2f of the searches, want %g to %g", x.noise, good, x.least, x.most)
		}
	}
}
