package laws

import (
	"math"

	"github.com/dplab/dplab/accounting/chart"
)

// LogSpace returns n values from lo to hi with equal ratios, both ends exact.
func LogSpace(lo, hi float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = lo * math.Pow(hi/lo, float64(i)/float64(n-1))
	}
	out[n-1] = hi
	return out
}

// Interpolate returns the value at x of straight lines through the points, xs not falling.
func Interpolate(xs, ys []float64, x float64) float64 {
	for i := 1; i < len(xs); i++ {
		if x <= xs[i] && xs[i] > xs[i-1] {
			return ys[i-1] + (ys[i]-ys[i-1])*(x-xs[i-1])/(xs[i]-xs[i-1])
		}
	}
	return ys[len(ys)-1]
}

// BoughtAt returns what the price x buys, NaN below the least price.
func BoughtAt(prices, bought []float64, x float64) float64 {
	if x < prices[0] {
		return math.NaN()
	}
	return Interpolate(prices, bought, x)
}

// InFrame keeps the points up to the first one beyond the right edge, if there is one.
func InFrame(xs, ys []float64, right float64, curve chart.Curve) chart.Curve {
	for i, x := range xs {
		curve.X = append(curve.X, x)
		curve.Y = append(curve.Y, ys[i])
		if right > 0 && x > right {
			break
		}
	}
	return curve
}
