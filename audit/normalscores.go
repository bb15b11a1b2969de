package audit

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

const normalScoresReference = "Student's t, noncentral under the alternative (Johnson, Kotz, Balakrishnan (1995), Continuous Univariate Distributions 2, Chapter 31)"

// NormalScores returns the lower bound on µ, and so on ε, from normal scores: N(m, s²) without the
// canary and N(m + µs, s²) with it, m and s unknown ([AssumeNormalScores]). It is the largest µ
// that is refuted by
//
//	T = (mean - mean') / (s_p √(1/n1 + 1/n0)),  T ~ noncentral t of n1+n0-2 degrees, µ/√(1/n1 + 1/n0)
//
// where s_p is the pooled standard deviation. The test is exact for any number of games. The
// attack's own ROC is then that of µ-GDP, and nothing is assumed of the mechanism. [GDPAUC] sees
// only the order of the scores. Where scores are normal and leaks are strong, this bound is nearer
// to the truth: its distance from µ is 1.645 √(2 + µ²/4)/√n for n games of each class. At µ = 3.95
// the AUC's is 1.645 3.7/√n.
//
// Use it for scores that are known to be normal, such as the product of a noisy sum of gradients
// with a crafted one. If the scores are not normal, or have different variances, it is wrong on
// either side. A warning reports scores that look so; the absence of a warning proves nothing. Ties
// do not matter. delta must be above 0.
func NormalScores(scores Scores, cfg Config) (Bound, error) {
	if err := errors.Join(scores.Validate(), cfg.Validate(), validateGDPDelta(cfg.Delta)); err != nil {
		return Bound{}, err
	}
	n1, n0 := len(scores.Member), len(scores.NonMember)
	if min(n1, n0) < 2 {
		return Bound{}, fmt.Errorf("audit: %d member and %d non-member scores: must be at least 2 of each, to have a variance", n1, n0)
	}
	b := NewBound("normal-scores", AssumeNormalScores, cfg, normalScoresReference)
	b.ChosenBefore = "no threshold and no rank to fix"
	in, varIn := meanVariance(scores.Member)
	out, varOut := meanVariance(scores.NonMember)
	degrees := float64(n1 + n0 - 2)
	pooled := math.Sqrt((float64(n1-1)*varIn + float64(n0-1)*varOut) / degrees)
	scale := math.Sqrt(1/float64(n1) + 1/float64(n0))
	if pooled == 0 || math.IsInf(pooled, 0) || math.IsNaN(pooled) {
		return Bound{}, errors.New("audit: the scores of each class are all equal, or too large to square: they are not normal")
	}
	law, t := tails.NewNoncentralT(degrees), math.Min((in-out)/pooled/scale, maxT)
	b.finishGDP(math.Min(maxMuOfScores, scale*law.Refuted(t, cfg.Significance(), 4*maxT)), maxMuOfScores)
	b.Warnings = notNormal(scores, in, out, varIn, varOut)
	return b, nil
}

// Normal scores have no largest T: however few they are, they can be any number of deviations
// apart. The bound ends at maxMuOfScores, which is its ceiling.
const maxT, maxMuOfScores = 1e6, 70

// notNormal reports where scores do not look normal: variances, skewness or kurtosis off by more
// than 3.3 standard errors. Normal scores are so far off once in 300 audits.
func notNormal(scores Scores, in, out, varIn, varOut float64) (doubts []error) {
	const most = 3.3
	n, m := float64(len(scores.Member)), float64(len(scores.NonMember))
	if z := numeric.Log(varIn/varOut) / math.Sqrt(2/(n-1)+2/(m-1)); math.Abs(z) > most {
		doubts = append(doubts, fmt.Errorf("the variances %.3g of members and %.3g of non-members are %.1f standard errors apart: the bound is invalid unless they are equal", varIn, varOut, math.Abs(z)))
	}
	var cubes, fourths float64
	for _, class := range []struct {
		scores         []float64
		mean, variance float64
	}{{scores.Member, in, varIn}, {scores.NonMember, out, varOut}} {
		for _, x := range class.scores {
			z := (x - class.mean) / math.Sqrt(class.variance)
			cubes, fourths = cubes+z*z*z, fourths+z*z*z*z-3
		}
	}
	skew, kurtosis := cubes/math.Sqrt(6*(n+m)), fourths/math.Sqrt(24*(n+m))
	if !(math.Abs(skew) <= most && math.Abs(kurtosis) <= most) {
		doubts = append(doubts, fmt.Errorf("skewness and kurtosis of the scores are %.1f and %.1f standard errors from those of normal ones: the bound is invalid unless they are normal", skew, kurtosis))
	}
	return doubts
}

// meanVariance returns the mean and the unbiased variance. The squares are corrected by what the
// rounding of the mean adds.
func meanVariance(xs []float64) (mean, variance float64) {
	n, squares, rest := float64(len(xs)), 0.0, 0.0
	mean = floats.Sum(xs) / n
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
		rest += x - mean
	}
	return mean, (squares - rest*rest/n) / (n - 1)
}
