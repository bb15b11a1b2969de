package closed

import "math"

// LogGaussian returns ln δ(ε) of the Gaussian mechanism with µ = mu > 0, at epsilon >= 0:
//
//	δ(ε) = Φ(-a) - e^ε Φ(-b) = φ(a) (R(a) - R(b)),    a = ε/µ - µ/2,    b = ε/µ + µ/2,
//
// with the Mills ratio R, as e^ε φ(b) = φ(a). It rises with µ and falls with ε, so each end of mu
// and epsilon gives one end.
//
// Reference: Balle and Wang (2018), arXiv:1805.06530v2, Theorem 8.
func LogGaussian(mu, epsilon I) I { return both.gaussian(mu, epsilon) }

// ends selects the ends that are computed. The others are bounds too, but useless. One end takes
// half the time of both.
type ends struct{ lower, upper bool }

var both, upper, lower = ends{true, true}, ends{false, true}, ends{true, false}

func (e ends) gaussian(mu, epsilon I) I {
	if mu.Lo == mu.Hi && epsilon.Lo == epsilon.Hi {
		return e.at(mu, epsilon)
	}
	out := I{Lo: math.Inf(-1)}
	if e.lower && mu.Lo > 0 {
		out.Lo = lower.at(of(mu.Lo), of(epsilon.Hi)).Lo
	}
	if e.upper {
		out.Hi = upper.at(of(mu.Hi), of(max(0, epsilon.Lo))).Hi
	}
	return out
}

// at is gaussian at one µ > 0 and one ε >= 0.
func (e ends) at(mu, epsilon I) I {
	if !(mu.Hi < 1e150) || !(epsilon.Hi <= math.MaxFloat64) {
		return I{Lo: math.Inf(-1), Hi: 0}
	}
	middle := epsilon.Div(mu)
	a, b := middle.Sub(mu.Mul(half)), middle.Add(mu.Mul(half))
	if a.Lo < -1 && mu.Lo > 2 { // δ is above 0.3
		logDensity := a.Mul(a).Mul(half).Neg().Sub(logSqrt2Pi)
		delta := a.Neg().NormalCDF().Sub(logDensity.Exp().Mul(mills(b)))
		return I{Lo: delta.Positive().Log().Lo, Hi: min(0, delta.Log().Hi)}
	}
	logFall := fall(a, mu, e).Log()
	out := a.Mul(a).Mul(half).Neg().Sub(logSqrt2Pi).Add(logFall)
	return I{Lo: out.Lo, Hi: min(0, out.Hi)}
}

// sampledRemove returns ln δ(ε) of a Gaussian mechanism on a Poisson sample of rate q in (0, 1],
// if a record is removed:
//
//	δ(ε) = q δ_G(ε'),    e^ε' = 1 + (e^ε-1)/q.
//
// Reference: Balle, Barthe and Gaboardi (2018), arXiv:1807.01647v2, Theorem 8, which is attained.
func (e ends) sampledRemove(q float64, mu, epsilon I) I {
	return of(q).Log().Add(e.gaussian(mu, Unsampled(q, epsilon)))
}

// Unsampled returns ln(1 + (e^ε-1)/q). For a large ε it is ε + ln(1/q) + ln(1 - (1-q) e^-ε),
// without overflow.
func Unsampled(q float64, epsilon I) I {
	if epsilon.Lo > 30 {
		return epsilon.Sub(of(q).Log()).Add(one.Sub(of(q)).Mul(epsilon.Neg().Exp()).Neg().Log1p())
	}
	return epsilon.Expm1().Div(of(q)).Log1p().Positive()
}

// sampledAdd returns ln δ(ε) of a Gaussian mechanism on a Poisson sample of rate q in (0, 1], if
// a record is added:
//
//	δ(ε) = q e^ε w δ_G(-ln w),    w = 1 - (1-e^-ε)/q,    and 0 if w <= 0.
//
// Proof. With P = (1-q)Q + qN the profile is that of ∫ (Q - e^ε P)₊ = ∫ ((1-(1-q)e^ε) Q - q e^ε
// N)₊, and 1-(1-q)e^ε = q e^ε w. So it is q e^ε ∫ (wQ - N)₊. It rises with w, so each end of w
// gives one end. ∎
func (e ends) sampledAdd(q float64, mu, epsilon I) I {
	w := one.Add(epsilon.Neg().Expm1().Div(of(q)))
	front := of(q).Log().Add(epsilon)
	at := func(e ends, w float64) I {
		if w <= 0 {
			return I{Lo: math.Inf(-1), Hi: -math.MaxFloat64}
		}
		w = min(1, w)
		return front.Add(of(w).Log()).Add(e.gaussian(mu, of(w).Log().Neg().Positive()))
	}
	out := I{Lo: math.Inf(-1), Hi: math.Inf(1)}
	if e.lower {
		out.Lo = at(lower, w.Lo).Lo
	}
	if e.upper {
		out.Hi = at(upper, w.Hi).Hi
	}
	return out
}

// LogSampled returns ln δ(ε) of a Gaussian mechanism on a Poisson sample: the larger of both
// directions.
func LogSampled(q float64, mu, epsilon I) I { return both.sampled(q, mu, epsilon) }

func (e ends) sampled(q float64, mu, epsilon I) I {
	remove, add := e.sampledRemove(q, mu, epsilon), e.sampledAdd(q, mu, epsilon)
	return I{Lo: max(remove.Lo, add.Lo), Hi: max(remove.Hi, add.Hi)}
}
