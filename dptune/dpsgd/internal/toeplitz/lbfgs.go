package toeplitz

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// minimized returns a point of low value of a smooth function, by L-BFGS from a start. It ends when
// ten iterations together gain less than 1e-13 of the value. of returns the value and the
// gradient. (gonum/optimize has this method too, but needs another module.)
//
// Reference: Nocedal and Wright (2006), Numerical Optimization, Algorithm 7.4 and 7.5, with
// backtracking in place of the Wolfe conditions. A pair with s·y <= 0 is left out.
func minimized(x []float64, of func(x []float64) (float64, []float64)) []float64 {
	const most, window = 1000, 10
	type pair struct{ s, y []float64 }
	var pairs []pair
	value, gradient := of(x)
	values := []float64{value}
	for range most {
		direction, alphas := make([]float64, len(x)), make([]float64, len(pairs))
		floats.SubTo(direction, direction, gradient)
		for i := len(pairs) - 1; i >= 0; i-- {
			p := pairs[i]
			alphas[i] = floats.Dot(p.s, direction) / floats.Dot(p.s, p.y)
			floats.AddScaled(direction, -alphas[i], p.y)
		}
		if n := len(pairs); n > 0 {
			p := pairs[n-1]
			floats.Scale(floats.Dot(p.s, p.y)/floats.Dot(p.y, p.y), direction)
		} else if size := floats.Norm(direction, 2); size > 1 {
			floats.Scale(1/size, direction)
		}
		for i, p := range pairs {
			beta := floats.Dot(p.y, direction) / floats.Dot(p.s, p.y)
			floats.AddScaled(direction, alphas[i]-beta, p.s)
		}
		slope := floats.Dot(gradient, direction)
		if !(slope < 0) {
			return x
		}
		next, nextValue, nextGradient := []float64(nil), math.Inf(1), []float64(nil)
		for step := 1.0; !(nextValue <= value+1e-4*step*slope); step /= 2 {
			if step < 1e-12 {
				return x
			}
			next = floats.AddScaledTo(make([]float64, len(x)), x, step, direction)
			nextValue, nextGradient = of(next)
		}
		s := floats.SubTo(make([]float64, len(x)), next, x)
		y := floats.SubTo(make([]float64, len(x)), nextGradient, gradient)
		if floats.Dot(s, y) > 0 {
			pairs = append(pairs, pair{s, y})
		}
		pairs = pairs[max(0, len(pairs)-30):]
		x, value, gradient = next, nextValue, nextGradient
		values = append(values, value)
		if n := len(values); n > window && values[n-1-window]-value <= 1e-13*value {
			break
		}
	}
	return x
}
