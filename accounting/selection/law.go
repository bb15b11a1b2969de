package selection

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/numeric"
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

// invalid is the distribution of a law that is not valid: nothing is known, and nothing drawn.
type invalid struct{ err error }

func (invalid) Mean() float64                         { return math.NaN() }
func (invalid) LogPMF(int) float64                    { return math.NaN() }
func (invalid) PGF(float64) float64                   { return math.NaN() }
func (invalid) LogPGFDerivative(float64) float64      { return math.NaN() }
func (invalid) SuccessProbability(float64) float64    { return math.NaN() }
func (invalid) ExpectedQuantile() float64             { return math.NaN() }
func (invalid) MaxLogWeight(float64, Profile) float64 { return math.Inf(1) }

func (i invalid) Rand(*rand.Rand) (int, error) { return 0, i.err }

// tailAbove returns an upper bound on P[K > most]. Where the ratio of successive chances is
// known not to exceed r < 1 beyond most, it is P[K = most+1]/(1-r), which keeps its digits.
func tailAbove(law Distribution, most int) float64 {
	logP := law.LogPMF
	if last, ok := lastRun(law); ok && last-most <= maxTerms {
		sum := 0.0
		for k := last; k > most; k-- {
			sum += math.Exp(logP(k))
		}
		return math.Min(1, sum*(1+numeric.ChanceRounding(last)))
	}
	sum := 0.0
	for k := 0; k <= most; k++ {
		sum += math.Exp(logP(k))
	}
	// Rounding of the sum and of ln Γ in the chances.
	tail := math.Min(1, math.Max(0, 1-sum)+1e-13*float64(most+1))
	if r := chanceRatio(law, most+1); r < 1 {
		tail = math.Min(tail, math.Exp(logP(most+1))/(1-r)*(1+numeric.ChanceRounding(most+1)))
	}
	return tail
}

// runsAbove returns an upper bound on E[K; K > most], the mean number of runs in the tail.
func runsAbove(law Distribution, most int) float64 {
	logP, sum := law.LogPMF, 0.0
	for k := 0; k <= most; k++ {
		sum += float64(k) * math.Exp(logP(k))
	}
	mean := law.Mean()
	tail := math.Min(mean, math.Max(0, mean-sum)+1e-13*float64(most+1)*(1+mean))
	k := float64(most + 1)
	if r := chanceRatio(law, most+1) * (k + 1) / k; r < 1 {
		tail = math.Min(tail, k*math.Exp(logP(most+1))/(1-r)*(1+numeric.ChanceRounding(most+1)))
	}
	return tail
}

// chanceRatio bounds P[K = j+1]/P[K = j] over all j >= k; +Inf if nothing is known.
//
//	TNB       (1-γ)(j+η)/(j+1), which falls with j for η > 1 and else stays below 1-γ
//	Poisson   µ/(j+1)
func chanceRatio(law Distribution, k int) float64 {
	j := float64(k)
	switch l := law.(type) {
	case TNB:
		return (1 - l.Gamma) * math.Max(1, (j+l.Eta)/(j+1))
	case Poisson:
		return l.MeanRepeats / (j + 1)
	}
	return math.Inf(1)
}

// lastRun returns the largest K of a law that has one, and is known to.
func lastRun(law Distribution) (last int, ok bool) {
	switch l := law.(type) {
	case Fixed:
		return l.Count, true
	case Binomial:
		return l.Trials, true
	case *tabledTwoPoint:
		return l.Runs, true
	case *list:
		return len(l.weights) - 1, true
	}
	return 0, false
}

// TailAbove returns an upper bound on P[K > most] without summing chances, for limits of any size:
// the chance of most+1 runs over 1 - r where the ratio of successive chances is known not to
// exceed r < 1, and Markov's E[K]/(most+1). The law must be valid.
func TailAbove(law Law, most int) float64 {
	d := law.Distribution()
	if last, ok := lastRun(d); ok && last <= most {
		return 0
	}
	tail := math.Min(1, d.Mean()/(float64(most)+1)*(1+1e-9))
	if r := chanceRatio(d, most+1); r < 1 {
		tail = math.Min(tail, math.Exp(d.LogPMF(most+1))/(1-r)*(1+numeric.ChanceRounding(most+1)))
	}
	return tail
}
