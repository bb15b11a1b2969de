// Package contour certifies ε and δ of compositions of Gaussians and Poisson-sampled Gaussians
// (DP-SGD). Phases may have different rates and noise. Data sets differ by one added or removed
// example; both directions are computed and the larger is reported.
//
// [Accountant].Relation selects another relation. Under ReplaceOne the package prices sums of
// clipped vectors on Poisson samples ([accounting.ClippedSum]) by their exact pair of laws. Both
// directions are then equal. Under ReplaceSpecial prices are those of an added or removed example.
//
// Losses are not discretized, except for a few large ones (atoms.go). With L the total privacy
// loss and M(z) = E e^{zL}, the package evaluates
//
//	δ(ε) = 1/(2πi) ∫ M(z) e^{-zε} / (z(z+1)) dz    over Re z = c > 0,
//
// the inverse Laplace transform of E(1-e^{ε-L})_+, by a midpoint sum. The cost does not grow with
// the number of steps or with 1/δ. It is about a millisecond, unless a few large losses decide
// (see below).
//
//	event := accounting.SelfComposed{
//		Count: 5000,
//		Event: accounting.PoissonSampled{
//			SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}},
//	}
//	g, err := contour.NewAccountant().EpsilonAt(event, 1e-5)
//	fmt.Println(g.Epsilon) // in [1.47737697, 1.47737698]
//
// # What is proved
//
// The proofs assume exact arithmetic. Each is in the comment of its code, here or in
// internal/transform:
//
//   - Chernoff's bound at any a, the fallback (chernoff.go);
//   - the step along the line: aliasing is an identity, and its terms are bounded (aliasing.go);
//   - the end of the line: |E e^{itl}| is bounded by level sets of the density of the tilted loss
//     (truncation.go) and by moving the inner integral (linetail.go);
//   - the inner integral M: the trapezoid rule on a line Im x = b, with an error bound that does
//     not grow along the line (quadrature.go, growth.go, mgf.go);
//   - what these need of the law of a replaced record (replaced.go);
//   - improbable outputs that do not matter to δ but would spoil the transform: they are trimmed
//     smoothly, and a union bound pays for them (trim.go);
//   - few large losses, by a decomposition: one part is integrated, the others are bounded
//     (participations.go, bulk.go, cut.go);
//   - few large losses, by other means: a closed-form lower bound (floor.go), and the profile
//     composed on a grid of losses, from above and from below (atoms.go);
//   - δ above what sampling allows, and noise of any size (range.go);
//   - one step and plain Gaussians: closed forms (onestep.go, onereplaced.go, and gaussian.go of
//     package numeric).
//
// Lower and Upper include all of these errors. Searches choose c, the steps and the cuts. No
// bound relies on a search: a poor choice gives a wide interval.
//
// # What is checked
//
// EpsilonAt has its upper end checked by package internal/certificate/lineintegral, or by closed
// forms, and attaches the certificate. The check evaluates the integral again at the claimed ε,
// in outward-rounded intervals, and takes nothing from the search but the choice of a line. An
// end whose check fails is raised by 1e-9 of itself, then by 1e-6 and 1e-4. If it still fails,
// the guarantee has a warning that wraps [accounting.ErrUncertified]. Package lineintegral lists
// which questions it reaches. The answers of DeltaAt and its variants are not checked.
//
// # Floating point
//
// Rounding is not directed in the search. All bounds and sums are computed in float64, and a
// model of rounding is added. In the model a sum of n terms of known size errs by a few tens of
// units (2^-53) of Σ|terms|, and by more if exponents are large. It is applied to the weights and
// nodes (mgf.go, quadrature.go), to the phase t(m-ε), and to the closed forms. No φ is raised to
// a power T: its logarithm is formed from φ-1, so rounding does not grow with T.
//
// If two attempts give bounds that exclude each other, the interval spans both. It then has a
// warning that wraps [ErrContradiction].
//
// # When the interval is wide
//
// A guarantee of relative width above 1e-6 carries a warning that wraps [ErrWide]. So does a
// guarantee without a certified integral; its upper end is a Chernoff bound. There are three
// cases:
//
//   - qT is below about 1 and δ is far smaller: a few large losses decide. The grid then reaches
//     a width of 1e-4 to 1e-2 in some tenths of a second. A replaced record has no such grid here.
//   - σ is below about 0.1: there are too many nodes, and the upper end is Chernoff's bound. It
//     is some percent too large if the example joins many steps, and more than twice too large if
//     it joins few. The lower end is that of one large output.
//   - q is tiny and δ is below e^-300.
//
// Of 400 random questions 40 were wider than 1e-6, 27 than 1e-3, 13 than 1e-2, and five than 1/2.
// Their parameters were uniform in the logarithm: q from 1e-8, σ from 0.05 to 500, T to 1e6, δ to
// e^-690. Work is counted and capped.
//
// # What is left out
//
// Mechanisms other than Gaussians and clipped sums, and other samplings, are refused with
// accounting.ErrUnsupportedEvent. So is a Gaussian on a Poisson sample under ReplaceOne, as it may
// show the sample. Intervals of this package may be intersected with those of any other certified
// accountant.
//
// References: Balle and Wang (2018), arXiv:1805.06530v2 (profiles); Zhu, Dong, Wang (2022),
// arXiv:2106.08567v3 (both directions, characteristic functions); Alghamdi et al. (2023),
// arXiv:2208.09595v3 (the saddle point of the same integral).
//
// It promises nothing to other modules.
package contour
