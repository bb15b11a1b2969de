package audit

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit/internal/tails"
)

// AUC returns the area under the ROC curve, the chance that a random member scores above a
// random non-member (ties count half), with a two-sided interval at the given confidence.
//
// The interval is DeLong's on the logit scale. It is asymptotic, and says nothing of ε. When
// its variance is 0 (a perfect separation either way), the largest variance that any law
// allows takes its place, θ(1-θ)/min(n1, n0), in Wilson's form.
//
// Reference: DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44(3); Birnbaum and Klose
// (1957), Annals of Mathematical Statistics 28(4) for the largest variance.
func AUC(scores Scores, confidence float64) (accounting.Interval, error) {
	level := Level{Confidence: confidence}
	if err := errors.Join(scores.Validate(), level.Validate()); err != nil {
		return accounting.Interval{}, err
	}
	s, _ := newSample(scores)
	return s.auc(level.significance()), nil
}

func (s sample) auc(significance float64) accounting.Interval {
	memberMean, memberVar := placements(s.member, s.nonMember)
	_, nonMemberVar := placements(s.nonMember, s.member)
	n1, n0 := float64(len(s.member)), float64(len(s.nonMember))
	z := tails.NormalUpperQuantile(significance / 2)
	theta := memberMean
	variance := memberVar/n1 + nonMemberVar/n0
	if variance <= 0 || theta <= 0 || theta >= 1 {
		lo, hi := wilson(theta, math.Min(n1, n0), z)
		return accounting.Certified(math.Min(lo, theta), theta, math.Max(hi, theta))
	}
	half := z * math.Sqrt(variance) / (theta * (1 - theta))
	y := tails.Logit(theta)
	return accounting.Certified(math.Min(tails.Logistic(y-half), theta), theta, math.Max(tails.Logistic(y+half), theta)) // a logit and back rounds
}

// placements returns mean and variance over xs of the share of ys below x (ties half).
func placements(xs, ys []float64) (mean, variance float64) {
	var lo, hi int // ys below x, ys at most x
	shares := make([]float64, len(xs))
	for i, x := range xs {
		for lo < len(ys) && ys[lo] < x {
			lo++
		}
		for hi < len(ys) && ys[hi] <= x {
			hi++
		}
		shares[i] = (float64(lo) + float64(hi)) / float64(2*len(ys))
		mean += shares[i]
	}
	mean /= float64(len(xs))
	for _, p := range shares {
		variance += (p - mean) * (p - mean)
	}
	return mean, variance / math.Max(1, float64(len(xs)-1))
}

// wilson returns the θ with |estimate-θ| <= z √(θ(1-θ)/n).
func wilson(estimate, n, z float64) (lo, hi float64) {
	center := (estimate + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(estimate*(1-estimate)/n+z*z/(4*n*n))
	return math.Max(0, center-half), math.Min(1, center+half)
}
