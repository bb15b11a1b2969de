package laws

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting/interval"
)

// negativeBinomial is the truncated negative binomial law. With κ = 1/γ - 1, t = ln(1/γ), v(p) =
// ln(1 + κp) and B(x) = x/(1-e^-x), where B(0) = 1,
//
//	E[K]     = κ B(ηt)/t
//	f'(1-p)  = E[K] (1+κp)^-(η+1),  f''(1-p) = f'(1-p) (η+1) κ/(1+κp)
//	1-f(1-p) = (1-e^(-ηv))/(1-e^(-ηt)) = v B(ηt)/(t B(ηv))
//
// No formula has a seam at η = 0, and no small parameter is divided out.
func negativeBinomial(eta, gamma float64) (Law, error) {
	if err := errors.Join(usual("eta", eta), usual("gamma", gamma)); err != nil || !(eta > -1 && gamma > 0 && gamma < 1) {
		return Law{}, errors.Join(err, errRange)
	}
	e, g := interval.Of(eta), interval.Of(gamma)
	odds, depth := one.Sub(g).Div(g), g.Log().Neg()
	perDepth := bernoulli(e.Mul(depth)).Div(depth)
	mean := odds.Mul(perDepth)
	at := func(p I) I { return odds.Mul(unit(p)).Log1p() } // v
	once := e.Add(one)
	first := func(p I) I { return mean.Mul(once.Mul(at(p)).Neg().Exp()) }
	some := func(p I) I {
		v := at(p)
		return unit(v.Mul(perDepth).Div(bernoulli(e.Mul(v))))
	}
	rate := func(p I) I { return once.Mul(odds.Div(one.Add(odds.Mul(unit(p))))) } // falls with p
	return Law{
		Mean: mean, None: I{}, Most: math.Inf(1),
		First:  first,
		Second: func(p I) I { return first(p).Mul(rate(p)) },
		Log:    &Logs{First: func(p I) I { return mean.Log().Sub(once.Mul(at(p))) }, Rate: rate},
		Some:   some,
		Value: func(p I) I { // with f(0) = 0, f(x) lies between x f'(0) and x f'(x)
			x, direct := one.Sub(unit(p)).Positive(), one.Sub(some(p))
			return unit(I{Lo: max(direct.Lo, x.Mul(first(one)).Lo), Hi: min(direct.Hi, x.Mul(first(p)).Hi)})
		},
	}.withTerms(terms{1, mean.Log().Sub(once.Mul(depth)), func(k int) I { // f'(0) = E[K] γ^(η+1)
		return one.Sub(g).Mul(interval.Of(float64(k)).Add(e)).Div(interval.Of(float64(k) + 1))
	}}), nil
}

// bernoulli returns B(x) = x/(1-e^-x), which rises with x. Near 0 it is 1 + x/2 + x²/12 - r, with r
// in [0, x⁴/720], as the series of x/2 coth(x/2) alternates.
func bernoulli(x I) I {
	at := func(x float64) I {
		y := interval.Of(x)
		if math.Abs(x) < 1e-3 {
			square := y.Mul(y).Positive()
			r := I{Lo: 0, Hi: square.Mul(square).Div(interval.Of(720)).Hi}
			return one.Add(y.Mul(interval.Of(0.5))).Add(square.Div(interval.Of(12))).Sub(r)
		}
		down := y.Neg().Expm1().Neg() // has the sign of x
		if x < 0 {
			return y.Neg().Div(down.Neg())
		}
		return y.Div(down)
	}
	return I{Lo: at(x.Lo).Lo, Hi: at(x.Hi).Hi}
}
