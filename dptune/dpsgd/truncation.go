package dpsgd

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
)

// truncationRadius is the largest radius of a pair of normals, in standard deviations: √(128 ln 2).
var truncationRadius = math.Sqrt(128 * math.Ln2)

// TruncationDelta returns the part of δ that a run of the model must reserve because its noise is
// truncated. The radius of a pair of normals is at most √(128 ln 2) = 9.42 standard deviations. An
// exact normal pair lies beyond that with chance 2⁻⁶⁴.
//
//	TruncationDelta = T (n 2⁻⁶⁴ + Σ_s (n 2⁻⁶⁴ + exp(-(r - s/σ)²/2)))
//	n = ⌈parameters/2⌉,  r = √(128 ln 2)
//
// The shifts s are how far other noise may be from the true one, in clip norms:
//
//	                   AddOrRemoveOne   ReplaceSpecial   ReplaceOne
//	TruncatedPoisson   2                1 and 2          2 and 2
//	other schemes      1                1                1 and 2
//
// With CorrelatedNoise they are multiplied by the most that an example moves a row of C G + Z.
//
// With Phases it is the sum over them, since the proof adds the chances of the steps.
//
// If the run is (ε, δ)-private with exact normals, then it is (ε, δ + TruncationDelta)-private: see
// accounting.WithDeltaReserve. The value does not depend on the data. It is about 2e-11 for 10,000
// steps of 40,000 parameters (nn.Model.Size). It matters if δ or the noise multiplier is small:
// below σ = 0.25 it grows fast, to 1, and under ReplaceOne below 0.5.
//
// Special cases are:
//
//	NonPrivate                         returns 0: there is no δ to add to
//	UnitsPerClip > 0                   returns 0: the rounded Gaussian is drawn exactly
//	a model that is not valid          returns 1, all of δ
//	T < 1, or σ not above 0            returns 1
//	a relation that is not valid       returns 1
//
// The proof is below.
func (c Config) TruncationDelta(model Model, relation accounting.Neighboring) float64 {
	if c.integers() && model.Validate() == nil {
		return 0
	}
	return c.truncationDelta(model.Size(), relation)
}

// Proof of TruncationDelta, by the flag of accounting.WithDeltaReserve. First let D' hold one
// example x more than D. Let M put out each step's noisy sum and which of the other examples took
// part. The price of a run covers M as well: each step is priced for any given sample of the others
// and any weights before it. Given these, both data sets, and whether x takes part, the step's
// noise is known. In units of σC it is z without x and z - s with it, or the other way round, with
// ‖s‖ <= 1/σ. The flag is up if at any step a pair of either is beyond r. Where it is down, M's
// density is a sum of products of normal densities, all within r. The density of the run as drawn
// is the same sum divided by the chance of no pair beyond r: at least as large.
//
// The chance that it is up, for noise with the law of exact normals: A pair of the true noise is
// beyond r with chance e^(-r²/2) = 2⁻⁶⁴. The other noise is a normal vector plus a shift of norm
// 1/σ at most, fixed beforehand. Let λ_p = ‖s_p‖² for the part of the shift in pair p. Pair p is
// beyond r with chance Q(λ_p), the tail of a noncentral χ² of two degrees. Q is convex in λ for λ
// <= r²-4. Its second derivative is (Q₃-2Q₂+Q₁)/4 for tails of 2, 4 and 6 degrees, where
// Q_(m+1)-Q_m = (r/a)^m e^(-(r²+a²)/2) I_m(ra), a = √λ. There I₂(x)/I₁(x) >= x/(2+√(4+x²)) is at
// least a/r (Amos 1974, Math. Comp. 28, bounds for ratios of Bessel functions). So the sum over the
// pairs is largest if one pair has all of the shift. The noise without the shift must then reach r
// - a, so Q(a²) <= exp(-(r-a)²/2).
//
// This is for one added or removed example, which moves a step's clipped sum by at most
// C (1+SensitivityRounding). With CorrelatedNoise, z and s are those of a row of C G + Z. With a
// matrix of no more bands than the period, a row has one participation, so its shift is at most C.
// Otherwise it is at most largestShift times C. A batch of TruncatedPoisson moves by at most 2C,
// because an example may take the place of another. M then puts out the others that the proof at
// its Event lists, and ‖s‖ <= 2/σ.
//
// Now let x' take the place of x. The price rests on a hidden coin, so M does not show whether the
// place takes part. The noise is z without it, z - s with x or z - s' with x'. The flag is up if at
// any step a pair of any of the three is beyond r. One of them is the true noise. The other two
// differ from that by at most 1/σ each if the place does not take part. If it does, z differs by at
// most 1/σ, and the third by ‖s-s'‖ <= 2/σ. That is the worse case. A special example has s' = 0:
// two noises are left, as above. In a batch of TruncatedPoisson that is cut, s and s' are those of
// x and x' in the place of another vector v of norm at most C. Then s, s' and s-s' are at most 2/σ.
// With a special example s' is that of -v, and s' and s-s' are at most 1/σ.
//
// Rounding is not included: u has 63 bits, and like everything computed from it, it is rounded to
// the precision of the run.

// truncationDelta is TruncationDelta for a number of parameters. 0 parameters means a model that is
// not valid.
func (c Config) truncationDelta(parameters int, relation accounting.Neighboring) float64 {
	if len(c.Phases) > 0 && !c.NonPrivate { // T steps are the sum of those of the phases
		sum, total := 0.0, 0
		for i, p := range c.Phases {
			sum, total = sum+c.phase(i).truncationDelta(parameters, relation), total+p.Steps
		}
		if total != c.Steps {
			return 1
		}
		return min(1, sum*(1+1e-12))
	}
	switch {
	case c.NonPrivate:
		return 0
	case parameters <= 0 || c.Steps < 1 || !(c.NoiseMultiplier > 0) || relation.Validate() != nil:
		return 1
	}
	return deltaBeyond(truncationRadius, c.NoiseMultiplier, c.Steps, noise.Pairs(parameters), c.shifts(relation)...)
}

// shifts returns how far the noises of a step may be from the true one, in clip norms.
func (c Config) shifts(relation accounting.Neighboring) []float64 {
	one := c.largestShift()
	_, cut := c.Sampling.(TruncatedPoisson)
	switch {
	case cut && relation == accounting.ReplaceOne:
		return []float64{2, 2}
	case cut && relation == accounting.ReplaceSpecial:
		return []float64{1, 2}
	case cut:
		return []float64{2}
	case relation == accounting.ReplaceOne:
		return []float64{one, 2 * one}
	}
	return []float64{one}
}

// deltaBeyond is Config.TruncationDelta for a radius and shifts.
func deltaBeyond(radius, noiseMultiplier float64, steps, pairs int, shifts ...float64) float64 {
	beyond := math.Exp(-radius * radius / 2)
	sum := float64(1+len(shifts)) * float64(pairs) * beyond
	for _, s := range shifts {
		shift := (1 + SensitivityRounding) / (noiseMultiplier / s)
		if !(shift*shift <= radius*radius-4) {
			return 1
		}
		sum += math.Exp(-(radius - shift) * (radius - shift) / 2)
	}
	return min(1, float64(steps)*sum*(1+1e-12))
}
