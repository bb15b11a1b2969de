package bank

import (
	"github.com/dplab/dplab/accounting/selection/law"
)

// Outcome is what a protocol reaches, averaged over all its draws. A protocol without any run
// counts as accuracy 0.
type Outcome struct {
	Accuracy float64   // of the released model
	Chances  []float64 // chance of each point of the grid to be chosen
}

// BestOfK is the search on all data: the best of K runs, each with a point of the grid drawn
// uniformly. It is exact for draws from the bank. Searches with new runs differ by SearchBias.
//
// Reference: Papernot and Steinke (2022), Algorithm 1.
func (b Bank) BestOfK(k law.Law, level int) Outcome {
	var drawn pool
	for i := range b.Config.Points() {
		t, rate := i/len(b.Config.LearningRates), b.Config.LearningRates[i%len(b.Config.LearningRates)]
		drawn.add(i, b.At(All, t, level, rate))
	}
	out := Outcome{Chances: make([]float64, b.Config.Points())}
	for run, chance := range Winner(k.Distribution(), drawn.scores, drawn.weights) {
		out.Chances[drawn.points[run]] += chance
		out.Accuracy += chance * drawn.accuracies[run]
	}
	return out
}

// TuneThenTrain is the search on a sample and one more training, with the scaled learning rate of
// the winner: on Rest (variant 1) or All data (variant 2). The runs of one search share a sample.
// The last training starts from new weights.
//
// Reference: Koskela and Kulkarni (2023), Section 3.1.
func (b Bank) TuneThenTrain(k law.Law, level int, last Part) Outcome {
	out := Outcome{Chances: make([]float64, b.Config.Points())}
	samples := b.samples(level)
	for _, drawn := range samples {
		for run, chance := range Winner(k.Distribution(), drawn.scores, drawn.weights) {
			out.Chances[drawn.points[run]] += chance / float64(len(samples))
		}
	}
	out.Accuracy = b.After(out.Chances, level, last)
	return out
}

// After returns the mean accuracy of a last training whose point was chosen on the sample with the
// given chances.
func (b Bank) After(chances []float64, level int, last Part) (mean float64) {
	for i, chance := range chances {
		if chance > 0 {
			rate := b.Config.Scaled(b.Config.LearningRates[i%len(b.Config.LearningRates)], last)
			mean += chance * MeanAccuracy(b.At(last, i/len(b.Config.LearningRates), level, rate))
		}
	}
	return mean
}

// samples returns the runs on each sample.
func (b Bank) samples(level int) (all []pool) {
	for s := range b.Repeats {
		var drawn pool
		for i := range b.Config.Points() {
			at := cell{Sample, i / len(b.Config.LearningRates), level, i % len(b.Config.LearningRates), s}
			drawn.add(i, b.cells[at])
		}
		all = append(all, drawn)
	}
	return all
}

// Known is one run on all data with the point of the grid that is best on average, by the largest
// mean score. It is what tuning would give if it cost nothing.
func (b Bank) Known(level int) Outcome {
	out := Outcome{Chances: make([]float64, b.Config.Points())}
	best, most := 0, -1.0
	for i := range b.Config.Points() {
		runs := b.At(All, i/len(b.Config.LearningRates), level, b.Config.LearningRates[i%len(b.Config.LearningRates)])
		if mean := meanScore(runs); mean > most {
			best, most, out.Accuracy = i, mean, MeanAccuracy(runs)
		}
	}
	out.Chances[best] = 1
	return out
}

// pool holds runs to draw from. Each point of the grid has the same chance, and so has each of its
// runs.
type pool struct {
	points                      []int
	scores, accuracies, weights []float64
}

func (p *pool) add(point int, runs []Run) {
	for _, r := range runs {
		p.points = append(p.points, point)
		p.scores, p.accuracies = append(p.scores, r.Score), append(p.accuracies, r.Accuracy)
		p.weights = append(p.weights, 1/float64(len(runs)))
	}
}

func meanScore(runs []Run) (mean float64) {
	for _, r := range runs {
		mean += r.Score / float64(len(runs))
	}
	return mean
}

// MeanAccuracy returns the mean accuracy of at least one run.
func MeanAccuracy(runs []Run) (mean float64) {
	for _, r := range runs {
		mean += r.Accuracy / float64(len(runs))
	}
	return mean
}
