package law

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/numeric"
)

// TNB is the truncated negative binomial law, on k >= 1:
//
//	P[K=k] = (1-γ)^k/(γ^-η - 1) Π_{l=0..k-1} (l+η)/(l+1)    η ≠ 0
//	P[K=k] = (1-γ)^k/(k ln(1/γ))                            η = 0, the logarithmic law
//	f'(x)  = E[K] (γ/(1-(1-γ)x))^(η+1)
//	E[K]   = η (1-γ)/(γ (1-γ^η)),  (1/γ-1)/ln(1/γ) for η = 0
//
// η = 1 is the geometric law. A smaller η has a heavier tail for the same mean. Whether it also
// costs less privacy depends on the run and the bound.
//
// Reference: Papernot and Steinke (ICLR 2022), Definition 1 and equation (7).
type TNB struct {
	Eta   float64 // η in (-1, MostEta]
	Gamma float64 // γ in (0, 1), at least LeastGamma
}

const (
	// LeastGamma is the least γ of a TNB. Far below it 1/γ overflows.
	LeastGamma = 1e-305
	// MostEta is the largest η. Above it logarithms multiplied by 1+η lose their last digits. The
	// law is then nearly that of a Poisson K given K >= 1.
	MostEta = 1e12
)

// Validate returns an error unless η is in (-1, MostEta] and γ in [LeastGamma, 1).
func (l TNB) Validate() error {
	if err := validateEta(l.Eta); err != nil {
		return err
	}
	if !(l.Gamma >= LeastGamma && l.Gamma < 1) {
		return fmt.Errorf("law: TNB.Gamma %g: must be in [%g, 1)", l.Gamma, LeastGamma)
	}
	if mean := tnb(l).Mean(); !(mean < math.Inf(1)) {
		return fmt.Errorf("law: TNB.Eta %g, Gamma %g: have mean %g: must be finite", l.Eta, l.Gamma, mean)
	}
	return nil
}

func validateEta(eta float64) error {
	if !(eta > -1 && eta <= MostEta) {
		return fmt.Errorf("law: TNB.Eta %g: must be > -1 and at most %g", eta, float64(MostEta))
	}
	return normal("TNB.Eta", eta)
}

// String names the law.
func (l TNB) String() string {
	name := "truncated negative binomial"
	switch l.Eta {
	case 0:
		name = "logarithmic"
	case 1:
		name = "geometric"
	}
	return fmt.Sprintf("%s law (η=%g, γ=%.6g, mean %.6g)", name, l.Eta, l.Gamma, tnb(l).Mean())
}

// depth returns t = ln(1/γ), the natural scale of the law.
func (l tnb) depth() float64 { return -numeric.Log(l.Gamma) }

// odds returns 1/γ - 1.
func (l tnb) odds() float64 { return (1 - l.Gamma) / l.Gamma }

// Distribution returns the law in closed form.
func (l TNB) Distribution() Distribution { return newDistribution(l, tnb(l)) }

// tnb is the form of a TNB.
type tnb TNB

// Mean returns E[K].
func (l tnb) Mean() float64 {
	return l.odds() * l.scale()
}

// scale returns η/(1-γ^η), which tends to 1/ln(1/γ) as η tends to 0.
func (l tnb) scale() float64 { return tnbScale(l.Eta, l.depth()) }

// flat is the size below which η t and other products are taken as 0. E[K], f and the chances are
// then those of η = 0, up to factors of 1 ± |η t|. A smaller product may be subnormal, and a
// quotient by it would lose its digits.
const flat = 1e-150

func isFlat(eta, depth float64) bool { return math.Abs(eta*depth) < flat }

func tnbScale(eta, depth float64) float64 {
	if isFlat(eta, depth) {
		return 1 / depth
	}
	return eta / -math.Expm1(-eta*depth)
}

// LogPMF returns ln P[K = k]. It uses the form without a seam at η = 0:
//
//	P[K=k] = (1-γ)^k Γ(k+η)/(Γ(1+η) k!) · η/(γ^-η - 1)
func (l tnb) LogPMF(k int) float64 {
	if k < 1 {
		return math.Inf(-1)
	}
	x := float64(k)
	factorial, _ := math.Lgamma(x + 1)
	// η/(γ^-η - 1) = γ^η η/(1-γ^η)
	return x*math.Log1p(-l.Gamma) + numeric.LogGammaRatio(1+l.Eta, x-1) - factorial - l.Eta*l.depth() + numeric.Log(l.scale())
}

// depthAt returns u = -ln(1-(1-γ)x). It is t at x = 1, also for a γ so small that 1-γ rounds to 1.
func (l tnb) depthAt(x float64) float64 {
	if x > 0.5 {
		return -numeric.Log(l.Gamma + (1-l.Gamma)*(1-x))
	}
	return -math.Log1p(-(1 - l.Gamma) * x)
}

// PGF returns f(x) = (s^-η - 1)/(γ^-η - 1) with s = 1-(1-γ)x. For small x it is P[K=1] x.
func (l tnb) PGF(x float64) float64 {
	u := l.depthAt(x)
	switch {
	case (1-l.Gamma)*x < flat:
		return x * math.Exp(l.LogPMF(1))
	case isFlat(l.Eta, l.depth()):
		return u / l.depth()
	}
	return expm1Ratio(l.Eta*u, l.Eta*l.depth())
}

// LogPGFDerivative returns ln f'(x).
func (l tnb) LogPGFDerivative(x float64) float64 {
	return numeric.Log(l.Mean()) + (l.Eta+1)*(l.depthAt(x)-l.depth())
}

// SuccessProbability returns 1 - f(1-p), which is E[K] p for small p.
func (l tnb) SuccessProbability(p float64) float64 {
	v := math.Log1p(l.odds() * p)
	switch {
	case l.odds()*p < flat:
		return l.Mean() * p
	case isFlat(l.Eta, l.depth()):
		return v / l.depth()
	}
	return expm1Ratio(-l.Eta*v, -l.Eta*l.depth())
}

// ExpectedQuantile returns 1 - ∫ f(x) dx over [0, 1]. With x = (1-e^-u)/(1-γ) the integrand is
// smooth at every η. Panels of length at most 4 with 20 nodes each leave an error near rounding.
func (l tnb) ExpectedQuantile() float64 {
	t := l.depth()
	panels := int(math.Ceil(math.Min(t, 60) / 4))
	width := math.Min(t, 60) / float64(panels)
	inner := func(u float64) float64 { return l.PGF(-math.Expm1(-u)/(1-l.Gamma)) * math.Exp(-u) }
	var sum float64
	for i := range panels {
		sum += quad.Fixed(inner, float64(i)*width, float64(i+1)*width, 20, quad.Legendre{}, 0)
	}
	return 1 - sum/(1-l.Gamma)
}

// MaxLogWeight returns 1+η times the result for η = 0. With p = 1-q, p' = 1-q',
// u = (1/γ-1)p, x = e^e and κ = 1 + (1/γ-1) δ(e), the profile gives p' <= xp + δ(e), so
//
//	f'(q)/f'(1)  = (1+u)^-(1+η)
//	f'(q)/f'(q') = ((γ + (1-γ)p')/(γ + (1-γ)p))^(1+η) <= ((κ + xu)/(1+u))^(1+η)
//
// for every e >= 0. (κ + xu)/(1+u) is at most max(κ, x), and the best e makes the two equal: e^e -
// 1 = (1/γ-1) δ(e). For a finite order see maxLogWeight.
func (l tnb) MaxLogWeight(order float64, base Profile) float64 {
	return (1 + l.Eta) * (maxLogWeight(l.odds(), order, base) + weightRounding)
}

func (l tnb) logConvex() bool { return true }

func (l tnb) tilted(x float64) (Distribution, bool) {
	t := TNB{Eta: l.Eta, Gamma: l.Gamma + (1-l.Gamma)*(1-x)}
	return t.Distribution(), t.Validate() == nil
}

// chanceRatio returns (1-γ)(k+η)/(k+1) for η > 1, which falls with k, and 1-γ else.
func (l tnb) chanceRatio(k int) float64 {
	return (1 - l.Gamma) * math.Max(1, (float64(k)+l.Eta)/(float64(k)+1))
}

func (l tnb) lastRun() (int, bool) { return 0, false }

// Rand draws K in constant expected time, for every η > -1 and any mean.
//
// It draws x from the density f'(x) on [0, 1], then K = 1 + NegativeBinomial(η+1, s) with s =
// 1-(1-γ)x. The first draw inverts f. The second is a Poisson draw with a gamma mean. For η = 0
// this is Kemp's algorithm for the logarithmic law (Applied Statistics 30, 1981).
//
// Proof: the size-biased law of K is 1 + NegativeBinomial(η+1, γ). Divide its weights by k = 1/∫
// x^(k-1) dx. ∎
//
// The algorithm is exact for real numbers. Its errors are those of float64, and of the standard
// library's normal and exponential draws, with a resolution of about 2^-32.
func (l tnb) Rand(rng *rand.Rand) (int, error) {
	logS := l.invertDepth(uniformOpen(rng))
	rate := numeric.DrawGamma(l.Eta+1, rng) * math.Expm1(logS)
	return checkedCount(TNB(l), 1+drawPoisson(rate, rng))
}

// invertDepth returns u = -ln(1-(1-γ)x) where f(x) = v:
//
//	u = ln(1 + v (γ^-η - 1))/η, v ln(1/γ) for η = 0
func (l tnb) invertDepth(v float64) float64 {
	t := l.depth()
	a := l.Eta * t
	switch {
	case isFlat(l.Eta, t):
		return v * t
	case a > 30:
		return t + numeric.Log(v+math.Exp(-a)*(1-v))/l.Eta
	}
	return math.Log1p(v*math.Expm1(a)) / l.Eta
}

// Logarithmic returns the logarithmic law of the given mean, the TNB with η = 0. It costs the least
// privacy of the common laws. The mean is > 1 and finite.
func Logarithmic(mean float64) (TNB, error) { return TNBFromMean(0, mean) }

// Geometric returns the geometric law of the given mean on k >= 1, the TNB with η = 1 and
// γ = 1/mean. The mean is > 1 and finite.
func Geometric(mean float64) (TNB, error) { return TNBFromMean(1, mean) }

// TNBFromMean returns the truncated negative binomial law with the given η and mean.
//
// eta is in (-1, MostEta], mean > 1 and finite. For a mean of 1 use Fixed{Count: 1}. The mean grows
// with t = ln(1/γ). t is found by bisection to the last bits, at any η:
//
//	E[K] = (e^t - 1) η/(1 - e^(-ηt)),  (e^t - 1)/t for η = 0
//
// It returns an error if γ is below the range of float64, for large means with η near -1.
func TNBFromMean(eta, mean float64) (TNB, error) {
	if err := validateEta(eta); err != nil {
		return TNB{}, err
	}
	if !(mean > 1) || math.IsInf(mean, 1) {
		return TNB{}, fmt.Errorf("law: mean %g of a truncated negative binomial law: must be > 1 and finite (for one run use Fixed)", mean)
	}
	meanAt := func(depth float64) float64 { return math.Expm1(depth) * tnbScale(eta, depth) }
	const deepest = 700 // e^-700 is near the least float64
	if meanAt(deepest) < mean {
		return TNB{}, fmt.Errorf("law: mean %g at η = %g: needs γ < e^-%d, below the range of float64", mean, eta, deepest)
	}
	lo, hi := 0.0, float64(deepest)
	for {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if meanAt(mid) < mean {
			lo = mid
		} else {
			hi = mid
		}
	}
	law := TNB{Eta: eta, Gamma: math.Exp(-lo - (hi-lo)/2)}
	if err := law.Validate(); err != nil { // γ rounds to 1
		return TNB{}, fmt.Errorf("law: mean %g is too close to 1: %w", mean, err)
	}
	return law, nil
}

func init() {
	RegisterFormat("tnb",
		func(l TNB) []eventjson.Field {
			return []eventjson.Field{field("eta", l.Eta), field("gamma", l.Gamma)}
		},
		func(o *eventjson.Object) TNB {
			if !o.Has("mean") {
				return TNB{Eta: o.Float("eta"), Gamma: o.Float("gamma")}
			}
			l, err := TNBFromMean(o.Float("eta"), o.Float("mean"))
			if err != nil {
				o.Invalid(err)
			}
			return l
		},
		Parameter{Name: "mean", Instead: "gamma"})
}
