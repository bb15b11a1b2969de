package record

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
)

// checkDeclaredNoise says how the noise of a query is not what its spend is about; "" if
// it is.
func checkDeclaredNoise(q Query) string {
	const tolerance = 1e-9 // relative: products of the same numbers in another order
	sigma, ok := noiseMultiplier(q.Spend)
	if !ok {
		return fmt.Sprintf("Spend %v: not an event whose noise can be checked: must be Gaussian, or sampled and Gaussian", q.Spend)
	}
	if want := sigma * q.Sensitivity; math.Abs(q.NoiseStdDev-want) > tolerance*want {
		return fmt.Sprintf("NoiseStdDev %.6g: must be %.6g = %g x Sensitivity %g, as Spend says", q.NoiseStdDev, want, sigma, q.Sensitivity)
	}
	return ""
}

// noiseMultiplier returns σ of a Gaussian event, sampled or not.
func noiseMultiplier(e accounting.Event) (float64, bool) {
	switch e := e.(type) {
	case accounting.Gaussian:
		return e.NoiseMultiplier, true
	case accounting.PoissonSampled:
		return noiseMultiplier(e.Event)
	}
	return 0, false
}

// noiseTail is the chance, at most, that one of the three noise tests of a run accuses
// noise that is as declared.
const noiseTail = 1e-9

// checkDrawnNoise tests the noise of all releases of a run against N(0, 1) after scaling
// by the declared standard deviation. With n coordinates z, r = Σz²/n and either side of 1,
//
//	P(Σz² is as far from n or further) <= exp(-n/2 · (r - 1 - ln r))
//
// (Chernoff's bound, from E[exp(s z²)] = (1-2s)^(-1/2) at s = (1 - 1/r)/2), and Σz is N(0, n).
func (s *Session) checkDrawnNoise() {
	n, sum, squares := 0.0, 0.0, 0.0
	for _, q := range s.queries {
		for i, v := range q.Released {
			z := (v - q.Value[i]) / q.NoiseStdDev
			n, sum, squares = n+1, sum+z, squares+z*z
		}
	}
	if n == 0 || math.IsNaN(squares) || math.IsInf(squares, 0) {
		return // nothing was released, or it was reported as not finite
	}
	x := math.Log(2 / noiseTail)
	if r := squares / n; n/2*(r-1-math.Log(r)) > x { // r = 0 gives +Inf
		s.fault(Noise, -1, "", fmt.Sprintf("over %g coordinates the noise has %.3g times the declared standard deviation: by chance at most once in %.1g runs",
			n, math.Sqrt(r), 1/noiseTail))
		return
	}
	if limit := math.Sqrt(2 * n * x); math.Abs(sum) > limit { // P(|N(0, 1)| > t) <= 2 exp(-t²/2)
		s.fault(Noise, -1, "", fmt.Sprintf("over %g coordinates the noise sums to %.3g declared standard deviations: must be within %.3g of 0", n, sum, limit))
	}
	s.checkFreshNoise()
}

// mostApart is how many queries apart two are at the most whose noises are compared.
const mostApart = 64

// checkFreshNoise tests that the noises z and z' of queries that are 1, 2, ..., mostApart
// apart are uncorrelated. Pairs are compared in two lots, in each of which a query has one
// partner: over n coordinates of a lot, with r = Σzz'/n, a sum as far from 0 or further has
// chance at most
//
//	2 exp(-n (s r + ½ ln(1-s²))),  s = (√(1+4r²) - 1) / (2r)
//
// (Chernoff's bound, from E[exp(s z z')] = (1-s²)^(-1/2)).
func (s *Session) checkFreshNoise() {
	lags := min(mostApart, len(s.queries)-1)
	x := math.Log(2 * 2 * float64(lags) / noiseTail)
	for lag := 1; lag <= lags; lag++ {
		for lot := range 2 {
			n, products := s.productsOfNoise(lag, lot)
			r := math.Abs(products) / n
			tilt := (math.Sqrt(1+4*r*r) - 1) / (2 * r)
			if n*(tilt*r+0.5*math.Log1p(-tilt*tilt)) > x { // NaN for r = 0 or n = 0
				s.fault(Noise, -1, "", fmt.Sprintf("over %g coordinates the noises of queries %d apart have correlation %.3g: by chance at most once in %.1g runs",
					n, lag, products/n, 1/noiseTail))
				return
			}
		}
	}
}

// productsOfNoise returns the sum of the products of the noises of queries that are lag apart,
// of the first lag queries of every 2 lag, or of the others, and how many they are.
func (s *Session) productsOfNoise(lag, lot int) (n, products float64) {
	for t := range len(s.queries) - lag {
		if t/lag%2 != lot {
			continue
		}
		a, b := s.queries[t], s.queries[t+lag]
		for i := range min(len(a.Released), len(b.Released)) {
			n++
			products += (a.Released[i] - a.Value[i]) / a.NoiseStdDev * (b.Released[i] - b.Value[i]) / b.NoiseStdDev
		}
	}
	return n, products
}
