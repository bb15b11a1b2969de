package pld

import (
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
)

// A ClippedSum on a Poisson sample, for the replace-one relation.
//
// Let R be the sum of the other records in the sample, and v and v' the vectors of the old and the
// new record, of norm at most 1. The laws of the release are (1-q) N(R) + q N(R+v) and (1-q) N(R) +
// q N(R+v'). Both have the same R, which may be fixed (joint convexity) and subtracted.
//
// Claim. For every c >= 0 and all such vectors, ∫ (P - c Q)₊ is largest for v = 1 and v' = -1 on a
// line:
//
//	P = (1-q) N(0, σ²) + q N(1, σ²),   Q = (1-q) N(0, σ²) + q N(-1, σ²).
//
// Proof. The integral is the largest of q ∫_S f_v - c q ∫_S f_v' + (1-q)(1-c) ∫_S f_0 over sets
// S. Let ρ be the reflection in the hyperplane through 0 that exchanges the directions of v' and
// -v. Then v and v' lie on the same side of it. Take from each pair {y, ρy} with one point in S
// the point on their side. Then ∫ f_v does not fall, and ∫ f_0 does not change. The integral of
// f_ρv' over the new set is at most that of f_v' over S, as the mirror images of the new points
// lie on the other side. So v' may be replaced by ρv', and v = b, v' = -a on a line, with a, b in
// [0, 1]. There (q f_b - c q f_{-a})/f_0 rises, so the best S is a half line x > τ. On it ∫ f_b
// rises with b, and ∫ f_{-a} falls with a. ∎ (Polarization.)
//
// A pair that dominates each step, whatever the earlier outputs, dominates an adaptive
// composition (Zhu, Dong, Wang 2022, arXiv:2106.08567v3, Theorem 10). The pair is attained by v =
// 1, v' = -1 and other records at 0, also in compositions. x -> -x exchanges P and Q, so both
// directions cost the same.

// sumBase is that pair. Its loss is log A(x) - log A(-x), A(x) = 1-q + q e^{(2x-1)/(2σ²)}, which
// rises in x.
type sumBase struct{ rate, sigma float64 }

func (sumBase) points() []outcome { return nil }

func (s sumBase) line(logTail float64) (lo, hi float64, ok bool) {
	_, hi, ok = gaussianBase{s.sigma}.line(logTail)
	return -hi, hi, ok
}

func (sumBase) reach() float64 { return math.Inf(1) }

func (s sumBase) loss(x float64) float64 {
	f := mechanism{rate: s.rate}
	g := gaussianBase{s.sigma}
	return f.sampledLoss(g.loss(x)) - f.sampledLoss(g.loss(-x))
}

// at inverts the loss l. With y = e^{x/σ²} and k = q e^{-1/(2σ²)}, A(x) = e^l A(-x) is the
// quadratic equation
//
//	k y² + (1-q)(1-e^l) y - k e^l = 0,
//
// and its positive root has log y = l/2 + asinh(sinh(l/2) (1-q)/k).
func (s sumBase) at(l float64) float64 {
	return s.sigma * s.sigma * (l/2 + s.bend(l))
}

// bend returns the asinh. Above e^40 asinh g is log 2g to rounding.
func (s sumBase) bend(l float64) float64 {
	half := math.Abs(l) / 2
	log := math.Log1p(-s.rate) - numeric.Log(s.rate) + 1/(2*s.sigma*s.sigma) // of (1-q)/k
	logSinh := half + math.Log1p(-math.Exp(-2*half)) - math.Ln2
	if half < 1 {
		logSinh = numeric.Log(math.Sinh(half))
	}
	out := log + logSinh + math.Ln2
	if log+logSinh < 40 {
		out = math.Asinh(math.Exp(log + logSinh))
	}
	return math.Copysign(out, l)
}

// cells adds up the masses of the three normal laws.
func (s sumBase) cells(edges []float64) []atom {
	out := make([]atom, len(edges)-1)
	at := func(x float64) [3]tail {
		return [3]tail{tailAt((x - 1) / s.sigma), tailAt(x / s.sigma), tailAt((x + 1) / s.sigma)}
	}
	before := at(edges[0])
	for i := range out {
		after := at(edges[i+1])
		var mass, err [3]float64
		for j := range mass {
			mass[j], err[j] = massBetween(before[j], after[j])
		}
		mix := func(j int) (p, eta float64) {
			return known((1-s.rate)*mass[1]+s.rate*mass[j], (1-s.rate)*err[1]+s.rate*err[j])
		}
		p, ep := mix(0)
		q, eq := mix(2)
		out[i], before = atom{p, q, math.Max(ep, eq)}, after
	}
	return out
}

// known returns a mass with its relative error, from its absolute error. The error's rounding is
// part of it. A mass without digits is all error.
func known(mass, err float64) (p, eta float64) {
	switch {
	case mass > 0:
		return mass, err/mass + 4*unit
	case err > 0:
		return err, 1
	}
	return 0, 0
}

// massBetween is between with an absolute error. A mass that underflows, or that has no digits
// left, is 0, and the error covers it.
func massBetween(a, b tail) (mass, err float64) {
	const least = math.SmallestNonzeroFloat64
	t := math.Min(math.Abs(a.t), math.Abs(b.t))
	if a.t < 0 && b.t > 0 {
		t = 0
	}
	mass, eta := between(a, b)
	if mass > 0 {
		return mass, mass*eta + 4*least
	}
	if math.IsInf(t, 1) {
		return 0, 0
	}
	return 0, unit*(8+4*t*t)*math.Max(a.mass, b.mass) + 4*least
}

// apart returns q (Φ(1/σ) - Φ(-1/σ)).
func (s sumBase) apart() (distance, tied float64) {
	return s.rate * math.Erf(1/(math.Sqrt2*s.sigma)), 0
}

// addSum adds a ClippedSum on a Poisson sample.
func (c *collector) addSum(sigma, rate, count float64) error {
	if err := check.Between(minNoise, 1/unit).With("on the grid").Of("pld: sampled ClippedSum with noise multiplier", sigma); err != nil {
		return err
	}
	return c.put(key{kind: 5, rate: 1, a: sigma, b: rate}, sumBase{rate, sigma}, count)
}
