package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
)

// Estimate is the mean of N independent numbers and their standard deviation.
type Estimate struct {
	Mean, StdDev float64
	N            int
}

// EstimateOf returns the estimate of at least two numbers.
func EstimateOf(xs []float64) Estimate {
	mean, stdDev := stat.MeanStdDev(xs, nil)
	return Estimate{mean, stdDev, len(xs)}
}

// Spread returns the standard deviation.
func (e Estimate) Spread() float64 { return e.StdDev }

// StdErr returns the standard error of the mean.
func (e Estimate) StdErr() float64 { return e.StdDev / math.Sqrt(float64(e.N)) }

// Above returns the difference of the means of a and b, and two standard errors of it.
func (e Estimate) Above(b Estimate) (difference, err float64) {
	return e.Mean - b.Mean, 2 * math.Hypot(e.StdErr(), b.StdErr())
}

// Text writes the mean and two standard errors, with so many decimal places.
func (e Estimate) Text(places int) string {
	return fmt.Sprintf("%.*f ± %.*f", places, e.Mean, places, 2*e.StdErr())
}

// PlusMinus writes a number and its error with two decimal places.
func PlusMinus(x, err float64) string { return fmt.Sprintf("%.2f ± %.2f", x, err) }

// Percent writes a share in percent, with so many decimal places.
func Percent(share float64, places int) string { return fmt.Sprintf("%.*f %%", places, 100*share) }

// Floats returns counts as numbers, to draw and to check.
func Floats(counts []int) []float64 {
	xs := make([]float64, len(counts))
	for i, n := range counts {
		xs[i] = float64(n)
	}
	return xs
}

// Means returns the curve with the means as Y. Its band is widths times what of returns, such as
// 2 times [Estimate.StdErr].
func Means(c chart.Curve, list []Estimate, widths float64, of func(Estimate) float64) chart.Curve {
	for _, e := range list {
		c.Y = append(c.Y, e.Mean)
		c.Low, c.High = append(c.Low, e.Mean-widths*of(e)), append(c.High, e.Mean+widths*of(e))
	}
	return c
}

// Dodged returns how far to move the points of curve i of n sideways, for Curve.Dodge.
func Dodged(i, n int) int { return max(-6, min(6, i-n/2)) }
