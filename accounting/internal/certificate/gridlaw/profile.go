package gridlaw

import (
	"github.com/dplab/dplab/accounting/internal/batchpairs"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
	"github.com/dplab/dplab/accounting/interval"
)

type I = interval.I

var (
	zero = I{}
	one  = interval.Of(1)
	half = interval.Of(0.5)
)

// Kind names a mechanism with a closed form of δ.
type Kind int

// The kinds, and what A and B of a [Mechanism] are.
const (
	Gaussian    Kind = iota + 1 // A the noise multiplier
	Laplace                     // A the noise multiplier
	Approximate                 // (A, B)-differential privacy
	Range                       // A-bounded range
	Outcomes                    // With and Without
	Batches                     // Profile
	Ratio                       // Curve
	Values                      // Known, in both orders
)

// Mechanism is one run, on a sample. Only one of the samples may be set.
type Mechanism struct {
	Kind      Kind
	A, B      float64
	With      []float64 // of Outcomes: their masses with the example
	Without   []float64 // and without it
	Profile   *batchpairs.Profile
	Curve     *splitlaw.Curve // a law above the likelihood ratio
	Known     func(epsilon I) float64
	Rate      float64 // of a Poisson sample; 1 is all records
	FixedSize bool    // the sample has a fixed size, and neighbors replace a record
	Shown     float64 // > 0: rate of a Poisson sample that may be shown
	Add       bool    // the direction, if a record is added and not removed
	Given     string  // what of this was taken from elsewhere
}

// base bounds δ(ε) = E(P-xQ)_+ of the unsampled mechanism at ε >= 0, x = e^ε, or E(Q-xP)_+ if it is
// mirrored. Only Batches have two directions. Finitely many outcomes have no base.
func (m Mechanism) base(epsilon I, mirrored bool) I {
	epsilon = epsilon.Positive()
	a := interval.Of(m.A)
	switch m.Kind {
	case Gaussian:
		middle, shift := epsilon.Mul(a), half.Div(a) // Φ(-a) - e^ε Φ(-b)
		return shift.Sub(middle).NormalCDF().Sub(epsilon.Exp().Mul(shift.Add(middle).Neg().NormalCDF())).Positive()
	case Laplace:
		return closed.Laplace(m.A, epsilon)
	case Range: // (1 - e^{(ε-A)/2})²/(1 - e^-A) up to A, and 0 above
		less := epsilon.Sub(a).Mul(half).Expm1().Neg().Positive()
		return less.Mul(less).Div(a.Neg().Expm1().Neg())
	case Batches:
		return m.batches(epsilon.Lo, mirrored)
	case Values:
		return I{Hi: m.Known(epsilon)}
	}
	return one
}

// bound returns an upper bound of δ(ε) <= 1 at ε >= 0. With x = e^ε and the laws P, Q of the
// unsampled mechanism,
//
//	remove  E((1-q)Q + qP - xQ)_+ = q E(P - x'Q)_+,  x' = 1 + (x-1)/q
//	add     E(Q - x(1-q)Q - xqP)_+ = u E(Q - (xq/u) P)_+,  u = 1 - x(1-q), and 0 if u <= 0
//	shown   s E(P - xQ)_+
//	fixed   the remove direction
//
// The last two are derived in package pld (replaceone_poisson.go, replaceone_fixedsize.go).
func (m Mechanism) bound(epsilon I) float64 {
	if d := m.delta(epsilon).Hi; d <= 1 {
		return d
	}
	return 1 // also for NaN
}

func (m Mechanism) delta(epsilon I) I {
	q := interval.Of(m.Rate)
	switch {
	case m.Shown > 0:
		return interval.Of(m.Shown).Mul(m.base(epsilon, m.Add))
	case m.Rate == 1:
		return m.base(epsilon, m.added())
	case m.added():
		// u = q - (1-q)(x-1), without cancellation of 1 - x near x = 1
		u := q.Sub(one.Sub(q).Mul(epsilon.Expm1()))
		if !(u.Hi > 0) {
			return zero
		}
		// u E(Q - (xq/u)P)_+ rises with u, so it is at most that at the upper end.
		top := interval.Of(u.Hi)
		return top.Mul(m.base(epsilon.Exp().Mul(q).Div(top).Log(), true))
	}
	return q.Mul(m.base(closed.Unsampled(m.Rate, epsilon), false))
}
