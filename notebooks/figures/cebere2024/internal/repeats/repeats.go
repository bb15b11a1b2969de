// Package repeats says how well the mean of a few independent audits is known.
package repeats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Mean returns the mean of x and the half-width of its 95 % interval by Student's t law. The half-width of fewer than two
// values is NaN: one audit does not say how far it is from the next.
func Mean(x []float64) (mean, halfWidth float64) {
	n := float64(len(x))
	if n < 2 {
		return stat.Mean(x, nil), math.NaN()
	}
	mean, stdDev := stat.MeanStdDev(x, nil)
	return mean, distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * stdDev / math.Sqrt(n)
}

// Sign returns the sign of a change that is known up to its error, and the error of that sign: 0, or 1 next to the sign 0
// when the change is no larger than its error, or when that is not known (NaN).
func Sign(change, err float64) (sign, signErr float64) {
	switch {
	case change == 0 && err == 0:
		return 0, 0
	case !(math.Abs(change) > err):
		return 0, 1
	}
	return math.Copysign(1, change), 0
}
