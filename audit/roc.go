package audit

import (
	"errors"
	"math"
	"sort"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// ROC is the attack's receiver operating characteristic: TPR[i] is reached at FPR[i]. Both
// grow from (0, 0) to (1, 1).
type ROC struct {
	FPR []float64 `json:"fpr"`
	TPR []float64 `json:"tpr"`
}

// NewROC returns the empirical curve of all thresholds, one point per distinct score.
func NewROC(scores Scores) (ROC, error) {
	s, err := newSample(scores)
	if err != nil {
		return ROC{}, err
	}
	return s.steps().roc(), nil
}

// steps are the counts of every distinct threshold test. The strictest test, which calls nobody a
// member, is first; the laxest, which calls everybody one, is last. Tied scores are called
// together.
type steps struct {
	tp, fp []int32
	n1, n0 int
}

func (s sample) steps() steps {
	out := steps{n1: len(s.member), n0: len(s.nonMember)}
	out.tp = append(make([]int32, 0, out.n1+1), 0)
	out.fp = append(make([]int32, 0, out.n1+1), 0)
	i, j := out.n1, out.n0 // scores not yet called members
	for i > 0 || j > 0 {
		x := s.next(i, j)
		for i > 0 && s.member[i-1] == x {
			i--
		}
		for j > 0 && s.nonMember[j-1] == x {
			j--
		}
		out.tp = append(out.tp, int32(out.n1-i))
		out.fp = append(out.fp, int32(out.n0-j))
	}
	return out
}

// next returns the largest score among the first i members and the first j non-members.
func (s sample) next(i, j int) float64 {
	if j == 0 || i > 0 && s.member[i-1] >= s.nonMember[j-1] {
		return s.member[i-1]
	}
	return s.nonMember[j-1]
}

func (s steps) len() int { return len(s.tp) }

// counts returns the errors at step i.
func (s steps) counts(i int) Counts {
	return Counts{Members: s.n1, NonMembers: s.n0, FalseNegatives: s.n1 - int(s.tp[i]), FalsePositives: int(s.fp[i])}
}

func (s steps) roc() ROC {
	out := ROC{FPR: make([]float64, s.len()), TPR: make([]float64, s.len())}
	for i := range s.len() {
		out.FPR[i] = float64(s.fp[i]) / float64(s.n0)
		out.TPR[i] = float64(s.tp[i]) / float64(s.n1)
	}
	return out
}

// Hull returns the vertices of the least concave curve above r. Tests that flip a coin between two
// thresholds reach it. Compare it with a trade-off function.
func (r ROC) Hull() ROC {
	var hull ROC
	for i := range r.FPR {
		for n := len(hull.FPR); n >= 2 && !turnsRight(hull, n, r.FPR[i], r.TPR[i]); n-- {
			hull.FPR, hull.TPR = hull.FPR[:n-1], hull.TPR[:n-1]
		}
		hull.FPR, hull.TPR = append(hull.FPR, r.FPR[i]), append(hull.TPR, r.TPR[i])
	}
	return hull
}

// turnsRight reports whether the last two of n vertices and (x, y) bend down.
func turnsRight(h ROC, n int, x, y float64) bool {
	ax, ay, bx, by := h.FPR[n-2], h.TPR[n-2], h.FPR[n-1], h.TPR[n-1]
	return (bx-ax)*(y-ay)-(by-ay)*(x-ax) < 0
}

// At returns the curve's value at false positive rate v in [0, 1]. It is linear between points, and
// the upper value on a vertical part. It is 0 to the left of the first point, and so is the empty
// curve.
func (r ROC) At(v float64) float64 {
	if len(r.FPR) == 0 || v < r.FPR[0] {
		return 0
	}
	lo := sort.Search(len(r.FPR), func(i int) bool { return r.FPR[i] > v }) - 1
	if lo == len(r.FPR)-1 {
		return r.TPR[lo]
	}
	share := (v - r.FPR[lo]) / (r.FPR[lo+1] - r.FPR[lo])
	return r.TPR[lo] + share*(r.TPR[lo+1]-r.TPR[lo])
}

// Area returns the area under the curve by trapezoids. For an empirical curve this is the AUC with
// ties counted half.
func (r ROC) Area() float64 {
	var area float64
	for i := 1; i < len(r.FPR); i++ {
		area += (r.FPR[i] - r.FPR[i-1]) * (r.TPR[i] + r.TPR[i-1]) / 2
	}
	return area
}

// Advantage returns the largest TPR - FPR of a point of the curve, in [0, 1]: the membership
// advantage of the best threshold. It is 0 for the empty curve.
//
// Reference: Yeom, Giacomelli, Fredrikson, Jha (2018), arXiv:1709.01604, Definition 4.
func (r ROC) Advantage() float64 {
	best := 0.0
	for i := range r.FPR {
		best = max(best, r.TPR[i]-r.FPR[i])
	}
	return best
}

// Thin returns about n of the curve's points at most, to draw it. Both ends are kept, and the
// points are evenly spread along the curve.
func (r ROC) Thin(n int) ROC {
	if len(r.FPR) <= n || n < 2 {
		return r
	}
	var out ROC
	for i := range n {
		j := i * (len(r.FPR) - 1) / (n - 1)
		out.FPR, out.TPR = append(out.FPR, r.FPR[j]), append(out.TPR, r.TPR[j])
	}
	return out
}

// AUC returns the area under the ROC curve, with a two-sided interval at the confidence of cfg. It
// is the chance that a random member scores above a random non-member (ties count half).
//
// The interval is DeLong's on the logit scale. It is asymptotic, and bounds no ε. A perfect
// separation either way has variance 0. Then the largest variance that any law allows takes its
// place, θ(1-θ)/min(n1, n0), in Wilson's form.
//
// Reference: DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44(3); Birnbaum and Klose
// (1957), Annals of Mathematical Statistics 28(4) for the largest variance.
func AUC(scores Scores, cfg Config) (accounting.Interval, error) {
	if err := errors.Join(scores.Validate(), cfg.Validate()); err != nil {
		return accounting.NoDelta(), err
	}
	s, _ := newSample(scores)
	return s.auc(cfg.Significance()), nil
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

// Advantage returns the largest TPR - FPR of a threshold, with a two-sided interval at the
// confidence of cfg, for any law of the scores. With α = 1 - confidence and the estimate a, it is
//
//	a - √(ln(4/α)/2) (1/√n1 + 1/√n0)  to  a + √(ln(2/α)/2 (1/n1 + 1/n0)),  in [0, 1]
//
// Below, no threshold has a frequency that exceeds its rate by more, with chance 1 - α/4 for each
// class. Above, the threshold that is best for the law has one difference of frequencies, and the
// best difference in the scores is at least that.
//
// Reference: Massart (1990), Annals of Probability 18(3), Theorem 1; Hoeffding (1963), Journal of
// the American Statistical Association 58, Theorem 2.
func Advantage(scores Scores, cfg Config) (accounting.Interval, error) {
	if err := errors.Join(scores.Validate(), cfg.Validate()); err != nil {
		return accounting.NoDelta(), err
	}
	s, _ := newSample(scores)
	return s.steps().roc().advantage(len(s.member), len(s.nonMember), cfg.Significance()), nil
}

func (r ROC) advantage(n1, n0 int, significance float64) accounting.Interval {
	const up = 1 + 1e-14 // rounding
	per1, per0, best := 1/float64(n1), 1/float64(n0), r.Advantage()
	below := math.Sqrt(numeric.Log(4/significance)/2) * (math.Sqrt(per1) + math.Sqrt(per0)) * up
	above := math.Sqrt(numeric.Log(2/significance)/2*(per1+per0)) * up
	return accounting.Certified(max(0, best-below), best, min(1, best+above))
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
