package audit

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/dplab/dplab/audit/internal/tails"
)

// Band is a confidence band of the ROC. With the stated confidence the whole curve of the threshold
// attack lies between Lower and Upper. That holds for the staircase, and for [ROC.At], whose tests
// toss a coin on tied scores. Both ends are step functions that grow. Lower is 0 to the left of its
// first point.
type Band struct {
	Lower, Upper ROC
	Confidence   float64
}

// NewBand returns a simultaneous band that is exact for any law of the scores, tied or not. Its
// thresholds are a grid of 2 log2 n ranks with Bonferroni's correction. At each, both rates get a
// two-sided interval. Between thresholds the curve can only grow. It uses cfg.Confidence.
func NewBand(scores Scores, cfg Config) (Band, error) {
	cfg = cfg.withDefaults()
	s, err := newSample(scores)
	if err = errors.Join(err, cfg.Validate()); err != nil {
		return Band{}, err
	}
	lower, upper := s.corners(cfg.Significance())
	band := Band{Confidence: cfg.Confidence}
	inOrder(lower)
	for i := len(lower) - 2; i >= 0; i-- { // FPR <= that of a laxer test
		lower[i].fpr = math.Min(lower[i].fpr, lower[i+1].fpr)
	}
	for _, c := range lower { // to the right of c.fpr the curve is at least c.tpr
		band.Lower.climb(c.fpr, c.tpr)
	}
	band.Lower.climb(1, 1)
	inOrder(upper)
	for i := 1; i < len(upper); i++ { // FPR >= that of a stricter test
		upper[i].fpr = math.Max(upper[i].fpr, upper[i-1].fpr)
	}
	band.Upper.FPR, band.Upper.TPR = []float64{1}, []float64{1}
	low := 1.0
	for i := len(upper) - 1; i >= 0; i-- { // to the left of c.fpr the curve is at most c.tpr
		if c := upper[i]; c.tpr < low && c.fpr > 0 {
			band.Upper.FPR = append(band.Upper.FPR, c.fpr, c.fpr)
			band.Upper.TPR = append(band.Upper.TPR, low, c.tpr)
			low = c.tpr
		}
	}
	band.Upper.FPR, band.Upper.TPR = append(band.Upper.FPR, 0), append(band.Upper.TPR, low)
	slices.Reverse(band.Upper.FPR)
	slices.Reverse(band.Upper.TPR)
	return band, nil
}

// climb appends a step to (x, y), if it is higher than the curve so far.
func (r *ROC) climb(x, y float64) {
	last := 0.0
	if n := len(r.TPR); n > 0 {
		last = r.TPR[n-1]
	}
	if y > last {
		r.FPR = append(r.FPR, x, x)
		r.TPR = append(r.TPR, last, y)
	}
}

// corner bounds both rates of one threshold test on one side: a lower corner has an upper
// bound on the FPR and a lower bound on the TPR, an upper corner the reverse.
type corner struct {
	threshold float64
	open      bool // the test is "score > threshold"; else "score >= threshold"
	fpr, tpr  float64
}

// inOrder sorts corners from the strictest test to the laxest.
func inOrder(corners []corner) {
	slices.SortFunc(corners, func(a, b corner) int {
		switch {
		case a.threshold != b.threshold:
			return cmp.Compare(b.threshold, a.threshold)
		case a.open == b.open:
			return 0
		case a.open:
			return -1
		}
		return 1
	})
}

// corners returns a lower and an upper corner for each threshold of the grid.
//
// Let t be the (k+1)-th largest non-member score. At most k non-members are above t and at least
// k+1 at or above it. So for any law, with atoms or without,
//
//	FPR(> t) <= V in law <= FPR(>= t),  V ~ Beta(k+1, n0-k).
//
// The upper quantile of V is thus a bound of the test "> t", the lower one of ">= t". Given t, the
// members beyond it are binomial. Their chance is TPR(> t) above t, and TPR(>= t) at or above it.
// At the (k+1)-th smallest member score the classes are swapped, and open and closed with them:
// FNR(>= t) = P[member < t] <= Beta(k+1, n1-k) bounds ">= t" from below. Hence each corner belongs
// to one test. Where thresholds of both kinds are equal, the two kinds of corner have different
// orders.
func (s sample) corners(significance float64) (lower, upper []corner) {
	n1, n0 := len(s.member), len(s.nonMember)
	tops, bottoms := rankGrid(n0), rankGrid(n1)
	each := significance / float64(4*(len(tops)+len(bottoms)))
	for _, k := range tops {
		t := s.nonMember[n0-1-k]
		a, b := float64(k+1), float64(n0-k)
		lower = append(lower, corner{t, true, tails.BetaUpperQuantile(each, a, b), rateLower(above(s.member, t), n1, each)})
		upper = append(upper, corner{t, false, tails.BetaLowerQuantile(each, a, b), RateUpper(n1-below(s.member, t), n1, each)})
	}
	for _, k := range bottoms {
		t := s.member[k]
		a, b := float64(k+1), float64(n1-k)
		lower = append(lower, corner{t, false, RateUpper(n0-below(s.nonMember, t), n0, each), 1 - tails.BetaUpperQuantile(each, a, b)})
		upper = append(upper, corner{t, true, rateLower(above(s.nonMember, t), n0, each), 1 - tails.BetaLowerQuantile(each, a, b)})
	}
	return lower, upper
}
