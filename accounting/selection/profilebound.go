package selection

import "math"

// profileEpsilon returns the ε of the best of K runs at delta, from a profile of one run:
//
//	δ_A(e1 + L) <= E[K] δ(e1),  L >= ln f'(q)/f'(q')
//
// Proof. A has density Q f'(q), so ∫ [Q f'(q) - e^(e1+L) Q' f'(q')]₊ <= ∫ f'(q) [Q - e^e1 Q']₊,
// and f'(q) <= f'(1) = E[K]. K = 0 adds nothing, as e^(e1+L) >= 1.
//
// Selection on profiles: Koskela, Redberg and Wang (ICML 2024). L by MaxLogWeight, which
// is the least constant that the profile allows, is derived here.
func profileEpsilon(law Distribution, s source, delta, ratio float64) float64 {
	target := delta / math.Max(1, law.Mean())
	return math.Max(0, s.epsilonAt(target)+ratio)
}

// looseLogRatio returns the constant L for a TNB law as it is usually stated,
//
//	L = (1+η) min over e >= 0 of ln(e^e + (1/γ-1) δ(e)),
//
// at most (1+η) ln 2 above MaxLogWeight. Every e is valid. The minimized function is convex
// in e^e, as profiles are. The best e is not above ln(2e^e* - 1), where the first term alone exceeds
// the whole at the root e* of MaxLogWeight's equation.
func looseLogRatio(law TNB, profile Profile) float64 {
	root := crossing(law.odds(), profile)
	value := func(e float64) float64 { return e + math.Log1p(law.odds()*profile.DeltaAt(e)*math.Exp(-e)) }
	if profile.quick {
		return (1 + law.Eta) * goldenMinimum(value, root/2, math.Log1p(2*math.Expm1(root)), 24)
	}
	return (1 + law.Eta) * fewPointsMinimum(law.odds(), root, profile, value)
}

// fewPointsMinimum looks for the minimum with four values of a slow profile. With
// κ = -(ln δ)' the derivative is zero where e^e = odds κ δ(e); ln δ is taken for the parabola
// through the last values.
func fewPointsMinimum(odds, root float64, profile Profile, value func(float64) float64) float64 {
	at, least := root, value(root)
	other := 1.1*root + 1e-9
	for range 3 {
		least = math.Min(least, value(other))
		from, to := math.Log(profile.DeltaAt(at)), math.Log(profile.DeltaAt(other))
		kappa := -(to - from) / (other - at)
		if !(kappa > 0) || math.IsInf(kappa, 1) {
			break
		}
		next := (math.Log(odds) + to + math.Log(kappa) + kappa*other) / (1 + kappa)
		if !(next >= 0) || math.Abs(next-other) < 3e-3*other {
			break
		}
		at, other = other, next
	}
	return least
}
