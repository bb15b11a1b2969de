package figures

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"

	"github.com/dplab/dplab/accounting/chart"
)

// Estimate is the mean of N independent numbers and their standard deviation.
type Estimate struct {
	Mean, StdDev float64
	N            int
}

// EstimateOf returns the estimate of numbers. One number has no standard deviation, which is NaN.
func EstimateOf(xs []float64) Estimate {
	n, squares, rest := float64(len(xs)), 0.0, 0.0
	mean := floats.Sum(xs) / n
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
		rest += x - mean // of rounding
	}
	return Estimate{mean, math.Sqrt((squares - rest*rest/n) / (n - 1)), len(xs)}
}

// Spread returns the standard deviation.
func (e Estimate) Spread() float64 { return e.StdDev }

// StdErr returns the standard error of the mean.
func (e Estimate) StdErr() float64 { return e.StdDev / math.Sqrt(float64(e.N)) }

// HalfWidth returns the half-width of the 95 % interval of the mean by Student's t law. It is NaN
// for fewer than two numbers. With ν = N - 1, ν/(t² + ν) has the law Beta(ν/2, 1/2): the chance of
// |T| > t is I(ν/2, 1/2) at this place (Abramowitz and Stegun, 26.7.1).
func (e Estimate) HalfWidth() float64 {
	if e.N < 2 {
		return math.NaN()
	}
	nu := float64(e.N) - 1
	at := mathext.InvRegIncBeta(nu/2, 0.5, 0.05)
	return math.Sqrt(nu*(1-at)/at) * e.StdErr()
}

// Above returns the difference of the means of a and b, and two standard errors of it.
func (e Estimate) Above(b Estimate) (difference, err float64) {
	return e.Mean - b.Mean, 2 * math.Hypot(e.StdErr(), b.StdErr())
}

// Text writes the mean and two standard errors, with so many decimal places.
func (e Estimate) Text(places int) string {
	return fmt.Sprintf("%.*f ± %.*f", places, e.Mean, places, 2*e.StdErr())
}

// Sign returns the sign of a change that is known within err, and the error of that sign. If the
// change is at most err, or one of them is NaN, the sign is 0 and its error 1. Otherwise the error
// is 0, as it is if both are 0.
func Sign(change, err float64) (sign, signErr float64) {
	switch {
	case change == 0 && err == 0:
		return 0, 0
	case !(math.Abs(change) > err):
		return 0, 1
	}
	return math.Copysign(1, change), 0
}

// PlusMinus writes a number and its error with two decimal places. An error of NaN is left out.
func PlusMinus(x, err float64) string {
	if math.IsNaN(err) {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.2f ± %.2f", x, err)
}

// Percent writes a share in percent, with so many decimal places.
func Percent(share float64, places int) string { return fmt.Sprintf("%.*f %%", places, 100*share) }

// Floats returns numbers of another type as float64, to draw and to check.
func Floats[N ~int | ~int32 | ~float32 | ~float64](numbers []N) []float64 {
	return Map(numbers, func(x N) float64 { return float64(x) })
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

// Ranges returns the curve with the means of lists as Y. Its band goes from the least to the
// largest number of each list. If a list has fewer than three numbers, the curve has no band.
func Ranges(c chart.Curve, lists [][]float64) chart.Curve {
	band := true
	for _, list := range lists {
		c.Y = append(c.Y, EstimateOf(list).Mean)
		c.Low, c.High = append(c.Low, slices.Min(list)), append(c.High, slices.Max(list))
		band = band && len(list) >= 3
	}
	if !band {
		c.Low, c.High = nil, nil
	}
	return c
}

// fewBars is at how many places MeansAndBars draws a bar.
const fewBars = 5

// MeansAndBars returns curve i of n with the means of lists as Y, and bars from the least to the
// largest number of a list. There are bars at five of the places, and each curve has its own:
// bands or bars of all would hide each other. The curve's color must be set. Lists of fewer than
// three numbers have no bars.
func MeansAndBars(c chart.Curve, lists [][]float64, i, n int) []chart.Curve {
	all := Ranges(chart.Curve{X: c.X}, lists)
	bars := chart.Curve{Kind: chart.Points, Color: c.Color, Small: true}
	if c.Y = all.Y; all.Low == nil {
		return []chart.Curve{c}
	}
	before := -1
	for k := range fewBars {
		at := (k*n + i) * len(all.X) / (fewBars * n)
		if at == before {
			continue
		}
		before = at
		bars.X, bars.Y = append(bars.X, all.X[at]), append(bars.Y, all.Y[at])
		bars.Low, bars.High = append(bars.Low, all.Low[at]), append(bars.High, all.High[at])
	}
	return []chart.Curve{c, bars}
}

// Level returns a horizontal reference line at y, from the first to the last of xs.
func Level(label string, xs []float64, y float64) chart.Curve {
	return chart.Curve{Label: label, X: chart.Series{xs[0], xs[len(xs)-1]}, Y: chart.Series{y, y}, Reference: true}
}

// UpTo returns 1, 2, ..., n.
func UpTo(n int) chart.Series {
	x := make(chart.Series, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	return x
}

// Map returns f of each element.
func Map[X, Y any](xs []X, f func(X) Y) []Y {
	ys := make([]Y, len(xs))
	for i, x := range xs {
		ys[i] = f(x)
	}
	return ys
}

// Dodged returns how far to move the points of curve i of n sideways, for Curve.Dodge.
func Dodged(i, n int) int { return max(-6, min(6, i-n/2)) }
