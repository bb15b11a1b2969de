package selected

import (
	"math"

	"github.com/dplab/dplab/accounting/internal/certificate/renyi"
	"github.com/dplab/dplab/accounting/interval"
)

// Renyi checks the conversion of a Rényi bound on the best of K runs. divergence is that of one run
// at order λ, and
//
//	W = max over p of f'(1-p)^λ f'(1-P(p))^(1-λ)
//	e^((λ-1)D) <= f(0) + W e^((λ-1) divergence)      for every law (Lemma 7)
//	e^((λ-1)D) <= 1 + W (e^((λ-1) divergence) - 1)   if (ln f')' does not fall (Sharpened)
//	δ <= e^((λ-1)(D-ε)) (1-1/λ)^λ/(λ-1)
//
// The last line is Proposition 12 of Canonne, Kamath and Steinke (2020). x^λ y^(1-λ) is convex, and
// it grows with x and falls with y. At λ = +Inf, δ is 0 from ε = divergence + max ln
// f'(1-p)/f'(1-P(p)) on.
func Renyi(law Law, run Run, order, divergence float64) Check {
	weights := map[float64]Weight{}
	return func(epsilon, slack float64) (float64, int) {
		if !(order > 1) || !(divergence >= 0) || math.IsInf(divergence, 1) {
			return 1, 0
		}
		if divergence == 0 { // both data sets have the same law of outputs
			return 0, 1
		}
		w, known := weights[slack]
		if !known {
			w = LargestWeight(law, run, order, slack/2)
			weights[slack] = w
		}
		if math.IsInf(order, 1) {
			return converted(law, order, divergence, epsilon, w.Log), w.Work
		}
		delta := converted(law, order, divergence, epsilon, w.Log)
		if law.Log != nil {
			x := interval.Of(order).Sub(one).Mul(interval.Of(divergence))
			delta = min(delta, atOrder(order, sharpened(w.Log, x), epsilon))
		}
		return delta, w.Work
	}
}

// converted returns δ at ε of the bound f(0) + e^w e^((λ-1) divergence), from above.
func converted(law Law, order, divergence, epsilon, w float64) float64 {
	if math.IsInf(order, 1) {
		return ifAtLeast(epsilon, interval.Of(divergence).Add(interval.Of(w)))
	}
	x := interval.Of(order).Sub(one).Mul(interval.Of(divergence))
	return atOrder(order, lemma7(law, w, x), epsilon)
}

// atOrder returns δ at ε if (λ-1)D is at most moment, from above.
func atOrder(order, moment, epsilon float64) float64 {
	return renyi.Convert(interval.Of(moment), interval.Of(order), epsilon).Exp().Hi
}

// ifAtLeast returns 0 if epsilon is at least bound, and 1 otherwise.
func ifAtLeast(epsilon float64, bound I) float64 {
	if epsilon >= bound.Hi {
		return 0
	}
	return 1
}

// Weight is ln W from above.
type Weight struct {
	Log  float64
	Work int
}

// LargestWeight returns ln W, at order +Inf the logarithm of the largest ratio. It is above by at
// most tolerance, mostly.
func LargestWeight(law Law, run Run, order, tolerance float64) Weight {
	ratio := math.IsInf(order, 1)
	lambda := interval.Of(order)
	p := &parts{law: law, lines: run.lines, enough: math.Inf(-1), tolerance: tolerance, grows: true, left: MostParts, logs: law.Log != nil, of: func(at pair) float64 {
		if !(at.b > 0) && law.Log == nil || math.IsInf(at.b, -1) {
			return math.Inf(1)
		}
		a, b := interval.Of(at.a), interval.Of(at.b)
		if law.Log == nil {
			a, b = a.Log(), b.Log()
		}
		if ratio {
			return a.Sub(b).Hi
		}
		return a.Add(lambda.Sub(one).Mul(a.Sub(b))).Hi
	}}
	return Weight{p.most(), MostParts - p.left}
}

// lemma7 returns ln(f(0) + e^(w+x)) from above.
func lemma7(law Law, w float64, x I) float64 {
	y := interval.Of(w).Add(x)
	if law.None.Hi == 0 {
		return y.Hi
	}
	return y.Add(law.None.Mul(y.Neg().Exp()).Log1p()).Hi
}

// sharpened returns ln(1 + e^w (e^x - 1)) from above, for x >= 0.
func sharpened(w float64, x I) float64 {
	if !(x.Hi > 0) {
		return 0
	}
	x = I{Lo: x.Hi, Hi: x.Hi}
	excess := x.Expm1().Log() // ln(e^x - 1)
	if x.Hi > 30 {
		excess = x.Add(x.Neg().Exp().Neg().Log1p())
	}
	y := interval.Of(w).Add(excess)
	if y.Hi > 30 {
		return y.Add(y.Neg().Exp().Log1p()).Hi
	}
	return y.Exp().Log1p().Hi
}
