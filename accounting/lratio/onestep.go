package lratio

import "math"

// oneStep returns a law below X = dN(s, 1)/dN(0, 1) under N(0, 1), log X ~ N(-s²/2, s²), on about n
// cells. Each tail that is cut off has at most the mass e^logTau: less mass only lowers the law.
//
// With x the normal variable, cell k is [x_k, x_{k+1}], where X = e^{s x - s²/2} has the edges z_k
// and z_{k+1}. The mass of the cell and the mean of X in it are integrals of smooth positive
// functions, by Gauss and Legendre's eight nodes. Nothing cancels.
//
// The rule's error. For f(x) = e^{a x} φ(x) and c in a cell, f(c+y)/f(c) = e^{ax - cy - y²/2} has
// derivatives of order 16 at most (|c-a|+|y|+4)^16 times itself, as the Hermite polynomial obeys
// |He_n(x)| <= (|x|+√n)^n: it is E (x+iN)^n. The error of the rule, relative to the largest value
// in the cell, is at most w^16 8!^4/(17·16!^3) times that, for a cell of width w. For w (|c-a|+5)
// <= 2 it is below 1e-17, and the largest value is at most e^2 times the least.
//
// Reference: Abramowitz and Stegun, 25.4.30 (the rule and its error).
func oneStep(s float64, n int, logTau float64) (law, error) {
	if s < leastDistance { // Z = 1 is dominated
		return law{h: leastDistance, q: []float64{scale}, r: []float64{scale}}, nil
	}
	far := math.Sqrt(-2 * logTau) // Φ(-far) <= e^logTau
	lo, hi := -far, far+s
	if top := s*hi - s*s/2; top > mostLog || s*far+s*s/2 > mostLog {
		return law{}, errLarge
	}
	n = max(n, int((hi-lo)*(far+s+6)/2)+2) // w (|c-a|+5) <= 2
	h := s * (hi - lo) / float64(n)
	first := int(math.Floor((s*lo - s*s/2) / h))
	l := law{h: h, first: first, q: make([]float64, n+2), r: make([]float64, n+2), kappa: 64 * unit}
	edge := func(k int) float64 { return (h*float64(first+k) + s*s/2) / s }
	for k := 0; k <= n; k++ {
		mass, mean := cell(s, edge(k), edge(k+1)) // X's mean over its value at the left edge
		l.q[k], l.r[k] = mass, mass*mean
	}
	// The edges err by some units of their logarithm, the means by those of the rule.
	l.eta = moved(s*hi, s*s, s*lo) + 128*unit
	return l, nil
}

// leastDistance is the least distance that is not rounded. The cells of smaller ones would be
// narrower than a rounding error of their edges.
const leastDistance = 1e-9

// Nodes and weights of Gauss and Legendre's rule on [-1, 1].
var (
	legendreNodes   = [8]float64{-0.9602898564975363, -0.7966664774136267, -0.5255324099163290, -0.1834346424956498, 0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363}
	legendreWeights = [8]float64{0.1012285362903763, 0.2223810344533745, 0.3137066458778873, 0.3626837833783620, 0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763}
)

// cell returns the mass of [a, b] under N(0, 1), times scale, and the mean of e^{s(x-a)} there.
func cell(s, a, b float64) (mass, mean float64) {
	c, w := a+(b-a)/2, (b-a)/2
	sum, weighted := 0.0, 0.0
	for i, node := range legendreNodes {
		y := w * node
		f := legendreWeights[i] * math.Exp(-y*(c+y/2))
		sum += f
		weighted += f * math.Exp(s*(y+(c-a)))
	}
	return scaledDensity(c) * w * sum, weighted / sum
}

// scaledDensity returns φ(x) times scale, to some 16 units, for |x| < 53. The square is split into
// its rounded value and the rest, and then the large exponent has no rounding error.
func scaledDensity(x float64) float64 {
	square := x * x
	rest := math.FMA(x, x, -square)
	e := math.Exp(-square / 8)
	e *= 0x1p250
	e *= e
	return e * e * math.Exp(-rest/2) / math.Sqrt(2*math.Pi)
}
