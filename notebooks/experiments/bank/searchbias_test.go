package bank

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune/streams"
)

// normalBank has three runs of each point on all data, of normal laws with these means. Scores are
// accuracies.
func normalBank(means []float64, deviation float64, rng *rand.Rand) Bank {
	c := small()
	c.TuningRate, c.Trainings, c.Runs = 0, c.Trainings[:1], 3
	c.LearningRates = nil
	b := Bank{Repeats: 1, cells: map[cell][]Run{}}
	for i, mean := range means {
		c.LearningRates = append(c.LearningRates, math.Pow(10, float64(i-4)))
		for range c.Runs {
			x := mean + deviation*rng.NormFloat64()
			at := cell{All, 0, 0, i, 0}
			b.cells[at] = append(b.cells[at], Run{x, x})
		}
	}
	b.Config = c
	return b
}

// The estimate has the size of the bias against the exact mean of the best of K new runs, by
// quadrature over their normal laws. Three runs give a standard deviation that is too small by 11 %.
func TestSearchBias(t *testing.T) {
	const deviation = 0.01
	means, runs := []float64{0.70, 0.80, 0.81, 0.805, 0.79}, law.Poisson{MeanRepeats: 15}
	k := runs.Distribution()
	truth, below := 0.0, k.PGF(0) // no run counts as accuracy 0
	for x := 0.6; x < 0.9; x += 1e-5 {
		share := 0.0
		for _, mean := range means {
			share += distuv.Normal{Mu: mean, Sigma: deviation}.CDF(x+5e-6) / float64(len(means))
		}
		next := k.PGF(share)
		truth, below = truth+x*(next-below), next
	}
	rng := streams.Fixed("search bias").Rand("banks")
	var bias, estimates []float64
	for i := range 2000 {
		b := normalBank(means, deviation, rng)
		bias = append(bias, b.BestOfK(runs, 0).Accuracy-truth)
		if i < 30 {
			estimates = append(estimates, b.SearchBias(runs, 0, 3, rng))
		}
	}
	want, got := stat.Mean(bias, nil), stat.Mean(estimates, nil)
	if !(want < -0.002) || got/want < 0.75 || got/want > 1.1 {
		t.Errorf("bias of three runs a point %.5f, estimated %.5f", want, got)
	}
	many := normalBank(means, deviation, rng).SearchBias(runs, 0, 100, rng)
	if many < want/5 || many > 0 {
		t.Errorf("bias of 100 runs a point %.5f, of three %.5f", many, want)
	}
	if one := normalBank(means, deviation, rng).SearchBias(law.Fixed{Count: 1}, 0, 3, rng); math.Abs(one) > 1e-12 {
		t.Errorf("bias of one draw %g", one)
	}
}

// A failed training does not widen the law of a point, and a point with one run has the others'.
func TestSearchBiasOfFailures(t *testing.T) {
	rng := streams.Fixed("search bias").Rand("failures")
	b, runs := normalBank([]float64{0.80, 0.81, 0.805}, 0.01, rng), law.Poisson{MeanRepeats: 15}
	without := b.SearchBias(runs, 0, 3, rng)
	best := b.cells[cell{All, 0, 0, 1, 0}]
	best[0] = Run{0.1, 0.1}
	if with := b.SearchBias(runs, 0, 3, rng); math.IsNaN(with) || math.Abs(with-without) > 0.01 {
		t.Errorf("bias %.4f with one run of 0.1, %.4f without", with, without)
	}
	best[1] = Run{0.1, 0.1}
	if with := b.SearchBias(runs, 0, 3, rng); math.IsNaN(with) || math.Abs(with-without) > 0.01 {
		t.Errorf("bias %.4f with two runs of 0.1, %.4f without", with, without)
	}
	for at, list := range b.cells {
		b.cells[at] = list[2:]
	}
	if got := b.SearchBias(runs, 0, 3, rng); !math.IsNaN(got) {
		t.Errorf("bias %g of one run of each point", got)
	}
}
