package laws

import (
	"math"

	"github.com/dplab/dplab/accounting/chart"
)

// Stretch is a range of prices in which one family buys the most of those that are drawn.
type Stretch struct {
	Family   Family
	From, To float64
	Ended    bool // the family's curve ends at To; nothing is known beyond
}

// LeastLead is the least difference that counts as a lead, of quantities in [0, 1].
const LeastLead = 0.001

// Leaders returns which family buys the most at prices from lo to hi, in order, up to where the
// curve of a leader ends. Curves are straight between their points; where another curve has ended,
// its last value can still be bought. A leader stays until another family buys leastLead more, and
// a lead over less than a fiftieth of the range is left out.
func Leaders(families []Family, prices, bought [][]float64, lo, hi float64) []Stretch {
	const steps = 500
	var out []Stretch
	for i := range steps + 1 {
		x := lo + (hi-lo)*float64(i)/steps
		best, most := -1, math.Inf(-1)
		for k := range families {
			if y := BoughtAt(prices[k], bought[k], x); y > most {
				best, most = k, y
			}
		}
		for k, f := range families {
			if len(out) > 0 && f == out[len(out)-1].Family && BoughtAt(prices[k], bought[k], x) >= most-LeastLead {
				best = k
			}
		}
		if best < 0 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Family == families[best] {
			out[n-1].To = x
		} else {
			out = append(out, Stretch{Family: families[best], From: x, To: x})
		}
		last := &out[len(out)-1]
		for k, f := range families {
			if f == last.Family && x >= prices[k][len(prices[k])-1] {
				last.Ended = true
			}
		}
		if last.Ended {
			break
		}
	}
	return longStretches(out, (hi-lo)/50)
}

func longStretches(all []Stretch, least float64) (out []Stretch) {
	for _, s := range all {
		switch {
		case s.To-s.From < least:
		case len(out) > 0 && out[len(out)-1].Family == s.Family:
			out[len(out)-1].To, out[len(out)-1].Ended = s.To, s.Ended
		default:
			out = append(out, s)
		}
	}
	return out
}

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
