package selection

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// KoskelaTheorem6 returns the Rényi curve, in nats, of tuning on a Poisson sample X1 of
// rate q and then training on the other records, X without X1, as it is published. With t
// the curve of the tuning and b that of the training, at integers α >= 2:
//
//	e^((α-1)ε1) = Σ_{j=0..α}   C(α,j)   q^(α-j) (1-q)^j     e^((α-j-1)t(α-j)) e^((j-1)b(j))
//	e^((α-1)ε2) = Σ_{j=0..α-1} C(α-1,j) q^j (1-q)^(α-1-j)   e^(j t(j+1))      e^((α-j-1)b(α-j))
//	ε(α)        = max(ε1, ε2),    a factor with t or b at order 0 or 1 is 1.
//
// Derived again: with r = P'/P of the tuning and u = Q'/Q of the training given its result,
// the two sides are PQ and the mixture q P'Q + (1-q) PQ', whose ratio is qr + (1-q)u. ε1
// expands E[(qr+(1-q)u)^α] under PQ; E[u^j] given the tuning is at most e^((j-1)b(j))
// whatever it returned. ε2 first uses 1/(qr+(1-q)u) <= q/r + (1-q)/u. Both are right as
// printed. Other orders are chords and the convexity bound, as in [PoissonAmplified]:
//
//	ε(α) = ln( q e^((α-1)t(α)) + (1-q) e^((α-1)b(α)) )/(α-1).
//
// Reference: Koskela and Kulkarni (NeurIPS 2023), Theorem 6.
func KoskelaTheorem6(tuning, training rdp.Curve, rate float64) (rdp.Curve, error) {
	parts, err := newParts(tuning, training, rate)
	if err != nil || rate == 1 {
		return tuning, err
	}
	return integerCurve(func(n int) float64 {
		return math.Max(parts.forth(n), parts.back(n))
	}, parts.convexity), nil
}

// TrainOnRest is [KoskelaTheorem6] with a sharper second direction. With S(α) the sum of
// [PoissonAmplified] for the tuning and B = e^((α-1)b(α)), e^((α-1)ε2) is the least of the
// published sum and
//
//	S(α) + (1-q)(B-1) S(α+1)    and    S(α) B.
//
// Proof. Let z = 1-q+qr and w = (1-q)/z, so that qr+(1-q)u = z(1-w+wu). Given the result of
// the tuning, E[(1-w+wu)^(1-α)] <= 1-w+wB by convexity, at most B. Hence the moment is at
// most E[z^(1-α)] + (1-q)(B-1) E[z^-α], and at most B E[z^(1-α)]; E[z^(1-n)] <= S(n) for
// n >= 2 is the claim proved at PoissonAmplified. ∎
//
// The other direction is at most E[z^α] B too, as E[(1-w+wu)^α] <= 1-w+wB, for all real α > 1:
// training on the rest never costs more than training on all. So the amplified tuning plus
// the training bounds the curve at every order, which removes the crossing that the paper's
// Figure 1 shows at small q.
func TrainOnRest(tuning, training rdp.Curve, rate float64) (rdp.Curve, error) {
	parts, err := newParts(tuning, training, rate)
	if err != nil || rate == 1 {
		return tuning, err
	}
	amplified, err := PoissonAmplified(parts.tuning, rate)
	if err != nil {
		return nil, err
	}
	atIntegers := integerCurve(func(n int) float64 {
		return math.Max(parts.forth(n), parts.sharpBack(n))
	}, parts.convexity)
	return func(order float64) float64 {
		value := atIntegers(order)
		if order == math.Floor(order) && order <= maxIntegerOrder {
			return value // sharpBack has it
		}
		return lesser(value, amplified(order)+parts.training(order))
	}, nil
}

// parts holds what the two directions share.
type parts struct {
	rate              float64
	tuning, training  rdp.Curve
	tune, train       func(k int) float64 // ln of the moments
	logAmplifiedMore1 func(n int) float64 // ln(S(n)-1) of the tuning
}

func newParts(tuning, training rdp.Curve, rate float64) (parts, error) {
	if tuning == nil || training == nil {
		return parts{}, errNilPart
	}
	if err := validateRate("rate", rate); err != nil {
		return parts{}, err
	}
	p := parts{rate: rate, tuning: memoized(tuning), training: memoized(training)}
	p.tune, p.train = logMoment(p.tuning), logMoment(p.training)
	p.logAmplifiedMore1 = amplifiedExcess(p.tune, rate)
	return p, nil
}

// forth returns (n-1) ε1(n). The weights sum to 1, so that 1 is taken out of each term.
func (p parts) forth(n int) float64 {
	sum := numeric.NewSum()
	for j := 0; j <= n; j++ {
		sum.Add(logBinomialWeight(n, n-j, p.rate) + numeric.LogExpm1(p.tune(n-j)+p.train(j)))
	}
	return log1pUp(sum.Log())
}

// back returns (n-1) ε2(n) as published.
func (p parts) back(n int) float64 {
	sum := numeric.NewSum()
	for j := 0; j < n; j++ {
		sum.Add(logBinomialWeight(n-1, j, p.rate) + numeric.LogExpm1(p.tune(j+1)+p.train(n-j)))
	}
	return log1pUp(sum.Log())
}

// sharpBack returns the least of all bounds on (n-1) ε2(n).
func (p parts) sharpBack(n int) float64 {
	amplified := p.logAmplifiedMore1(n)
	rest := math.Log1p(-p.rate) + numeric.LogExpm1(p.train(n)) + log1pUp(p.logAmplifiedMore1(n+1))
	value := log1pUp(numeric.Add(amplified, rest))
	return lesser(p.back(n), lesser(value, log1pUp(amplified)+p.train(n)))
}

// convexity is a bound at every real order: the moments of a mixture are at most the
// mixture of the moments.
func (p parts) convexity(order float64) float64 {
	a := order - 1
	return log1pUp(numeric.Add(
		math.Log(p.rate)+numeric.LogExpm1(a*p.tuning(order)),
		math.Log1p(-p.rate)+numeric.LogExpm1(a*p.training(order)))) / a
}
