package law

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/numeric"
)

// Binomial is the law of the number of successes in Trials coins with chance P each:
//
//	P[K=k] = C(n,k) p^k (1-p)^(n-k)    f(x) = (1-p+px)^n
//
// It has a hard maximum, and costs more than the Poisson law of the same mean. K = 0 has chance
// (1-p)^n; see Poisson.
type Binomial struct {
	Trials int     // n, from 1 to 2^24
	P      float64 // p in (0, 1)
}

// maxTrials is the largest number of coins that Rand throws.
const maxTrials = 1 << 24

// Validate returns an error unless n is from 1 to 2^24 and p in (0, 1).
func (l Binomial) Validate() error {
	if l.Trials < 1 || l.Trials > maxTrials {
		return fmt.Errorf("law: Binomial.Trials %d: must be from 1 to %d", l.Trials, maxTrials)
	}
	if !(l.P > 0 && l.P < 1) {
		return fmt.Errorf("law: Binomial.P %g: must be in (0, 1) (for p = 1 use Fixed)", l.P)
	}
	return normal("Binomial.P", l.P)
}

// String names the law.
func (l Binomial) String() string {
	return fmt.Sprintf("binomial law (n=%d, p=%g, mean %g)", l.Trials, l.P, binomial(l).Mean())
}

// Distribution returns the law in closed form.
func (l Binomial) Distribution() Distribution { return newDistribution(l, binomial(l)) }

// binomial is the form of a Binomial.
type binomial Binomial

// Mean returns np.
func (l binomial) Mean() float64 { return float64(l.Trials) * l.P }

// LogPMF returns ln P[K = k].
func (l binomial) LogPMF(k int) float64 {
	if k < 0 || k > l.Trials {
		return math.Inf(-1)
	}
	n, x := float64(l.Trials), float64(k)
	return numeric.LogChoose(n, x) + x*numeric.Log(l.P) + (n-x)*math.Log1p(-l.P)
}

// PGF returns f(x) = (1-p+px)^n.
func (l binomial) PGF(x float64) float64 {
	return math.Exp(float64(l.Trials) * math.Log1p(l.P*(x-1)))
}

// LogPGFDerivative returns ln f'(x).
func (l binomial) LogPGFDerivative(x float64) float64 {
	return numeric.Log(l.Mean()) + float64(l.Trials-1)*math.Log1p(l.P*(x-1))
}

// SuccessProbability returns 1 - (1-ps)^n for success chance s of one run.
func (l binomial) SuccessProbability(s float64) float64 {
	if l.P*s < flat { // P s may underflow
		return l.Mean() * s
	}
	return -math.Expm1(float64(l.Trials) * math.Log1p(-l.P*s))
}

// ExpectedQuantile returns 1 - (1-(1-p)^(n+1))/((n+1)p).
func (l binomial) ExpectedQuantile() float64 {
	n1 := float64(l.Trials + 1)
	return 1 + math.Expm1(n1*math.Log1p(-l.P))/(n1*l.P)
}

// MaxLogWeight returns (n-1) e* at every order. e* is the root of e^e - 1 = p/(1-p) δ(e). The proof
// is that of tnb.MaxLogWeight with q <= e^e q' + δ(e):
//
//	(1-p+pq)/(1-p+pq') <= ((1-p)(1 + p/(1-p) δ(e)) + e^e pq')/(1-p+pq')
//
// It is the published constant, min over e of (n-1) ln max(1+p(e^e-1)+pδ(e), 1+pδ(e)/(1-p)). The
// first term grows with e, the second falls, and both are e^e* at e*.
//
// Reference: Koskela, Redberg and Wang (ICML 2024).
func (l binomial) MaxLogWeight(_ float64, base Profile) float64 {
	if l.Trials == 1 {
		return 0
	}
	return float64(l.Trials-1) * base.Crossing(l.P/(1-l.P))
}

// Rand draws K by throwing the n coins.
func (l binomial) Rand(rng *rand.Rand) (int, error) {
	count := 0
	for range l.Trials {
		if rng.Float64() < l.P {
			count++
		}
	}
	return count, nil
}

func (l binomial) logConvex() bool { return false }

func (l binomial) tilted(x float64) (Distribution, bool) {
	t := Binomial{Trials: l.Trials, P: l.P * x / (1 - l.P*(1-x))}
	return t.Distribution(), t.Validate() == nil
}

func (l binomial) chanceRatio(int) float64 { return math.Inf(1) }

func (l binomial) lastRun() (int, bool) { return l.Trials, true }

func init() {
	RegisterFormat("binomial",
		func(l Binomial) []eventjson.Field {
			return []eventjson.Field{field("trials", l.Trials), field("p", l.P)}
		},
		func(o *eventjson.Object) Binomial {
			return Binomial{Trials: o.Int("trials"), P: o.Float("p")}
		})
}
