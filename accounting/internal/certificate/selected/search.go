package selected

import (
	"math"

	"github.com/dplab/dplab/accounting/internal/certificate/renyi"
	"github.com/dplab/dplab/accounting/interval"
)

// Search has the numbers of a search by noisy threshold tests (threshold.Event). With ε1 =
// Δ/ThresholdNoise and ε2 = 2Δ/ScoreNoise it is dominated by Thresholds randomized responses at ε1
// and Positives counts of failures at ε2, all independent. With exponential noise its loss is
// always Thresholds ε1 + Positives ε2. Another mechanism may come before or after, with a profile.
type Search struct {
	Sensitivity, ThresholdNoise, ScoreNoise float64
	Thresholds, Positives                   int
	Once, Exponential                       bool // one threshold for all tests; exponential noise
}

func (s Search) epsilons() (threshold, positive I) {
	one := interval.Of(s.Sensitivity)
	return one.Div(interval.Of(s.ThresholdNoise)), one.Add(one).Div(interval.Of(s.ScoreNoise))
}

// pure returns m ε1 + c ε2.
func (s Search) pure() I {
	threshold, positive := s.epsilons()
	return interval.Of(float64(s.Thresholds)).Mul(threshold).Add(interval.Of(float64(s.Positives)).Mul(positive))
}

// parts returns the pure mechanisms that the search is a composition of: one for each threshold.
func (s Search) parts() (count int, epsilon I) {
	if s.Once {
		return 1, s.pure()
	}
	threshold, positive := s.epsilons()
	return s.Thresholds, threshold.Add(positive)
}

// Pure checks the sum of pure ε, of the pair or of its parts, before what follows.
func (s Search) Pure(after Run) Check {
	count, each := s.parts()
	sum := min(s.pure().Hi, interval.Of(float64(count)).Mul(each).Hi)
	return func(epsilon, _ float64) (float64, int) {
		if !(sum <= math.MaxFloat64) {
			return 1, 1
		}
		return after.Delta(interval.Of(epsilon).Sub(interval.Of(sum))), 1
	}
}

// Renyi checks the conversion of the Rényi divergence at an order: that of the pair, or of its pure
// parts, plus the given divergence of what follows. Failures before a success add
//
//	(α-1) D = (α-1) ε2 - ln(1 + e^-ε2 - e^(-α ε2)),
//
// as their moment v is p^α q^(1-α) + (1-p)^α (1-q)^(1-α) v, p = 1/(1+e^-ε2) and q = 1-p.
func (s Search) Renyi(order, after float64) Check {
	return func(epsilon, _ float64) (float64, int) {
		if !(order > 1) || math.IsInf(order, 1) || !(after >= 0) {
			return 1, 0
		}
		alpha := interval.Of(order)
		rest := alpha.Sub(one)
		threshold, positive := s.epsilons()
		first, later := rest.Mul(threshold), rest.Mul(positive)
		if !s.Exponential {
			first, later = renyi.Laplace(alpha, threshold), failures(alpha, positive)
		}
		count, each := s.parts()
		times := func(n int, x I) I { return interval.Of(float64(n)).Mul(x) }
		pair := times(s.Thresholds, first).Add(times(s.Positives, later))
		moment := min(pair.Hi, times(count, renyi.Pure(alpha, each)).Hi)
		return atOrder(order, interval.Of(moment).Add(rest.Mul(interval.Of(after))).Hi, epsilon), s.Thresholds + s.Positives
	}
}

// failures returns the exponent of one count of failures, without cancellation.
func failures(alpha, epsilon I) I {
	most := alpha.Sub(one).Mul(epsilon)
	fade := most.Neg().Expm1().Neg() // 1 - e^-(α-1)ε
	share := alpha.Mul(epsilon).Neg().Expm1().Neg().Div(one.Add(epsilon.Neg().Exp().Mul(fade)))
	x := most.Expm1().Mul(share).Log1p()
	if most.Hi > 30 {
		x = most.Add(most.Neg().Exp().Add(fade.Mul(share)).Log())
	}
	return I{Lo: min(x.Lo, most.Lo), Hi: min(x.Hi, most.Hi)}
}

// MostTerms limits the terms of a check.
const MostTerms = 1_000_000

// Losses checks the sum over the losses of the pair,
//
//	δ(ε) <= Σ P[B=b] P[J=j] H(e^(ε-l)),   l = (2b - m) ε1 + (c - j) ε2,
//
// with H of what follows. B and J are binomial and negative binomial.
func (s Search) Losses(after Run, delta float64) Check {
	threshold, positive := s.epsilons()
	losses, weights, left := []I{s.pure()}, []float64{1}, 0.0
	if !s.Exponential {
		if s.Thresholds > MostTerms {
			return nil
		}
		failed, beyond := s.failures(positive, delta*1e-9)
		tested := responses(s.Thresholds, threshold)
		if len(tested)*len(failed) > MostTerms {
			return nil
		}
		losses, weights, left = nil, nil, beyond
		for b, p := range tested {
			for j, q := range failed {
				loss := interval.Of(float64(2*b - s.Thresholds)).Mul(threshold).Add(interval.Of(float64(s.Positives - j)).Mul(positive))
				losses, weights = append(losses, loss), append(weights, interval.Up(p*q))
			}
		}
	}
	return summed(after, losses, weights, left)
}

// Tests is Losses of the pure parts. Each is dominated by a randomized response.
func (s Search) Tests(after Run) Check {
	count, each := s.parts()
	if count > MostTerms {
		return nil
	}
	weights, losses := responses(count, each), []I{}
	for b := range weights {
		losses = append(losses, interval.Of(float64(2*b-count)).Mul(each))
	}
	return summed(after, losses, weights, 0)
}

// summed checks Σ weights H(e^(ε-losses)) + left.
func summed(after Run, losses []I, weights []float64, left float64) Check {
	return func(epsilon, _ float64) (float64, int) {
		at, sum := interval.Of(epsilon), left
		for i, loss := range losses {
			sum = interval.Up(sum + interval.Up(weights[i]*after.Delta(at.Sub(loss))))
		}
		return sum, len(losses)
	}
}

// responses returns the chances of B for m tests, from above.
func responses(m int, epsilon I) []float64 {
	odds := epsilon.Exp()
	mode := int(float64(m) * odds.Hi / (1 + odds.Hi))
	chances, _ := fromMode(mode, m, func(b int) I {
		return interval.Of(float64(m - b)).Div(interval.Of(float64(b + 1))).Mul(odds)
	}, I{})
	return chances
}

// failures returns the chances of J, from above, up to a number beyond which the chance is at most
// beyond, of about enough. The ratio of two chances in turn falls.
func (s Search) failures(epsilon I, enough float64) (chances []float64, beyond float64) {
	miss := one.Div(epsilon.Exp().Add(one))
	ratio := func(j int) I {
		return interval.Of(float64(s.Positives + j)).Div(interval.Of(float64(j + 1))).Mul(miss)
	}
	mode := int(float64(s.Positives-1) * math.Exp(-epsilon.Hi))
	last, rest := mode, I{}
	if mode > MostTerms {
		return []float64{1}, 1
	}
	for r := 1.0; last < mode+MostTerms; last++ {
		now := ratio(last)
		if rest = now.Div(one.Sub(now)); now.Hi < 0.9 && r*rest.Hi <= enough {
			break
		}
		r *= now.Hi
	}
	if !(ratio(last).Hi < 1) {
		return []float64{1}, 1
	}
	return fromMode(mode, last, ratio, rest)
}

// fromMode returns the chances of 0..n, from above, from the ratios of two in turn. What lies
// beyond n is at most rest times the last.
func fromMode(mode, n int, ratio func(k int) I, rest I) (chances []float64, beyond float64) {
	all := make([]I, n+1)
	mode = max(0, min(mode, n))
	all[mode] = one
	for k := mode; k < n; k++ {
		all[k+1] = all[k].Mul(ratio(k))
	}
	for k := mode - 1; k >= 0; k-- {
		all[k] = all[k+1].Div(ratio(k))
	}
	var sum interval.Sum // less than all, which raises each chance
	for _, p := range all {
		sum.Add(p)
	}
	for _, p := range all {
		chances = append(chances, p.Div(sum.I()).Hi)
	}
	return chances, all[n].Mul(rest).Div(sum.I()).Hi
}
