package threshold

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/baserun"
)

// DeltaAt returns an upper bound on δ at epsilon >= 0 from the theorem of Event, a finite sum:
//
//	δ(ε) = Σ P[B=b] P[J=j] (1 - e^(ε - l))_+,   l = (2b - m) ε1 + (c - j) ε2
//
// B is binomial, with m draws of chance 1/(1+e^-ε1). J is negative binomial: the failures before
// the c-th success of chance 1/(1+e^-ε2). With exponential noise l is always m ε1 + c ε2. δ is at
// most 1. It is 1 if there are more than a million terms, or if epsilon is out of range.
func (e Event) DeltaAt(epsilon float64) float64 {
	if e.Validate() != nil || !(epsilon >= 0) {
		return 1
	}
	losses, ok := e.losses(1e-40)
	if !ok {
		return 1
	}
	return losses.delta(epsilon, noTraining)
}

// Curve returns the Rényi curve, in nats, from the theorem of Event:
//
//	RDP(α) = m Laplace_ε1(α) + c [ ε2 - ln(1 + e^-ε2 - e^(-α ε2))/(α-1) ]
//
// The bracket is the divergence of J from J': its moment is the v with
// v = p0^α q0^(1-α) + (1-p0)^α (1-q0)^(1-α) v. At α -> 1 it is ε2 (1 - e^-ε2), at α -> +Inf ε2.
// Exponential noise has ε1 and ε2 in their places, at every order.
func (e Event) Curve() rdp.Curve {
	ofThreshold, ofPositive := rdp.Laplace(1/e.ThresholdEpsilon()), firstPositive(e.PositiveEpsilon())
	if e.Noise == Exponential {
		ofThreshold, ofPositive = certain(e.ThresholdEpsilon()), certain(e.PositiveEpsilon())
	}
	return rdp.Sum(rdp.Scale(ofThreshold, e.Thresholds()), rdp.Scale(ofPositive, e.MaxPositives))
}

// firstPositive returns the Rényi divergence of J from J'. With s = e^-ε:
//
//	(α-1) D = (α-1) ε - ln(1 + s - s^α)
//	        = ln(1 + (e^((α-1)ε) - 1)(1 - s^α) / (1 + s (1 - e^-((α-1)ε))))
//
// since s e^-((α-1)ε) = s^α. The second form has no cancellation; it is raised by 1e-14 of itself.
func firstPositive(epsilon float64) rdp.Curve {
	return func(order float64) float64 {
		if !(order > 1) || !(epsilon >= 0) {
			return math.Inf(1)
		}
		if math.IsInf(order, 1) || epsilon == 0 {
			return epsilon
		}
		a := (order - 1) * epsilon
		factor := -math.Expm1(-order*epsilon) / (1 - math.Exp(-epsilon)*math.Expm1(-a))
		exponent := math.Log1p(math.Expm1(a) * factor)
		if a > 30 {
			exponent = a + numeric.Log(math.Exp(-a)-math.Expm1(-a)*factor)
		}
		return math.Min(epsilon, exponent/(order-1)*(1+1e-14))
	}
}

// lossLaw is the law of the privacy loss of the dominating pair. It leaves out a mass of at most
// tail, which counts as δ.
type lossLaw struct {
	loss, weight []float64
	tail         float64
	rounding     float64 // bound on the relative error of a weight
}

const maxLossTerms = 1_000_000

// losses returns the law of l. With Laplace noise it is that of (2B - m) ε1 + (c - J) ε2. J is cut
// where its tail is at most enough. Every success has a chance of at least one half, so J takes
// about 3c + 2 ln(1/enough) terms. ok is false if there would be too many.
func (e Event) losses(enough float64) (law lossLaw, ok bool) {
	m, c := e.Thresholds(), e.MaxPositives
	one, two := e.ThresholdEpsilon(), e.PositiveEpsilon()
	if e.Noise == Exponential {
		return lossLaw{loss: []float64{e.PureEpsilon()}, weight: []float64{1}, rounding: numeric.ChanceRounding(0)}, true
	}
	failures, tail, ok := negativeBinomial(c, two, enough, maxLossTerms/(m+1))
	if !ok {
		return lossLaw{}, false
	}
	thresholds := responses(m, one)
	law = lossLaw{tail: tail, rounding: numeric.ChanceRounding(m + c + len(failures))}
	for b, w := range thresholds.weight {
		for j, v := range failures {
			law.loss = append(law.loss, thresholds.loss[b]+float64(c-j)*two)
			law.weight = append(law.weight, w*v)
		}
	}
	return law, true
}

// responses returns the law of (2B - n) ε, the loss of n randomized responses. B is binomial, with
// n draws of chance 1/(1+e^-ε).
func responses(n int, epsilon float64) (law lossLaw) {
	logP, logNot := -math.Log1p(math.Exp(-epsilon)), -epsilon-math.Log1p(math.Exp(-epsilon))
	for b := 0; b <= n; b++ {
		law.loss = append(law.loss, float64(2*b-n)*epsilon)
		law.weight = append(law.weight, math.Exp(logChoose(n, b)+float64(b)*logP+float64(n-b)*logNot))
	}
	law.rounding = numeric.ChanceRounding(n)
	return law
}

// negativeBinomial returns the chances of 0, 1, ... failures before success c, with a chance
// 1/(1+e^-epsilon) of success, up to a tail of at most enough.
func negativeBinomial(c int, epsilon, enough float64, limit int) (chances []float64, tail float64, ok bool) {
	logP := -math.Log1p(math.Exp(-epsilon))
	logNot := -epsilon + logP
	for j := 0; j < limit; j++ {
		w := math.Exp(logChoose(c+j-1, j) + float64(c)*logP + float64(j)*logNot)
		chances = append(chances, w)
		// Beyond j the chances fall by at least this factor each.
		factor := float64(c+j) / float64(j+1) * math.Exp(logNot)
		if factor < 0.9 {
			if tail = w * factor / (1 - factor); tail <= enough {
				return chances, tail, true
			}
		}
	}
	return nil, 0, false
}

func logChoose(n, k int) float64 { return numeric.LogChoose(float64(n), float64(k)) }

// delta returns Σ w H(ε - l) + tail, raised for the rounding of the weights. H is the profile of
// the mechanism that runs after the search, at any real argument.
func (l lossLaw) delta(epsilon float64, hockeyStick func(t float64) float64) float64 {
	sum := l.tail
	for i, loss := range l.loss {
		sum += l.weight[i] * hockeyStick(epsilon-loss)
	}
	return math.Min(1, sum*(1+l.rounding))
}

// noTraining is the profile of a mechanism that reads no data: (1 - e^t)_+.
func noTraining(t float64) float64 {
	if t >= 0 {
		return 0
	}
	return -math.Expm1(t)
}

const profileKnots = 256

// hockeyStickOf returns a bound on a profile at any real ε, from profileKnots of its values in [0,
// last], and these values.
func hockeyStickOf(profile baserun.Source, last float64) (hockeyStick func(epsilon float64) float64, known []baserun.Point) {
	epsilons := make([]float64, profileKnots)
	for i := range epsilons {
		epsilons[i] = last * float64(i) / (profileKnots - 1)
	}
	for i, delta := range profile.Deltas(epsilons) {
		known = append(known, baserun.Point{E: epsilons[i], X: math.Exp(epsilons[i]), Delta: delta})
	}
	stick := baserun.NewHockeyStick(known)
	return func(epsilon float64) float64 { return stick.At(numeric.ExpBelow(epsilon)) }, known
}
