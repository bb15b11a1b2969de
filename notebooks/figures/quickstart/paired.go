package quickstart

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// interval is an estimate with its two-sided 95 % interval, by Student's law.
type interval struct{ Estimate, Low, High float64 }

func newInterval(estimate, stdErr float64, freedom int) interval {
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(0.975) * stdErr
	return interval{estimate, estimate - half, estimate + half}
}

// pairedDifference is the mean of a less that of b, whose values of one index share a seed.
func pairedDifference(a, b []float64) interval {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	mean, deviation := stat.MeanStdDev(d, nil)
	return newInterval(mean, deviation/math.Sqrt(float64(len(d))), len(d)-1)
}

// spreadRatio is the standard deviation of a over that of b, of values paired as in
// pairedDifference. Its interval is the jackknife's for the logarithm of the ratio, since accuracies are
// far from normal. Where a standard deviation is 0 the interval is from 0 to +Inf.
func spreadRatio(a, b []float64) interval {
	n := len(a)
	if n < 3 { // leaving one out leaves no spread
		return interval{stat.StdDev(a, nil) / stat.StdDev(b, nil), 0, math.Inf(1)}
	}
	logRatio := func(a, b []float64) float64 { return math.Log(stat.StdDev(a, nil) / stat.StdDev(b, nil)) }
	all, pseudo := logRatio(a, b), make([]float64, n)
	for i := range n {
		pseudo[i] = float64(n)*all - float64(n-1)*logRatio(without(a, i), without(b, i))
	}
	mean, deviation := stat.MeanStdDev(pseudo, nil)
	if math.IsNaN(deviation) || math.IsInf(mean, 0) {
		return interval{math.Exp(all), 0, math.Inf(1)}
	}
	log := newInterval(mean, deviation/math.Sqrt(float64(n)), n-1)
	return interval{math.Exp(all), math.Exp(log.Low), math.Exp(log.High)}
}

func without(x []float64, i int) []float64 {
	return append(append([]float64{}, x[:i]...), x[i+1:]...)
}
