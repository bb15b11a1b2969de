package papernot2022

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// conditional is the example of appendix D.2:
//
//	Q  = (a e^-s, a e^-s, 1 - 2a e^-s),    Q' = (a e^(-s-t), a, 1 - a - a e^(-s-t)),
//
// of which the first two points are the good outputs.
type conditional struct{ a, s, t float64 }

func (e conditional) pair() (logQ, logR [3]float64) {
	la := math.Log(e.a)
	logQ = [3]float64{la - e.s, la - e.s, math.Log1p(-2 * e.a * math.Exp(-e.s))}
	logR = [3]float64{la - e.s - e.t, la, math.Log1p(-e.a - e.a*math.Exp(-e.s-e.t))}
	return logQ, logR
}

// mass is Q(S).
func (e conditional) mass() float64 { return 2 * e.a * math.Exp(-e.s) }

// conditioned is the divergence of order λ after conditioning on the good outputs.
func (e conditional) conditioned(order float64) float64 {
	logQ, logR := e.pair()
	q, r := logQ[:2], logR[:2]
	return renyiDivergence(q, r, order) + (order*-floats.LogSumExp(q)-(1-order)*floats.LogSumExp(r))/(order-1)
}

// renyiDivergence is ln Σ p^λ r^(1-λ) / (λ-1) of logarithms.
func renyiDivergence(logP, logR []float64, order float64) float64 {
	terms := make([]float64, len(logP))
	for i := range terms {
		terms[i] = order*logP[i] + (1-order)*logR[i]
	}
	return floats.LogSumExp(terms) / (order - 1)
}

var errNoExample = errors.New("papernot2022: the example of appendix D.2 has no solution")

// solveConditional finds s and t with D_λ(Q‖Q') = D_λ(Q'‖Q) = ρλ. The first grows with t at
// fixed s; along that curve the second grows with s.
func solveConditional(a, order, rho float64) (conditional, error) {
	target := rho * order
	at := func(s float64) conditional {
		e := conditional{a: a, s: s}
		e.t = bisect(func(t float64) float64 {
			q, r := conditional{a, s, t}.pair()
			return renyiDivergence(q[:], r[:], order) - target
		}, 0, 1000)
		return e
	}
	s := bisect(func(s float64) float64 {
		q, r := at(s).pair()
		return renyiDivergence(r[:], q[:], order) - target
	}, 1e-9, 1000)
	e := at(s)
	q, r := e.pair()
	miss := math.Max(math.Abs(renyiDivergence(q[:], r[:], order)-target), math.Abs(renyiDivergence(r[:], q[:], order)-target))
	if !(miss <= 1e-9*math.Max(1, target)) {
		return conditional{}, fmt.Errorf("%w at a = %g, order %g, ρ = %g", errNoExample, a, order, rho)
	}
	return e, nil
}

// bisect returns where f, which grows, changes its sign in [lo, hi].
func bisect(f func(float64) float64, lo, hi float64) float64 {
	for range 100 {
		mid := lo + (hi-lo)/2
		if f(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + (hi-lo)/2
}

// gaussianConditioned is the divergence of order λ, after conditioning, of a Gaussian run
// with the given chance of a good output, for the worst of 400 ways to share that chance
// between two tails.
func gaussianConditioned(rho, order, mass float64) float64 {
	worst := 0.0
	for k := range 400 {
		share := 1 / (1 + math.Exp(float64(k-200)/10))
		worst = math.Max(worst, twoTails(rho, order, mass, share))
	}
	return worst
}

// twoTails is the divergence for Q = N(µ, 1), Q' = N(0, 1), µ = √(2ρ), and good outputs
// S = {x < l or x > h} with Q(S) = mass, of which the upper tail has a share:
//
//	∫_S Q^λ Q'^(1-λ) = e^(λ(λ-1)µ²/2) (Φ(l-λµ) + Φ(λµ-h))
func twoTails(rho, order, mass, share float64) float64 {
	mu := math.Sqrt(2 * rho)
	l := mu + distuv.UnitNormal.Quantile((1-share)*mass)
	h := mu - distuv.UnitNormal.Quantile(share*mass)
	inside := order*(order-1)*rho + math.Log(normCDF(l-order*mu)+normCDF(order*mu-h))
	other := math.Log(normCDF(l) + normCDF(-h))
	return (inside - order*math.Log(mass) - (1-order)*other) / (order - 1)
}
