package dpsgd

import (
	"math"

	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
)

// truncationRadius is where the radius of a pair of normals ends, in standard deviations: √(128 ln 2).
var truncationRadius = math.Sqrt(128 * math.Ln2)

// TruncationDelta returns how much of δ a run of the model must set aside because its noise is
// truncated: the radius of a pair of normals ends at √(128 ln 2) = 9.42. A normal pair lies beyond
// that with chance 2⁻⁶⁴.
//
//	TruncationDelta = T (2 n 2⁻⁶⁴ + exp(-(r - 1/σ)²/2)),  n = ⌈parameters/2⌉,  r = √(128 ln 2)
//
// If exact normals make the run (ε, δ)-private, then it is (ε, δ + TruncationDelta)-private: see
// accounting.WithDeltaReserve. It does not depend on the data. It is about 2e-11 for 10,000 steps of
// 40,000 parameters (nn.Model.Size). It matters where δ or the noise multiplier is small: below 0.25
// it grows fast, to 1.
//
// Special cases are:
//
//	NonPrivate                         returns 0: there is no δ to add to
//	a model that is not valid          returns 1, all of δ
//	T < 1, or σ not above 0            returns 1
//
// The proof stands below.
func (c Config) TruncationDelta(model Model) float64 {
	return c.truncationDelta(model.Size())
}

// Proof of TruncationDelta, by the flag of accounting.WithDeltaReserve. Let D' hold one example x
// more than D, and let M put out each step's noisy sum and which of the other examples took part,
// which the price of a run covers as well: each step is priced for any given sample of the others
// and any weights before it. Given these, both data sets, and that x takes part or not, the step's
// noise is known: z without x and z - s with it, or the other way round, in units of σC, with
// ‖s‖ <= 1/σ. The flag is up if at any step a pair of either is beyond r. Where it is down, M's
// density is a sum of products of normal densities, all within r, and the density of the run as
// drawn is the same sum divided by the chance of no pair beyond r: at least as large.
//
// How often it is up, for noise with the law of exact normals: a pair of the true noise is beyond r
// with chance e^(-r²/2) = 2⁻⁶⁴. The other noise is a normal vector plus a shift of norm 1/σ at
// most, fixed beforehand, of which pair p has λ_p = ‖s_p‖². Pair p is beyond r with chance Q(λ_p),
// the tail of a noncentral χ² of two degrees, which is convex in λ for λ <= r²-4: its second
// derivative is (Q₃-2Q₂+Q₁)/4 for tails of 2, 4 and 6 degrees, where Q_(m+1)-Q_m = (r/a)^m
// e^(-(r²+a²)/2) I_m(ra), a = √λ, and I₂(x)/I₁(x) >= x/(2+√(4+x²)) (Amos 1974, Math. Comp. 28,
// bounds for ratios of Bessel functions) is at least a/r there. So the sum over the pairs is
// largest if one pair has all of the shift, and Q(a²) <= exp(-(r-a)²/2), as the noise alone must
// then reach r - a.
//
// This is for one added or removed example, which moves a step's clipped sum by at most
// C (1+SensitivityRounding).
//
// Rounding is not counted: u has 63 bits, and like everything that is computed from it, it
// is rounded to the precision of the run.

// truncationDelta is TruncationDelta of a model with so many parameters. 0 stands for a model that is
// not valid.
func (c Config) truncationDelta(parameters int) float64 {
	switch {
	case c.NonPrivate:
		return 0
	case parameters <= 0 || c.Steps < 1 || !(c.NoiseMultiplier > 0):
		return 1
	}
	return deltaBeyond(truncationRadius, c.NoiseMultiplier, c.Steps, noise.Pairs(parameters))
}

// deltaBeyond is Config.TruncationDelta for a radius.
func deltaBeyond(radius, noiseMultiplier float64, steps, pairs int) float64 {
	shift := (1 + SensitivityRounding) / noiseMultiplier
	if !(shift*shift <= radius*radius-4) {
		return 1
	}
	beyond := math.Exp(-radius * radius / 2)
	shifted := math.Exp(-(radius - shift) * (radius - shift) / 2)
	return min(1, float64(steps)*(2*float64(pairs)*beyond+shifted)*(1+1e-12))
}
