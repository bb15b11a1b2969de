package contour

import (
	"math"

	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// The integral squares noise multipliers, divides by the squares and multiplies by ε. All results
// are finite and positive for q from leastRate, σ from leastNoise to mostNoise, µ between their
// reciprocals, and ε up to mostEpsilon.
const (
	leastRate   = 1e-300
	leastNoise  = 1e-100
	mostNoise   = 1e100
	mostEpsilon = 1e290
)

// fits reports whether all rates and all noise are within the range of the integral.
func (p program) fits() bool {
	for _, f := range p.phases {
		if f.Q < leastRate || f.Sigma < leastNoise || f.Sigma > mostNoise {
			return false
		}
	}
	return p.mu == 0 || p.mu >= 1/mostNoise && p.mu <= 1/leastNoise
}

// noisier returns a program within the range that is at least as private as p. louder returns one
// that p is at least as private as; ok is false if there is none. So δ at every ε, and ε at every
// δ, lies between those of the two.
//
// Proof. A Gaussian with more noise is a post-processing of one with less (add the rest). This
// holds for each data set, sampled or not. Leaving steps out is a post-processing too. The mixture
// at a lower rate is one of the mixture at a higher rate and the plain normal, so δ at each ε is at
// most as large (convexity). All of this holds for a replaced record too.
func (p program) noisier() program {
	out := program{}
	for _, f := range p.phases {
		if f.Q >= leastRate && f.Sigma <= mostNoise {
			f.Sigma = math.Max(f.Sigma, leastNoise)
			out.phases = append(out.phases, f)
		}
	}
	if p.mu >= 1/mostNoise {
		out.mu = math.Min(p.mu, 1/leastNoise)
	}
	return out
}

func (p program) louder() (out program, ok bool) {
	for _, f := range p.phases {
		if f.Sigma < leastNoise {
			return program{}, false
		}
		f.Q, f.Sigma = math.Max(f.Q, leastRate), math.Min(f.Sigma, mostNoise)
		out.phases = append(out.phases, f)
	}
	if out.mu = p.mu; p.mu > 0 {
		out.mu = math.Max(p.mu, 1/mostNoise)
	}
	return out, p.mu <= 1/leastNoise
}

// outside answers for a program out of range, from the two programs on its sides. Without a louder
// program the upper end is that of nothing.
func (p program) outside(nothing answer, solve func(program) answer) answer {
	out := nothing
	if louder, ok := p.louder(); ok {
		out = solve(louder)
	}
	out.lower, out.fallback = nothing.lower, true
	if quiet := p.noisier(); len(quiet.phases) > 0 || quiet.mu > 0 {
		out.lower = math.Min(solve(quiet).lower, out.upper)
	}
	out.estimate = math.Max(out.estimate, out.lower)
	return out
}

// logMost bounds log δ at every ε by the total variation distance δ(0), the same in both
// directions. One step has the distance q erf(µ/2√2), µ = 1/σ. For the mixture differs from the
// plain normal in a share q, and two normals µ apart have the distance 2Φ(µ/2)-1. For a replaced
// record µ is 2/σ. Over all steps
//
//	δ(ε) <= δ(0) <= 1 - Π (1-d_p)^{T_p}.
//
// Proof. The best coupling of each step makes all outputs equal with probability Π (1-d_p)^{T_p}. A
// relative error of d moves the result by at most as much, as T d (1-d)^{T-1} <= 1-(1-d)^T.
func (p program) logMost() float64 {
	plain := math.Erf(p.mu / (2 * math.Sqrt2))
	same := math.Log1p(-plain)  // log Π
	union := logOf(plain, p.mu) // log Σ T d
	for _, f := range p.phases {
		mu := 1 / f.Sigma
		if f.Replaced {
			mu = 2 / f.Sigma
		}
		d := math.Erf(mu / (2 * math.Sqrt2))
		same += f.Count * math.Log1p(-f.Q*d)
		union = numeric.Add(union, numeric.Log(f.Count)+numeric.Log(f.Q)+logOf(d, mu))
	}
	most := union
	if union > -500 { // no d of weight underflows
		most = math.Min(union, numeric.Log(-math.Expm1(same)))
	}
	return math.Min(0, most+transform.Unit*(64+4*float64(len(p.phases))+4*math.Abs(most)))
}

// logOf returns log d for d = erf(µ/2√2). d may be the least float64; then erf(y) <= 2y/√π is used.
func logOf(d, mu float64) float64 {
	if mu < 1e-150 {
		return numeric.Log(mu) - numeric.LogSqrt2Pi
	}
	return numeric.Log(d)
}
