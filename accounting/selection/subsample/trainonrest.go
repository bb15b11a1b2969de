package subsample

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// KoskelaTheorem6 returns the Rényi curve, in nats, of tuning on a Poisson sample X1 of rate q and
// then training on the other records, X without X1, as published. t is the curve of the tuning and
// b that of the training. At integers α >= 2:
//
//	e^((α-1)ε1) = Σ_{j=0..α}   C(α,j)   q^(α-j) (1-q)^j     e^((α-j-1)t(α-j)) e^((j-1)b(j))
//	e^((α-1)ε2) = Σ_{j=0..α-1} C(α-1,j) q^j (1-q)^(α-1-j)   e^(j t(j+1))      e^((α-j-1)b(α-j))
//	ε(α)        = max(ε1, ε2),    a factor with t or b at order 0 or 1 is 1.
//
// Derived again: let r = P'/P be the ratio of the tuning, and u = Q'/Q that of the training given
// the tuning's result. The two sides are PQ and the mixture q P'Q + (1-q) PQ', with ratio qr +
// (1-q)u. ε1 expands E[(qr+(1-q)u)^α] under PQ. Given any result of the tuning, E[u^j] is at most
// e^((j-1)b(j)). ε2 first uses 1/(qr+(1-q)u) <= q/r + (1-q)/u. Both are right as printed. Other
// orders use chords and the convexity bound, as in [rdp.PoissonAmplified]:
//
//	ε(α) = ln( q e^((α-1)t(α)) + (1-q) e^((α-1)b(α)) )/(α-1).
//
// Reference: Koskela and Kulkarni (NeurIPS 2023), Theorem 6.
func KoskelaTheorem6(tuning, training rdp.Curve, rate float64) (rdp.Curve, error) {
	parts, err := newParts(tuning, training, rate)
	if err != nil || rate == 1 {
		return tuning, err
	}
	return rdp.AtIntegers(func(n int) float64 {
		return math.Max(parts.forth(n), parts.back(n))
	}, parts.convexity), nil
}

// TrainOnRest is [KoskelaTheorem6] with a sharper second direction. Let S(α) be the sum of
// [rdp.PoissonAmplified] for the tuning and B = e^((α-1)b(α)). Then e^((α-1)ε2) is the least of the
// published sum and
//
//	S(α) + (1-q)(B-1) S(α+1)    and    S(α) B.
//
// Proof. Let z = 1-q+qr and w = (1-q)/z. Then qr+(1-q)u = z(1-w+wu). Given the result of the
// tuning, E[(1-w+wu)^(1-α)] <= 1-w+wB by convexity, at most B. Hence the moment is at most
// E[z^(1-α)] + (1-q)(B-1) E[z^-α], and at most B E[z^(1-α)]; E[z^(1-n)] <= S(n) for n >= 2 is the
// claim proved at rdp.PoissonAmplified. ∎
//
// The other direction is at most E[z^α] B too, as E[(1-w+wu)^α] <= 1-w+wB, for all real α > 1. So
// training on the rest never costs more than training on all, and the amplified tuning plus the
// training bounds the curve at every order. This removes the crossing at small q in the paper's
// Figure 1.
func TrainOnRest(tuning, training rdp.Curve, rate float64) (rdp.Curve, error) {
	parts, err := newParts(tuning, training, rate)
	if err != nil || rate == 1 {
		return tuning, err
	}
	amplified, err := rdp.PoissonAmplified(parts.tuning, rate)
	if err != nil {
		return nil, err
	}
	atIntegers := rdp.AtIntegers(func(n int) float64 {
		return math.Max(parts.forth(n), parts.sharpBack(n))
	}, parts.convexity)
	return func(order float64) float64 {
		value := atIntegers(order)
		if order == math.Floor(order) && order <= rdp.MaxIntegerOrder {
			return value // sharpBack has it
		}
		return numeric.Lesser(value, amplified(order)+parts.training(order))
	}, nil
}

// parts holds what the two directions share.
type parts struct {
	rate              float64
	tuning, training  rdp.Curve
	tune, train       func(k int) float64     // ln of the moments
	logAmplifiedMore1 func(n float64) float64 // ln(S(n)-1) of the tuning
}

func newParts(tuning, training rdp.Curve, rate float64) (parts, error) {
	if tuning == nil || training == nil {
		return parts{}, errNilPart
	}
	if err := validateRate("rate", rate); err != nil {
		return parts{}, err
	}
	p := parts{rate: rate, tuning: rdp.Memoized(tuning), training: rdp.Memoized(training)}
	p.tune, p.train = logMoment(p.tuning), logMoment(p.training)
	p.logAmplifiedMore1 = rdp.Memoized(func(n float64) float64 { return numeric.LogBinomialExcess(int(n), rate, p.tune) })
	return p, nil
}

// forth returns (n-1) ε1(n). The weights sum to 1, so 1 is taken out of each term.
func (p parts) forth(n int) float64 {
	sum := numeric.NewSum()
	for j := 0; j <= n; j++ {
		sum.Add(numeric.LogBinomialWeight(n, n-j, p.rate) + numeric.LogExpm1(p.tune(n-j)+p.train(j)))
	}
	return numeric.Log1pExpUp(sum.Log())
}

// back returns (n-1) ε2(n) as published.
func (p parts) back(n int) float64 {
	sum := numeric.NewSum()
	for j := 0; j < n; j++ {
		sum.Add(numeric.LogBinomialWeight(n-1, j, p.rate) + numeric.LogExpm1(p.tune(j+1)+p.train(n-j)))
	}
	return numeric.Log1pExpUp(sum.Log())
}

// sharpBack returns the least of all bounds on (n-1) ε2(n).
func (p parts) sharpBack(n int) float64 {
	amplified := p.logAmplifiedMore1(float64(n))
	rest := math.Log1p(-p.rate) + numeric.LogExpm1(p.train(n)) + numeric.Log1pExpUp(p.logAmplifiedMore1(float64(n+1)))
	value := numeric.Log1pExpUp(numeric.Add(amplified, rest))
	return numeric.Lesser(p.back(n), numeric.Lesser(value, numeric.Log1pExpUp(amplified)+p.train(n)))
}

// convexity returns a bound at every real order. The moments of a mixture are at most the mixture
// of the moments.
func (p parts) convexity(order float64) float64 {
	a := order - 1
	return numeric.Log1pExpUp(numeric.Add(
		numeric.Log(p.rate)+numeric.LogExpm1(a*p.tuning(order)),
		math.Log1p(-p.rate)+numeric.LogExpm1(a*p.training(order)))) / a
}

// logMoment returns the function k -> ln of the bound on the k-th moment E_P[(P'/P)^k] that a curve
// implies. It is (k-1) ε(k), and 0 for k = 0 and 1.
func logMoment(curve rdp.Curve) func(k int) float64 {
	return func(k int) float64 {
		if k < 2 {
			return 0
		}
		return float64(k-1) * curve(float64(k))
	}
}

var errNilPart = errors.New("subsample: tuning and training curves must both be functions")

func validateRate(field string, rate float64) error {
	return check.Rate.Of("subsample: "+field, rate)
}
