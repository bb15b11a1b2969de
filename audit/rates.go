package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
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

// Rate is the true positive rate at one false positive rate.
type Rate struct {
	FPR      float64
	TPR      accounting.Interval
	Warnings []error
}

// MarshalJSON writes {"fpr":..,"lower":..,"estimate":..,"upper":..,"warnings":[..]}. A Rate that
// was not computed is an error.
func (r Rate) MarshalJSON() ([]byte, error) {
	if !r.TPR.Computed() {
		return nil, errors.New("audit: the rate was never computed: must come from TPRAtFPR")
	}
	return json.Marshal(rateJSON{&r.FPR, &r.TPR.Lower, &r.TPR.Estimate, &r.TPR.Upper, messages(r.Warnings)})
}

// countWithin returns the largest k < n with k/n <= rate, where k/n is rounded to float64. So a
// rate means every fraction that rounds to it: 0.29 allows 29 of 100. The product 0.29·100 is below
// 29.
func countWithin(rate float64, n int) int {
	k := min(int(rate*float64(n))+1, n-1) // at most one too many, and one more by rounding
	for float64(k)/float64(n) > rate {
		k--
	}
	return k
}

// TPRAtFPR returns the true positive rate of the threshold attack at false positive rate fpr. Its
// two-sided interval is exact at the confidence of cfg for any law of the scores.
//
// The estimate is at the largest threshold with at most n0·fpr non-members above. Let α be 1 -
// confidence. The (k+1)-th largest non-member score has a false positive rate V ~
// Beta(k+1, n0-k). The lower end takes the largest k with P[V <= fpr] >= 1-α/4 and the
// Clopper-Pearson lower bound, at α/4, of the members above it. The upper end takes the least k
// with P[V >= fpr] >= 1-α/4 in the same way, with ties counted. If no such k exists the end is 0 or
// 1. A warning then gives the number of games that would be enough.
func TPRAtFPR(scores Scores, fpr float64, cfg Config) (Rate, error) {
	if err := errors.Join(scores.Validate(), cfg.Validate()); err != nil {
		return Rate{TPR: accounting.NoDelta()}, err
	}
	if err := check.OpenUnit.Of("audit: false positive rate", fpr); err != nil {
		return Rate{TPR: accounting.NoDelta()}, err
	}
	s, _ := newSample(scores)
	return s.tprAtFPR(fpr, cfg.Significance()), nil
}

func (s sample) tprAtFPR(fpr, significance float64) Rate {
	n1, n0 := len(s.member), len(s.nonMember)
	quarter := significance / 4
	largest := func(i int) float64 { return s.nonMember[n0-1-i] }

	estimate := float64(above(s.member, largest(countWithin(fpr, n0)))) / float64(n1)
	lower, upper := 0.0, 1.0
	r := Rate{FPR: fpr}

	// P[V <= fpr] falls in k: tooMany is the least k that fails.
	tooMany := sort.Search(n0, func(k int) bool { return tails.BinomialLower(k, n0, fpr) > quarter })
	if tooMany > 0 {
		lower = rateLower(above(s.member, largest(tooMany-1)), n1, quarter)
	} else {
		r.Warnings = append(r.Warnings, fmt.Errorf("n too small: a lower end at FPR %g needs %d non-member scores, there are %d",
			fpr, int(math.Ceil(numeric.Log(quarter)/math.Log1p(-fpr))), n0))
	}
	enough := sort.Search(n0, func(k int) bool { return tails.BinomialUpper(k+1, n0, fpr) <= quarter })
	if enough < n0 {
		upper = RateUpper(n1-below(s.member, largest(enough)), n1, quarter)
	} else {
		r.Warnings = append(r.Warnings, fmt.Errorf("n too small: no upper end at FPR %g from %d non-member scores", fpr, n0))
	}
	r.TPR = accounting.Certified(math.Min(lower, estimate), estimate, math.Max(upper, estimate))
	return r
}
