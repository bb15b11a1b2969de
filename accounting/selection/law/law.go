package law

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/numeric"
)

// Law is the law of K, the number of runs, as data. The value that draws K is the value that prices
// it. A law of another package returns the Distribution of a law of this one, for example of a
// [PMF] for any list of chances. So sampler and bounds always come from this package.
type Law interface {
	// Validate returns an error that names field, value and rule.
	Validate() error
	// String names the law with its parameters.
	String() string
	// Distribution returns the law in the form that computes. A law that is a list of chances makes
	// its list here, once. The Distribution of an invalid law returns NaN and errors.
	Distribution() Distribution
}

// Of returns the distribution of a law. It returns an error if the law is nil or not valid, or if
// its Distribution is not from a law of this package.
func Of(l Law) (Distribution, error) {
	if l == nil {
		return Distribution{}, errors.New("law: law is nil: must be a law")
	}
	if err := l.Validate(); err != nil {
		return Distribution{}, err
	}
	d := l.Distribution()
	if d.form == nil {
		return Distribution{}, fmt.Errorf("law: %v: Distribution is empty: must be that of a law of package law", l)
	}
	if bad, ok := d.form.(invalid); ok {
		return Distribution{}, fmt.Errorf("law: %v: %w", l, bad.err)
	}
	return d, nil
}

// Distribution computes the quantities of a Law. Only the laws of this package make one, so all its
// bounds are from here. The zero value returns NaN and errors.
//
// Let f(x) = E[x^K] be the generating function of K. The best of K runs of a mechanism with
// distribution Q has density Q(y) f'(q), where q is the rank of y under Q. All prices follow from
// f'.
type Distribution struct {
	law  Law
	form form
}

// form has the computations for laws of one type. See the methods of Distribution.
type form interface {
	Mean() float64
	LogPMF(k int) float64
	PGF(x float64) float64
	LogPGFDerivative(x float64) float64
	SuccessProbability(p float64) float64
	ExpectedQuantile() float64
	MaxLogWeight(order float64, base Profile) float64
	Rand(rng *rand.Rand) (int, error)

	logConvex() bool
	derivatives() Derivatives
	tilted(x float64) (d Distribution, ok bool)
	// chanceRatio bounds P[K = j+1]/P[K = j] over all j >= k; +Inf if nothing is known.
	chanceRatio(k int) float64
	// lastRun returns the largest K, if there is one.
	lastRun() (last int, ok bool)
}

// newDistribution returns the distribution of a law that f computes.
func newDistribution(l Law, f form) Distribution {
	if err := l.Validate(); err != nil {
		return Distribution{l, invalid{err}}
	}
	return consistent(l, f)
}

// consistent returns the distribution that f computes, unless it contradicts itself: f(1) = 1, f(0)
// = P[K=0], f'(1) = E[K] and E[K] >= P[K>=1] must hold. So parameters that are lost to rounding
// have no price instead of a wrong one.
func consistent(l Law, f form) Distribution {
	const rounding = 1e-9
	none, some, mean := math.Exp(f.LogPMF(0)), f.SuccessProbability(1), f.Mean()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"f(1)", f.PGF(1), 1},
		{"f(0)", f.PGF(0), none},
		{"P[K >= 1]", some, 1 - none},
		{"f'(1)/E[K]", math.Exp(f.LogPGFDerivative(1) - numeric.Log(mean)), 1},
		{"min(E[K], P[K >= 1])", math.Min(mean, some), some},
	} {
		if !(math.Abs(c.got-c.want) <= rounding*c.want || math.Abs(c.got-c.want) <= 1e-6*rounding) {
			return Distribution{l, invalid{fmt.Errorf("%s comes out as %.9g: must be %.9g, the parameters are lost to rounding", c.name, c.got, c.want)}}
		}
	}
	return Distribution{l, f}
}

// normal returns an error if a parameter is subnormal. Products with it have no digits.
func normal(field string, x float64) error {
	if x != 0 && math.Abs(x) < 0x1p-1022 {
		return fmt.Errorf("law: %s %g: must not be subnormal, below %.3g in size: products with it have no digits", field, x, 0x1p-1022)
	}
	return nil
}

// known returns the form of d.
func (d Distribution) known() form {
	if d.form == nil {
		return invalid{errors.New("law: distribution is empty: must be made by a law")}
	}
	return d.form
}

// Law returns the law of this package that made the distribution.
func (d Distribution) Law() Law { return d.law }

// Mean returns E[K].
func (d Distribution) Mean() float64 { return d.known().Mean() }

// LogPMF returns ln P[K = k]; -Inf outside the support.
func (d Distribution) LogPMF(k int) float64 { return d.known().LogPMF(k) }

// PGF returns f(x) = E[x^K] for x in [0, 1].
func (d Distribution) PGF(x float64) float64 { return d.known().PGF(x) }

// LogPGFDerivative returns ln f'(x), with f'(x) = E[K x^(K-1)], for x in [0, 1].
func (d Distribution) LogPGFDerivative(x float64) float64 { return d.known().LogPGFDerivative(x) }

// Derivatives returns ln f' and ln f” near 1.
func (d Distribution) Derivatives() Derivatives { return d.known().derivatives() }

// SuccessProbability returns 1 - f(1-p): the chance that at least one of K runs succeeds, if each
// succeeds with chance p. It keeps its relative accuracy for small p.
func (d Distribution) SuccessProbability(p float64) float64 { return d.known().SuccessProbability(p) }

// ExpectedQuantile returns 1 - E[1/(K+1)]: the mean rank in [0, 1] of the best run among all
// possible runs. K = 0 counts as rank 0.
func (d Distribution) ExpectedQuantile() float64 { return d.known().ExpectedQuantile() }

// MaxLogWeight returns an upper bound on
//
//	ln(f'(q)/f'(1))/(λ-1) + ln(f'(q)/f'(q'))
//
// over all q = E_Q[g] and q' = E_Q'[g] with g in [0, 1], for Q and Q' that satisfy the profile in
// both directions. λ is order > 1. At order +Inf it is the least constant L with f'(q) <= e^L
// f'(q'). It is +Inf if the profile allows no bound.
func (d Distribution) MaxLogWeight(order float64, base Profile) float64 {
	return d.known().MaxLogWeight(order, base)
}

// LogConvex reports whether the slope of ln f' does not fall, as for negative binomial and Poisson
// laws. The sharpened Rényi bound needs that.
func (d Distribution) LogConvex() bool { return d.known().logConvex() }

// Tilted returns the law P[K=k] x^k/f(x), which is of the same kind, for x in [0, 1]. ok is false
// if rounding leaves no such law.
func (d Distribution) Tilted(x float64) (tilted Distribution, ok bool) { return d.known().tilted(x) }

// MostRuns returns the largest K, if there is one.
func (d Distribution) MostRuns() (most int, ok bool) { return d.known().lastRun() }

// Rand draws K.
func (d Distribution) Rand(rng *rand.Rand) (int, error) {
	if rng == nil {
		return 0, errors.New("law: rng is nil: must be a *rand.Rand")
	}
	return d.known().Rand(rng)
}

// maxCount is the largest count that is exact in float64, as all smaller ones are.
const maxCount = 1 << 53

// checkedCount turns a drawn float64 into a count.
func checkedCount(law Law, k float64) (int, error) {
	if !(k >= 0 && k <= maxCount) {
		return 0, fmt.Errorf("law: %v drew %g runs: must be at most 2^53", law, k)
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

// invalid is the form of an invalid law. It returns NaN, and draws nothing.
type invalid struct{ err error }

func (invalid) Mean() float64                         { return math.NaN() }
func (invalid) LogPMF(int) float64                    { return math.NaN() }
func (invalid) PGF(float64) float64                   { return math.NaN() }
func (invalid) LogPGFDerivative(float64) float64      { return math.NaN() }
func (invalid) SuccessProbability(float64) float64    { return math.NaN() }
func (invalid) ExpectedQuantile() float64             { return math.NaN() }
func (invalid) MaxLogWeight(float64, Profile) float64 { return math.Inf(1) }

func (i invalid) Rand(*rand.Rand) (int, error) { return 0, i.err }

func (invalid) logConvex() bool                     { return false }
func (invalid) tilted(float64) (Distribution, bool) { return Distribution{}, false }
func (invalid) chanceRatio(int) float64             { return math.Inf(1) }
func (invalid) lastRun() (int, bool)                { return 0, false }
