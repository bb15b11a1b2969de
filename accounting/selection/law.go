package selection

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Law is the law of K, the number of runs, as data. The value that draws K is the value that
// prices it.
type Law interface {
	// Validate returns an error that names field, value and rule.
	Validate() error
	// String names the law with its parameters.
	String() string
	// Distribution returns the law ready to compute with. A law that is a list of chances makes
	// its list here, once. That of a law that is not valid knows nothing: NaN and errors.
	Distribution() Distribution
}

// Distribution is what a Law computes. A law in closed form is its own.
//
// With f(x) = E[x^K] the generating function of K, the best of K runs of a mechanism with
// distribution Q has density Q(y) f'(q), where q is the rank of y under Q. All prices
// follow from f'.
type Distribution interface {
	// Mean returns E[K].
	Mean() float64
	// LogPMF returns ln P[K = k]; -Inf outside the support.
	LogPMF(k int) float64
	// PGF returns f(x) = E[x^K] for x in [0, 1].
	PGF(x float64) float64
	// LogPGFDerivative returns ln f'(x), with f'(x) = E[K x^(K-1)], for x in [0, 1].
	LogPGFDerivative(x float64) float64
	// SuccessProbability returns 1 - f(1-p), the chance that at least one of K runs
	// succeeds if each does with chance p. It keeps its relative accuracy for small p.
	SuccessProbability(p float64) float64
	// ExpectedQuantile returns 1 - E[1/(K+1)], the mean rank in [0, 1] of the best run
	// among all runs that could have happened; 0 counts for K = 0.
	ExpectedQuantile() float64
	// MaxLogWeight returns an upper bound on
	//
	//	ln(f'(q)/f'(1))/(λ-1) + ln(f'(q)/f'(q'))
	//
	// over all q = E_Q[g] and q' = E_Q'[g] with g in [0, 1], for Q and Q' that satisfy the
	// profile in both directions. λ is order > 1; order +Inf asks for the least constant L
	// with f'(q) <= e^L f'(q'). +Inf if there is no bound.
	MaxLogWeight(order float64, base Profile) float64
	// Rand draws K.
	Rand(rng *rand.Rand) (int, error)
}

// logConvexDerivative marks the laws for which the slope of ln f' does not fall: negative
// binomial and Poisson laws. It is what the sharpened Rényi bound needs.
type logConvexDerivative interface{ hasLogConvexDerivative() bool }

func isLogConvex(law Distribution) bool {
	l, ok := law.(logConvexDerivative)
	return ok && l.hasLogConvexDerivative()
}

var errNilRand = errors.New("selection: rng is nil: must be a *rand.Rand")

// maxCount is the largest count that float64 holds exactly.
const maxCount = 1 << 53

// checkedCount turns a drawn float64 into a count.
func checkedCount(law Law, k float64) (int, error) {
	if !(k >= 0 && k <= maxCount) {
		return 0, fmt.Errorf("selection: %v drew %g runs: must be at most 2^53", law, k)
	}
	return int(k), nil
}

// uniformOpen returns a uniform number in (0, 1).
func uniformOpen(rng *rand.Rand) float64 {
	return (float64(rng.Uint64()>>11) + 0.5) / (1 << 53)
}

// expm1Ratio returns (e^a - 1)/(e^b - 1) for a and b of equal sign, |a| <= |b|, b ≠ 0.
// It does not overflow.
func expm1Ratio(a, b float64) float64 {
	if b > 30 {
		return math.Exp(a-b) * math.Expm1(-a) / math.Expm1(-b)
	}
	return math.Expm1(a) / math.Expm1(b)
}
