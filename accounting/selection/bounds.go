package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

const (
	papernot = "Papernot and Steinke (ICLR 2022)"
	koskela  = "Koskela, Redberg and Wang (ICML 2024)"
)

// theoremBounds returns Theorem 2 or 6, as published.
func theoremBounds(k law.Distribution, base baserun.Run, delta float64) ([]found, error) {
	if base.Curve == nil {
		return nil, nil
	}
	var curve rdp.Curve
	var err error
	var name, theorem string
	switch l := k.Law().(type) {
	case law.TNB:
		name, theorem = "Theorem 2", "Theorem 2 of "+papernot
		curve, err = Theorem2(l, base.Curve)
	case law.Poisson:
		if l.MeanRepeats < 1 {
			return nil, nil
		}
		name, theorem = "Theorem 6", "Theorem 6 of "+papernot
		curve, err = Theorem6(l, base)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []found{{Bound: RDPBound(curve, delta, accounting.Bound{Name: name, Theorem: theorem, Published: true})}}, nil
}

// sharpenedBounds returns the sharpened form of both theorems.
func sharpenedBounds(k law.Distribution, base baserun.Run, delta float64) ([]found, error) {
	if base.Curve == nil || !k.LogConvex() {
		return nil, nil
	}
	base = base.Prepared()
	best := rdp.CanonneKamathSteinke.Best(sharpened(k, base), delta)
	return []found{{Bound: converted(best, accounting.Bound{
		Name:    "sharpened RDP",
		Theorem: "Lemma 7 of " + papernot + " with the weights bounded by the privacy profile (selection.Sharpened)",
	}), Ask: renyiCheck(k, base, delta, best.Order)}}, nil
}

// lemma7Bounds returns the Rényi bound of all other laws.
func lemma7Bounds(k law.Distribution, base baserun.Run, delta float64) ([]found, error) {
	if _, fixed := k.Law().(law.Fixed); fixed || base.Curve == nil || k.LogConvex() {
		return nil, nil
	}
	base = base.Prepared()
	best := conversionAbove(lemma7At(k, base), lemma7Floor(k, base), delta)
	return []found{{Bound: converted(best, accounting.Bound{
		Name:    "Lemma 7",
		Theorem: "Lemma 7 of " + papernot + " with P[K=0] added and the weights bounded by the privacy profile (selection, rdpbounds.go)",
	}), Ask: renyiCheck(k, base, delta, best.Order)}}, nil
}

// RDPBound returns b with Epsilon, Method and Warnings set from the ε at delta of a Rényi curve.
func RDPBound(curve rdp.Curve, delta float64, b accounting.Bound) accounting.Bound {
	return converted(rdp.CanonneKamathSteinke.Best(curve, delta), b)
}

func converted(best rdp.Best, b accounting.Bound) accounting.Bound {
	b.Epsilon = best.Value
	b.Method = fmt.Sprintf("%s, RDP at order %.6g, %v", b.Name, best.Order, rdp.CanonneKamathSteinke)
	if best.AtEnd && best.Value > 0 {
		b.Warnings = append(b.Warnings, fmt.Errorf("selection: best order %.6g is at the end of the orders searched: the bound is valid and may be loose", best.Order))
	}
	return b
}

// profileBounds returns the published bounds from privacy profiles, for TNB laws: one for each
// source.
func profileBounds(k law.Distribution, base baserun.Run, delta float64) ([]found, error) {
	tnb, ok := k.Law().(law.TNB)
	if !ok {
		return nil, nil
	}
	var bounds []found
	for _, s := range base.Sources() {
		ratio := s.OverProfiles(func(p baserun.Profile) float64 { return looseLogRatio(tnb, p) })
		bounds = append(bounds, found{Bound: accounting.Bound{
			Name:      "profile, " + s.Name,
			Theorem:   "privacy profile of selection, " + koskela,
			Method:    fmt.Sprintf("privacy profile of one run by %s", s.Name),
			Epsilon:   profileEpsilon(k, s, delta, ratio),
			Published: true,
		}, Ask: profileCheck(k, base, delta)})
	}
	return bounds, nil
}

func sharpenedProfileBounds(k law.Distribution, base baserun.Run, delta float64) ([]found, error) {
	if _, ok := k.Law().(law.Fixed); ok {
		return nil, nil
	}
	var bounds []found
	for _, s := range base.Sources() {
		ratio := s.LogWeight(k, math.Inf(1))
		b := accounting.Bound{
			Name:    "sharpened profile, " + s.Name,
			Theorem: "privacy profile of selection, " + koskela + ", with the least constant that the profile allows (MaxLogWeight of the law)",
			Method:  fmt.Sprintf("sharpened bound on the privacy profile of one run by %s", s.Name),
			Epsilon: profileEpsilon(k, s, delta, ratio),
		}
		switch k.Law().(type) {
		case law.Poisson, law.Binomial: // the constant is the published one; see their MaxLogWeight
			b.Name, b.Published = "profile, "+s.Name, true
			b.Theorem = "privacy profile of selection, " + koskela
			b.Method = fmt.Sprintf("privacy profile of one run by %s", s.Name)
		}
		bounds = append(bounds, found{Bound: b, Ask: profileCheck(k, base, delta)})
	}
	return bounds, nil
}

// profileEpsilon returns the ε of the best of K runs at delta, from a profile of one run:
//
//	δ_A(e1 + L) <= E[K] δ(e1),  L >= ln f'(q)/f'(q')
//
// Proof. A has density Q f'(q), so ∫ [Q f'(q) - e^(e1+L) Q' f'(q')]₊ <= ∫ f'(q) [Q - e^e1 Q']₊,
// and f'(q) <= f'(1) = E[K]. K = 0 adds nothing, as e^(e1+L) >= 1.
//
// Reference: Koskela, Redberg and Wang (ICML 2024), selection on profiles. L by MaxLogWeight, the
// least constant that the profile allows, is derived here.
func profileEpsilon(k law.Distribution, s baserun.Source, delta, ratio float64) float64 {
	target := delta / math.Max(1, k.Mean())
	return math.Max(0, s.EpsilonAt(target)+ratio)
}

// looseLogRatio returns the constant L for a TNB law as it is usually stated,
//
//	L = (1+η) min over e >= 0 of ln(e^e + (1/γ-1) δ(e)),
//
// which is at most (1+η) ln 2 above MaxLogWeight. Every e is valid. The minimized function is
// convex in e^e, as profiles are. Let e* be the root of MaxLogWeight's equation. Above ln(2e^e* -
// 1) the first term by itself exceeds the value at e*, so the best e is not above that.
func looseLogRatio(k law.TNB, profile baserun.Profile) float64 {
	odds := (1 - k.Gamma) / k.Gamma
	root := profile.AsLawProfile().Crossing(odds)
	value := func(e float64) float64 { return e + math.Log1p(odds*profile.DeltaAt(e)*math.Exp(-e)) }
	if profile.AsLawProfile().Quick {
		return (1 + k.Eta) * numeric.GoldenMinimum(value, root/2, math.Log1p(2*math.Expm1(root)), 24)
	}
	return (1 + k.Eta) * fewPointsMinimum(odds, root, profile, value)
}

// fewPointsMinimum looks for the minimum with four values of a slow profile. With κ = -(ln δ)' the
// derivative is zero where e^e = odds κ δ(e). κ is estimated from the last two values.
func fewPointsMinimum(odds, root float64, profile baserun.Profile, value func(float64) float64) float64 {
	at, least := root, value(root)
	other := 1.1*root + 1e-9
	for range 3 {
		least = math.Min(least, value(other))
		from, to := numeric.Log(profile.DeltaAt(at)), numeric.Log(profile.DeltaAt(other))
		kappa := -(to - from) / (other - at)
		if !(kappa > 0) || math.IsInf(kappa, 1) {
			break
		}
		next := (numeric.Log(odds) + to + numeric.Log(kappa) + kappa*other) / (1 + kappa)
		if !(next >= 0) || math.Abs(next-other) < 3e-3*other {
			break
		}
		at, other = other, next
	}
	return least
}
