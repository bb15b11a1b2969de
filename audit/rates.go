package audit

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// RateUpper returns the Clopper-Pearson upper bound on a rate that count of n trials showed. It is
// the p with P[Bin(n, p) <= count] = significance, rounded up.
//
// Special cases are:
//
//	count = n  returns 1
//	count = 0  returns 1 - significance^(1/n)
//
// Counts outside [0, n], n < 1 and a significance outside (0, 1) give 1.
//
// Reference: Clopper and Pearson (1934), Biometrika 26(4).
func RateUpper(count, n int, significance float64) float64 {
	switch {
	case count >= n || count < 0 || !(significance > 0 && significance < 1):
		return 1
	case count == 0:
		return -math.Expm1(numeric.Log(significance) / float64(n))
	}
	return tails.BetaUpperQuantile(significance, float64(count+1), float64(n-count))
}

// rateLower returns the Clopper-Pearson lower bound on a rate, rounded down. Arguments out of range
// give 0.
func rateLower(count, n int, significance float64) float64 {
	switch {
	case count <= 0 || count > n || !(significance > 0 && significance < 1):
		return 0
	case count == n:
		return math.Exp(numeric.Log(significance) / float64(n))
	}
	return tails.BetaLowerQuantile(significance, float64(count), float64(n-count+1))
}

// rateCache remembers Clopper-Pearson upper bounds by count.
type rateCache struct {
	n            int
	significance float64
	known        map[int]float64
}

func newRateCache(n int, significance float64) *rateCache {
	return &rateCache{n, significance, map[int]float64{}}
}

func (c *rateCache) upper(count int) float64 {
	if p, ok := c.known[count]; ok {
		return p
	}
	p := RateUpper(count, c.n, c.significance)
	c.known[count] = p
	return p
}
