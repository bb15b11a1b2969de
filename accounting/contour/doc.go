// Package contour certifies ε and δ of compositions of Gaussians and Poisson-sampled
// Gaussians (DP-SGD), phases with different rates and noise included, for data sets that
// differ by one added or removed example. Both directions are computed, the larger is
// reported. Instead of discretising losses it evaluates, with L the total privacy loss
// and M(z) = E e^{zL},
//
//	δ(ε) = 1/(2πi) ∫ M(z) e^{-zε} / (z(z+1)) dz    over Re z = c > 0,
//
// the inverse Laplace transform of E(1-e^{ε-L})_+, by a midpoint sum. The cost does not grow
// with the number of steps or with 1/δ: about a millisecond, save for few large losses (see below).
//
//	event := accounting.SelfComposed{
//		Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}},
//		Count: 5000,
//	}
//	g, err := contour.NewAccountant().EpsilonAt(event, 1e-5)
//	fmt.Println(g.Epsilon) // in [1.47737698, 1.47737698]
//
// # What is proved
//
// Of exact arithmetic, each where it stands, here or in internal/transform:
//
//   - Chernoff's bound at any a, the fallback (chernoff.go);
//   - the step along the line: aliasing is an identity, its terms are bounded (aliasing.go);
//   - the end of the line: |E e^{itl}| is bounded by level sets of the density of the tilted
//     loss (truncation.go) and by moving the inner integral (linetail.go);
//   - the inner integral M: the trapezoid rule on a line Im x = b, with an error bound that
//     does not grow along the line (quadrature.go, growth.go, mgf.go);
//   - improbable outputs of no share in δ, whose weight would spoil the transform: they are
//     trimmed smoothly and paid for by a union bound (trim.go);
//   - few large losses: a decomposition into parts of which one is integrated and the others are
//     bounded (participations.go, bulk.go, cut.go), a closed-form lower bound (floor.go), and the
//     profile composed on a grid of losses, from above and from below (atoms.go);
//   - small noise, many large losses: a lower bound by their number (participations.go);
//   - δ above what sampling allows, and noise of any size (range.go);
//   - one step and plain Gaussians: closed forms (onestep.go, gaussian.go).
//
// Lower and Upper contain all of these. The choice of c, steps and cuts is by searches on
// which nothing rests: a poor choice gives a wide interval.
//
// # Floating point
//
// There is no directed rounding. The bounds themselves, and all sums, are computed in float64, and
// a model of rounding is added: a sum of n terms of known size errs by a few tens of units (2^-53)
// of Σ|terms|, more where exponents are large. It enters at the weights and nodes (mgf.go,
// quadrature.go), at the phase t(m-ε), and at the closed forms. No φ is raised to a power T: its
// logarithm is formed from φ-1, so that rounding does not grow with T. Bounds of two tries that
// exclude each other are both kept: the interval spans them, with a warning that wraps
// [ErrContradiction].
//
// # When the interval is wide
//
// A guarantee whose relative width exceeds 1e-6 carries a warning that wraps [ErrWide], and so does
// one without a certified integral, whose upper end is a Chernoff bound. This happens where qT is
// below about 1 and δ far smaller, so that a few large losses decide: the grid then leaves 1e-4 to
// 1e-2, for some tenths of a second. It happens as well below σ of about 0.1 (too many nodes),
// where the upper end is Chernoff's bound: some percent too large where the example joins many
// steps, more than twice as large where it joins few; and where q is tiny and δ below e^-300. Of
// 400 drawn questions (q from 1e-8, σ from 0.05 to 500, T to 1e6, δ to e^-690, each evenly on a
// scale of logarithms) 40 were wider than 1e-6, 27 than 1e-3, 13 than 1e-2, five than a half. Work
// is counted and capped.
//
// # What is left out
//
// Other mechanisms than Gaussians, other samplings, other relations: they are refused with
// accounting.ErrUnsupportedEvent. Intervals of this package may be intersected with those of
// any other certified accountant.
//
// Reference: Balle and Wang (2018), arXiv:1805.06530v2 (profiles); Zhu, Dong, Wang (2022),
// arXiv:2106.08567v3 (both directions, characteristic functions); Alghamdi et al. (2023),
// arXiv:2208.09595v3 (the saddle point of the same integral).
package contour
