package gridlaw

import (
	"github.com/dplab/dplab/accounting/internal/batchpairs"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
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
	Ratio                       // At
)

// Mechanism is one run, on a sample. Only one of the samples may be set.
type Mechanism struct {
	Kind    Kind
	A, B    float64
	With    []float64 // of Outcomes: their masses with the example
	Without []float64 // and without it
	Profile *batchpairs.Profile
	// At bounds E(P-xQ)_+ of a Ratio at x = e^ε, or E(Q-xP)_+ if the example is added.
	At        func(epsilon I, added bool) float64
	Rate      float64 // of a Poisson sample; 1 is all records
	FixedSize bool    // the sample has a fixed size, and neighbors replace a record
	Shown     float64 // > 0: rate of a Poisson sample that may be shown
	Add       bool    // the direction, if a record is added and not removed
	Runs      float64 // > 1: so many releases of an Approximate mechanism as one; B = 0 on a sample
	Given     string  // what of this was taken from elsewhere
}

// above returns δ(ε) of the unsampled mechanism for ε >= 0. Its pair of laws is its own mirror
// image, apart from Outcomes.
func (m Mechanism) above(epsilon I) I {
	epsilon = epsilon.Positive()
	a := interval.Of(m.A)
	switch m.Kind {
	case Gaussian:
		middle, shift := epsilon.Mul(a), half.Div(a) // Φ(-a) - e^ε Φ(-b)
		return shift.Sub(middle).NormalCDF().Sub(epsilon.Exp().Mul(shift.Add(middle).Neg().NormalCDF())).Positive()
	case Laplace:
		return closed.Laplace(m.A, epsilon)
	case Approximate:
		b := interval.Of(m.B)
		return b.Add(one.Sub(b).Mul(closed.Pure(a, epsilon)))
	case Range: // (1 - e^{(ε-A)/2})²/(1 - e^-A) up to A, and 0 above
		less := epsilon.Sub(a).Mul(half).Expm1().Neg().Positive()
		return less.Mul(less).Div(a.Neg().Expm1().Neg())
	}
	return one
}

// base returns E(P-xQ)_+ of the unsampled mechanism at any real ε, x = e^ε, or E(Q-xP)_+ if it is
// mirrored. For a pair that is its own mirror image it is 1 - x + x E(P-Q/x)_+.
func (m Mechanism) base(epsilon I, mirrored bool) I {
	switch m.Kind {
	case Outcomes:
		return m.outcomes(epsilon, mirrored)
	case Batches:
		return m.batches(epsilon, mirrored)
	case Ratio:
		return I{Hi: m.At(epsilon, mirrored)}
	}
	if epsilon.Lo >= 0 {
		return m.above(epsilon)
	}
	x := epsilon.Exp()
	return epsilon.Expm1().Neg().Positive().Add(x.Mul(m.above(epsilon.Neg())))
}

// outcomes adds up (p - xq)_+.
func (m Mechanism) outcomes(epsilon I, mirrored bool) I {
	first, second := m.With, m.Without
	if mirrored {
		first, second = second, first
	}
	x := epsilon.Exp()
	var total interval.Sum
	for i, p := range first {
		total.Add(interval.Of(p).Sub(x.Mul(interval.Of(second[i]))).Positive())
	}
	return total.I()
}

// delta returns an upper bound of δ(ε) at any real ε. With x = e^ε and the laws P, Q of the
// unsampled mechanism,
//
//	remove  E((1-q)Q + qP - xQ)_+ = q E(P - x'Q)_+,  x' = 1 + (x-1)/q, and 1-x if x' <= 0
//	add     E(Q - x(1-q)Q - xqP)_+ = u E(Q - (xq/u) P)_+,  u = 1 - x(1-q), and 0 if u <= 0
//	shown   s E(P - xQ)_+ + (1-s)(1-x)_+
//	fixed   the remove direction for ε >= 0, and its mirror image
//
// The last two are derived in package pld (replaceone_poisson.go, replaceone_fixedsize.go).
func (m Mechanism) delta(epsilon I) float64 {
	switch {
	case m.Shown > 0:
		s := interval.Of(m.Shown)
		rest := one.Sub(s).Mul(epsilon.Expm1().Neg().Positive())
		return s.Mul(m.base(epsilon, m.Add)).Add(rest).Hi
	case m.FixedSize && epsilon.Lo < 0:
		return epsilon.Expm1().Neg().Positive().Add(epsilon.Exp().Mul(m.removed(epsilon.Neg()))).Hi
	case m.Rate == 1:
		return m.base(epsilon, m.Add && !m.FixedSize).Hi
	case m.Add && !m.FixedSize:
		return m.added(epsilon).Hi
	}
	return m.removed(epsilon).Hi
}

func (m Mechanism) removed(epsilon I) I {
	if m.Rate == 1 {
		return m.base(epsilon, false)
	}
	q := interval.Of(m.Rate)
	if epsilon.Lo > 30 {
		inner := epsilon.Sub(q.Log()).Add(one.Sub(q).Mul(epsilon.Neg().Exp()).Neg().Log1p())
		return q.Mul(m.base(inner, false))
	}
	less := epsilon.Expm1().Div(q) // x'-1
	if !(less.Lo > -1+1e-13) {
		// Up to x' = 0 δ is 1-x, and up to x' = 2e-13 at most q, which is 1-x + q x'.
		return I{Lo: 0, Hi: interval.Up(epsilon.Expm1().Neg().Hi + 2e-13*m.Rate)}
	}
	return q.Mul(m.base(less.Log1p(), false))
}

func (m Mechanism) added(epsilon I) I {
	q, x := interval.Of(m.Rate), epsilon.Exp()
	// u = q - (1-q)(x-1), without cancellation of 1 - x near x = 1
	u := q.Sub(one.Sub(q).Mul(epsilon.Expm1()))
	if !(u.Hi > 0) {
		return zero
	}
	// u E(Q - (xq/u)P)_+ rises with u, so it is at most that at the upper end.
	top := interval.Of(u.Hi)
	return top.Mul(m.base(x.Mul(q).Div(top).Log(), true))
}
