package bank

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/selection/law"
)

// SearchBias estimates by how much the accuracy of BestOfK differs from that of searches with new
// runs, if the bank has the given number of runs of each point. It is mostly negative: a search can
// draw a point more often than the bank has runs of it, and the best of few is worse than the best
// of many.
//
// It is a parametric bootstrap. A normal law of scores and accuracies, with the mean and covariance
// of a point's runs, takes their place. The estimate is the mean over many banks of such draws,
// less the result of all these draws in one bank. Scores below the middle of the level's range stay
// as they are, because trainings that fail are far from normal, and they do not win. A point with
// one run above the middle has the mean covariance of the other points. SearchBias returns NaN if
// no point has two.
//
// A covariance of few runs is itself uncertain, so this shows the size of the bias and not its
// digits.
//
// Reference: Efron and Tibshirani (1993), "An Introduction to the Bootstrap", Sections 6.5 and
// 10.2.
func (b Bank) SearchBias(k law.Law, level, runs int, rng *rand.Rand) float64 {
	points := b.normals(level)
	if points == nil {
		return math.NaN()
	}
	var mean float64
	all := make([][]Run, len(points))
	for range biasBanks {
		var drawn pool
		for i, p := range points {
			few := make([]Run, runs)
			for j := range few {
				few[j] = p.draw(rng)
			}
			drawn.add(i, few)
			all[i] = append(all[i], few...)
		}
		mean += drawn.best(k) / biasBanks
	}
	var drawn pool
	for i, list := range all {
		drawn.add(i, list)
	}
	return mean - drawn.best(k)
}

// biasBanks is the number of banks that SearchBias draws. The error of the estimate is the standard
// deviation of BestOfK over banks, divided by 20.
const biasBanks = 400

// best returns the mean accuracy of the best of K draws.
func (p pool) best(k law.Law) (accuracy float64) {
	for run, chance := range Winner(k.Distribution(), p.scores, p.weights) {
		accuracy += chance * p.accuracies[run]
	}
	return accuracy
}

// normal is a law of the runs of one point. A draw is a failed run or normal, with their shares in
// the bank.
type normal struct {
	failed []Run
	others int // runs that did not fail

	mean                Run
	score, common, rest float64 // Cholesky factor of the covariance: score; common, rest
}

func (n normal) draw(rng *rand.Rand) Run {
	if i := rng.IntN(len(n.failed) + n.others); i < len(n.failed) {
		return n.failed[i]
	}
	x, y := rng.NormFloat64(), rng.NormFloat64()
	return Run{min(1, n.mean.Score+n.score*x), min(1, n.mean.Accuracy+n.common*x+n.rest*y)}
}

// normals fits the runs on all data of each point at a level. It returns nil if no covariance is
// known.
func (b Bank) normals(level int) []normal {
	var runs [][]Run
	low, high := math.Inf(1), math.Inf(-1)
	for i := range b.Config.Points() {
		t, rate := i/len(b.Config.LearningRates), b.Config.LearningRates[i%len(b.Config.LearningRates)]
		runs = append(runs, b.At(All, t, level, rate))
		for _, r := range runs[i] {
			low, high = min(low, r.Score), max(high, r.Score)
		}
	}
	points := make([]normal, len(runs))
	covariances := make([][3]float64, len(runs)) // of the scores; of both; of the accuracies
	var mean [3]float64
	known := 0.
	for i, list := range runs {
		p := &points[i]
		var scores, accuracies []float64
		for _, r := range list {
			if r.Score < (low+high)/2 {
				p.failed = append(p.failed, r)
				continue
			}
			scores, accuracies = append(scores, r.Score), append(accuracies, r.Accuracy)
		}
		p.others = len(scores)
		if p.others == 0 {
			continue
		}
		p.mean = Run{stat.Mean(scores, nil), stat.Mean(accuracies, nil)}
		if p.others == 1 {
			continue
		}
		c := [3]float64{stat.Variance(scores, nil), stat.Covariance(scores, accuracies, nil), stat.Variance(accuracies, nil)}
		covariances[i] = c
		known++
		for j := range mean {
			mean[j] += (c[j] - mean[j]) / known
		}
	}
	if known == 0 {
		return nil
	}
	for i := range points {
		if points[i].others == 1 {
			covariances[i] = mean
		}
		points[i].factor(covariances[i])
	}
	return points
}

// factor sets the Cholesky factor of a covariance.
func (n *normal) factor(c [3]float64) {
	n.score = math.Sqrt(c[0])
	if n.score > 0 {
		n.common = c[1] / n.score
	}
	n.rest = math.Sqrt(max(0, c[2]-n.common*n.common))
}
