package audit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

const normalScoresReference = "Student's t, noncentral under the alternative (Johnson, Kotz, Balakrishnan (1995), Continuous Univariate Distributions 2, Chapter 31)"

// NormalScores returns the lower bound on µ, and so on ε, from scores that are N(m, s²) without the canary and
// N(m + µs, s²) with it, m and s unknown ([AssumeNormalScores]). It is the largest µ that is refuted by
//
//	T = (mean - mean') / (s_p √(1/n1 + 1/n0)),  T ~ noncentral t of n1+n0-2 degrees, µ/√(1/n1 + 1/n0)
//
// with s_p the pooled standard deviation: exact for any number of games. The attack's own ROC is then that of
// µ-GDP, so that nothing is assumed of the mechanism. Of [GDPAUC] the order of the scores is all that counts; where
// they are normal, and leaks are strong, this bound is nearer to the truth: µ at a distance of
// 1.645 √(2 + µ²/4)/√n for n games of each class, where the AUC's at µ = 3.95 is 1.645 3.7/√n.
//
// It is for scores that are known to be normal, such as the product of a noisy sum of gradients with a crafted one.
// Scores that are not, or not of one variance, make it wrong on either side; a warning says where they look so,
// which no warning does not disprove. Ties do not matter. delta must be above 0.
func NormalScores(scores Scores, cfg Config) (Bound, error) {
	if err := errors.Join(scores.Validate(), cfg.Validate(), validateGDPDelta(cfg.Delta)); err != nil {
		return Bound{}, err
	}
	n1, n0 := len(scores.Member), len(scores.NonMember)
	if min(n1, n0) < 2 {
		return Bound{}, fmt.Errorf("audit: %d member and %d non-member scores: must be at least 2 of each, to have a variance", n1, n0)
	}
	b := NewBound("normal-scores", AssumeNormalScores, cfg, normalScoresReference)
	b.ChosenBefore = "nothing to fix: no threshold and no rank"
	in, varIn := stat.MeanVariance(scores.Member, nil)
	out, varOut := stat.MeanVariance(scores.NonMember, nil)
	degrees := float64(n1 + n0 - 2)
	pooled := math.Sqrt((float64(n1-1)*varIn + float64(n0-1)*varOut) / degrees)
	scale := math.Sqrt(1/float64(n1) + 1/float64(n0))
	if pooled == 0 || math.IsInf(pooled, 0) || math.IsNaN(pooled) {
		return Bound{}, errors.New("audit: the scores of each class are all equal, or too large to square: they are not normal")
	}
	law, t := newNoncentralT(degrees), math.Min((in-out)/pooled/scale, maxT)
	b.finishGDP(math.Min(maxMuOfScores, scale*law.refuted(t, cfg.Significance())), maxMuOfScores)
	b.Warnings = notNormal(scores, in, out, varIn, varOut)
	return b, nil
}

// Normal scores have no largest T: however few they are, they can be any number of deviations apart. What is said of
// them ends at maxMuOfScores, which is their ceiling.
const maxT, maxMuOfScores = 1e6, 70

// noncentralT is the law of (Z + d)/X, X = √(V/ν), V chi-squared of ν degrees.
type noncentralT struct {
	degrees float64
	bulk    []float64 // where panels of two deviations of X begin and end
}

func newNoncentralT(degrees float64) noncentralT {
	return noncentralT{degrees, scaled(nil, 1, 1/math.Sqrt(2*degrees))}
}

// scaled appends where panels begin and end: every two deviations up to 16 to both sides of a center, as far as they are above 0.
func scaled(ends []float64, center, deviation float64) []float64 {
	for k := -16.0; k <= 16; k += 2 {
		ends = append(ends, math.Max(0, center+k*deviation))
	}
	return ends
}

// atLeast returns P[T >= x] = E Φ(d - xX), and the estimate of the error of its quadrature more. X has deviations of 1/√(2ν) about 1, and Φ
// falls at d/x within 1/x: panels of both widths there leave out less than 1e-30, and have a smooth product on each.
func (t noncentralT) atLeast(x, d float64) float64 {
	ends := append(slices.Clone(t.bulk), 0)
	if x != 0 {
		ends = scaled(ends, d/x, 1/math.Abs(x))
	}
	slices.Sort(ends)
	most := slices.Max(t.bulk)
	var nodes []tails.Node
	for i := 1; i < len(ends) && ends[i] <= most; i++ {
		if ends[i] > ends[i-1] {
			nodes = tails.Rule(nodes, ends[i-1], ends[i])
		}
	}
	var all, kronrod, gauss float64
	for _, n := range nodes {
		density := t.density(n.X)
		p := density * numeric.NormalCDF(d-x*n.X)
		all, kronrod, gauss = all+n.Kronrod*density, kronrod+n.Kronrod*p, gauss+n.Gauss*p
	}
	return (kronrod + math.Abs(kronrod-gauss)) / all
}

// density is that of X at u, up to a factor: u^(ν-1) exp(-ν (u²-1)/2).
func (t noncentralT) density(u float64) float64 {
	return math.Exp((t.degrees-1)*numeric.Log(u) - t.degrees*(u-1)*(u+1)/2)
}

// refuted returns the largest d >= 0 with P[T >= x] <= significance, or 0.
func (t noncentralT) refuted(x, significance float64) float64 {
	d, _ := tails.LastBelowFrom(func(d float64) float64 { return t.atLeast(x, d) }, significance, 0, 1, 4*maxT, 1e-9)
	return d
}

// notNormal says where scores do not look normal: variances, skewness or kurtosis off by more than 3.3 standard errors, which
// normal scores are once in 300 audits.
func notNormal(scores Scores, in, out, varIn, varOut float64) (doubts []error) {
	const most = 3.3
	n, m := float64(len(scores.Member)), float64(len(scores.NonMember))
	if z := numeric.Log(varIn/varOut) / math.Sqrt(2/(n-1)+2/(m-1)); math.Abs(z) > most {
		doubts = append(doubts, fmt.Errorf("the variances %.3g of members and %.3g of non-members are %.1f standard errors apart: this is no bound unless they are equal", varIn, varOut, math.Abs(z)))
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
		doubts = append(doubts, fmt.Errorf("skewness and kurtosis of the scores are %.1f and %.1f standard errors from those of normal ones: this is no bound unless they are normal", skew, kurtosis))
	}
	return doubts
}
