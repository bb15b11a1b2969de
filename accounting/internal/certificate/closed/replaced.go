package closed

import "math"

// ReplacedOnSample returns δ(ε), at epsilon >= 0, of a sum of clipped vectors on a Poisson sample
// of rate q in (0, 1), if a record is replaced. The pair of laws is (1-q) N(0, σ²) + q N(±1, σ²)
// (package pld, replaceone_sum.go). With the point τ where the loss is ε,
//
//	δ(ε) = q Φ((1-τ)/σ) - e^ε q Φ((-1-τ)/σ) - (1-q)(e^ε-1) Φ(-τ/σ).
//
// The point is τ = σ² (ε/2 + asinh(sinh(ε/2) e^{1/(2σ²)} (1-q)/q)).
func ReplacedOnSample(q float64, sigma, epsilon I) I {
	rate, square := of(q), sigma.Mul(sigma)
	rest := one.Sub(rate)
	e := epsilon.Mul(half)
	logSinh := e.Add(epsilon.Neg().Expm1().Neg().Positive().Log()).Sub(two.Log())
	bend := asinhOfExp(logSinh.Add(rest.Log()).Sub(rate.Log()).Add(half.Div(square)))
	tau := square.Mul(e.Add(bend))
	first := rate.Mul(one.Sub(tau).Div(sigma).NormalCDF())
	if epsilon.Hi > 700 { // e^ε overflows
		return I{Lo: 0, Hi: first.Hi}
	}
	second := rate.Mul(epsilon.Exp()).Mul(one.Add(tau).Neg().Div(sigma).NormalCDF())
	third := rest.Mul(epsilon.Expm1()).Mul(tau.Neg().Div(sigma).NormalCDF())
	return first.Sub(second).Sub(third).Positive()
}

// asinhOfExp returns asinh(e^x), which is x + ln(1 + √(1+e^{-2x})).
func asinhOfExp(x I) I {
	at := func(x I) I {
		if x.Lo > 0 {
			root := one.Add(x.Mul(two).Neg().Exp()).Sqrt()
			return x.Add(one.Add(root).Log())
		}
		y := x.Exp()
		square := y.Mul(y)
		return y.Add(square.Div(one.Add(one.Add(square).Sqrt()))).Log1p()
	}
	lo := 0.0
	if !math.IsInf(x.Lo, -1) {
		lo = max(0, at(of(x.Lo)).Lo)
	}
	return I{Lo: lo, Hi: at(of(x.Hi)).Hi}
}
