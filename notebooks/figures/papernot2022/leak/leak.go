package leak

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/notebooks/figures"
)

// TuningLeak is what tuning one hyper-parameter by accuracy gives, with and without the
// outliers, over repeated draws of the data.
type TuningLeak struct {
	Weights       []float64
	Without, With AccuracyCurve
	// Advantage is twice the share of right guesses less 1 of an observer who sees only the chosen
	// weight and guesses whether the outliers were in. The rule is learned on half of the draws and
	// counted on the other half, which leaves no bias. 0 means no leak.
	Advantage       float64
	AdvantageStdErr float64
}

// AccuracyCurve is the training accuracy over the hinge weights.
type AccuracyCurve struct {
	Mean      []float64 // over the draws, one for each weight
	Low, High []float64 // the quantiles 0.1 and 0.9 of the draws
	// Chosen[i] is the share of draws in which weight i is chosen: the one of the best
	// accuracy, the smallest of them in a tie.
	Chosen []float64
	// Median, Low10 and High90 are quantiles of the chosen weight over the draws.
	Median, Low10, High90 float64
	// MedianErr is the half-width of a 95% interval of the median by order statistics, and at
	// least half of the distance to the next weight.
	MedianErr float64
	// Change is how much a straight line over ln α, fitted to the accuracies of one draw, rises
	// from the smallest weight to the largest: the mean over the draws.
	Change, ChangeStdErr float64
	// Peak is the weight of the highest mean accuracy. PeakLow and PeakHigh are the smallest and
	// the largest weight whose mean is not told from it: two standard errors of the paired
	// difference.
	Peak, PeakLow, PeakHigh float64
}

func newTuningLeak(weights []float64, without, with [][]float64) TuningLeak {
	l := TuningLeak{Weights: weights, Without: newAccuracyCurve(weights, without), With: newAccuracyCurve(weights, with)}
	half := len(without) / 2
	learned := make([]int, len(weights)) // with less without
	for i := range half {
		learned[floats.MaxIdx(with[i])]++
		learned[floats.MaxIdx(without[i])]--
	}
	gain := make([]float64, 0, len(without)-half)
	for i := half; i < len(without); i++ {
		gain = append(gain, (guess(learned[floats.MaxIdx(with[i])])-guess(learned[floats.MaxIdx(without[i])]))/2)
	}
	l.Advantage = stat.Mean(gain, nil)
	if len(gain) > 1 {
		l.AdvantageStdErr = figures.EstimateOf(gain).StdErr()
	}
	return l
}

// guess is +1 for "the outliers are in", -1 for "they are not", 0 for a coin.
func guess(learned int) float64 {
	switch {
	case learned > 0:
		return 1
	case learned < 0:
		return -1
	}
	return 0
}

func newAccuracyCurve(weights []float64, draws [][]float64) AccuracyCurve {
	n := len(weights)
	c := AccuracyCurve{Chosen: make([]float64, n)}
	columns := make([][]float64, n)
	for _, row := range draws {
		c.Chosen[floats.MaxIdx(row)] += 1 / float64(len(draws))
		for i, accuracy := range row {
			columns[i] = append(columns[i], accuracy)
		}
	}
	for _, column := range columns {
		sorted := slices.Sorted(slices.Values(column))
		c.Mean = append(c.Mean, stat.Mean(column, nil))
		c.Low = append(c.Low, stat.Quantile(0.1, stat.Empirical, sorted, nil))
		c.High = append(c.High, stat.Quantile(0.9, stat.Empirical, sorted, nil))
	}
	c.Low10, c.Median, c.High90 = c.quantile(weights, 0.1), c.quantile(weights, 0.5), c.quantile(weights, 0.9)
	c.MedianErr = c.medianErr(weights, len(draws))
	c.Change, c.ChangeStdErr = change(weights, draws)
	c.Peak, c.PeakLow, c.PeakHigh = peak(weights, c.Mean, columns)
	return c
}

// medianErr takes the order statistics of rank n/2 -+ 0.98√n: the number of draws below the
// median is binomial, and normal but for rounding.
func (c AccuracyCurve) medianErr(weights []float64, n int) float64 {
	reach := 0.98 / math.Sqrt(float64(n))
	low, high := c.quantile(weights, 0.5-reach), c.quantile(weights, 0.5+reach+1/float64(n))
	err := math.Max(high-c.Median, c.Median-low)
	at := slices.Index(weights, c.Median)
	for _, next := range []int{at - 1, at + 1} {
		if next >= 0 && next < len(weights) {
			err = math.Max(err, math.Abs(weights[next]-c.Median)/2)
		}
	}
	return err
}

// change returns the mean rise of the fitted lines, and its standard error.
func change(weights []float64, draws [][]float64) (mean, stdErr float64) {
	var logs, rises []float64
	for _, w := range weights {
		logs = append(logs, math.Log(w))
	}
	for _, row := range draws {
		_, slope := stat.LinearRegression(logs, row, nil, false)
		rises = append(rises, slope*(logs[len(logs)-1]-logs[0]))
	}
	e := figures.EstimateOf(rises)
	return e.Mean, e.StdErr()
}

// peak returns the weight of the highest mean, and the ends of those that are not told from it.
func peak(weights, means []float64, columns [][]float64) (at, low, high float64) {
	best := floats.MaxIdx(means)
	low, high = weights[best], weights[best]
	for i, column := range columns {
		if e := figures.EstimateOf(floats.SubTo(make([]float64, len(columns[best])), columns[best], column)); e.Mean <= 2*e.StdErr() {
			low, high = math.Min(low, weights[i]), math.Max(high, weights[i])
		}
	}
	return weights[best], low, high
}

// chosenWithin returns the share of draws that choose a weight in [low, high].
func (l TuningLeak) chosenWithin(c AccuracyCurve, low, high float64) float64 {
	sum := 0.0
	for i, weight := range l.Weights {
		if weight >= low && weight <= high {
			sum += c.Chosen[i]
		}
	}
	return sum
}

// quantile returns the least weight that at least a share p of the draws do not exceed.
func (c AccuracyCurve) quantile(weights []float64, p float64) float64 {
	const rounding = 1e-9 // shares are sums of 1/draws
	for i, share := range cumulative(c.Chosen) {
		if share >= p-rounding {
			return weights[i]
		}
	}
	return weights[len(weights)-1]
}
