package law

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/numeric"
)

// Poisson is the Poisson law of mean MeanRepeats:
//
//	P[K=k] = e^-µ µ^k/k!    f(x) = e^(µ(x-1))    f'(x) = µ e^(µ(x-1))
//
// K = 0 has chance e^-µ. A search that draws it must release its defined default output. Drawing
// again would be another law.
//
// Reference: Papernot and Steinke (ICLR 2022), Section 3.4.
type Poisson struct {
	MeanRepeats float64 // µ > 0; Theorem 6 needs µ >= 1
}

// Validate returns an error unless the mean is positive and finite.
func (l Poisson) Validate() error {
	if !(l.MeanRepeats > 0) || math.IsInf(l.MeanRepeats, 1) {
		return fmt.Errorf("law: Poisson.MeanRepeats %g: must be > 0 and finite", l.MeanRepeats)
	}
	return normal("Poisson.MeanRepeats", l.MeanRepeats)
}

// String names the law.
func (l Poisson) String() string { return fmt.Sprintf("Poisson law (mean %g)", l.MeanRepeats) }

// Distribution returns the law in closed form.
func (l Poisson) Distribution() Distribution { return newDistribution(l, poisson(l)) }

// poisson is the form of a Poisson.
type poisson Poisson

// Mean returns E[K].
func (l poisson) Mean() float64 { return l.MeanRepeats }

// LogPMF returns ln P[K = k].
func (l poisson) LogPMF(k int) float64 {
	if k < 0 {
		return math.Inf(-1)
	}
	lf, _ := math.Lgamma(float64(k) + 1)
	return float64(k)*numeric.Log(l.MeanRepeats) - l.MeanRepeats - lf
}

// PGF returns f(x) = e^(µ(x-1)).
func (l poisson) PGF(x float64) float64 { return math.Exp(l.MeanRepeats * (x - 1)) }

// LogPGFDerivative returns ln f'(x).
func (l poisson) LogPGFDerivative(x float64) float64 {
	return numeric.Log(l.MeanRepeats) + l.MeanRepeats*(x-1)
}

// SuccessProbability returns 1 - f(1-p).
func (l poisson) SuccessProbability(p float64) float64 { return -math.Expm1(-l.MeanRepeats * p) }

// ExpectedQuantile returns 1 - (1-e^-µ)/µ.
func (l poisson) ExpectedQuantile() float64 {
	return 1 + math.Expm1(-l.MeanRepeats)/l.MeanRepeats
}

// MaxLogWeight returns µ δ(ln(λ/(λ-1))), which is µ δ(0) at order +Inf:
//
//	ln(f'(q)/f'(1)) + (λ-1) ln(f'(q)/f'(q')) = µ((λ-1)(1-q') - λ(1-q)),
//
// and 1-q' <= λ/(λ-1) (1-q) + δ(ln(λ/(λ-1))). This is the proof of Theorem 6 of Papernot
// and Steinke (ICLR 2022).
func (l poisson) MaxLogWeight(order float64, base Profile) float64 {
	return l.MeanRepeats * base.DeltaAt(math.Log1p(1/(order-1)))
}

func (l poisson) logConvex() bool { return true }

func (l poisson) tilted(x float64) (Distribution, bool) {
	t := Poisson{MeanRepeats: l.MeanRepeats * x}
	return t.Distribution(), t.Validate() == nil
}

// chanceRatio returns µ/(k+1).
func (l poisson) chanceRatio(k int) float64 { return l.MeanRepeats / (float64(k) + 1) }

func (l poisson) lastRun() (int, bool) { return 0, false }

// Rand draws K; see drawPoisson.
func (l poisson) Rand(rng *rand.Rand) (int, error) {
	return checkedCount(Poisson(l), drawPoisson(l.MeanRepeats, rng))
}

// drawPoisson draws from the Poisson law of the given mean, 0 included.
//
// Below 10 it counts the arrivals of a unit-rate process. From 10 on it uses Hörmann's transformed
// rejection with squeeze, algorithm PTRS (Insurance: Mathematics and Economics 12, 1993), which is
// exact. gonum's sampler is not used, as at means of 10 and more its version of PTRS never returns
// 0. At mean 10 the price includes that event, of chance e^-10.
func drawPoisson(mean float64, rng *rand.Rand) float64 {
	if mean < 10 {
		count := 0.0
		for t := rng.ExpFloat64(); t < mean; t += rng.ExpFloat64() {
			count++
		}
		return count
	}
	b := 0.931 + 2.53*math.Sqrt(mean)
	a := -0.059 + 0.02483*b
	invAlpha := 1.1239 + 1.1328/(b-3.4)
	squeeze := 0.9277 - 3.6224/(b-2)
	logMean := numeric.Log(mean)
	for {
		u, v := uniformOpen(rng)-0.5, uniformOpen(rng)
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + mean + 0.43)
		if us >= 0.07 && v <= squeeze {
			return k
		}
		if k < 0 || (us < 0.013 && v > us) {
			continue
		}
		logFactorial, _ := math.Lgamma(k + 1)
		if numeric.Log(v*invAlpha/(a/(us*us)+b)) <= k*logMean-mean-logFactorial {
			return k
		}
	}
}

func init() {
	RegisterFormat("poisson",
		func(l Poisson) []eventjson.Field {
			return []eventjson.Field{field("mean", l.MeanRepeats)}
		},
		func(o *eventjson.Object) Poisson {
			return Poisson{MeanRepeats: o.Float("mean")}
		})
}
