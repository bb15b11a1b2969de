// Package pld certifies ε and δ of compositions by privacy loss distributions on a grid: Gaussian,
// Laplace, randomized response, the exponential mechanism, any finite pair of laws, pure and
// approximate differential privacy, all of these on Poisson samples, and any composition. Both
// directions of add-or-remove-one are computed apart, and the larger is reported.
//
//	event := accounting.Composed{Events: []accounting.Event{
//		accounting.SelfComposed{Count: 1000, Event: accounting.PoissonSampled{
//			SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 1.5}}},
//		accounting.Laplace{NoiseMultiplier: 2},
//	}}
//	g, err := pld.NewAccountant().EpsilonAt(event, 1e-5)
//	fmt.Println(g.Epsilon) // [lower, upper], at most 0.01 wide
//
// With L = log dP/dQ the loss under P, δ(ε) = E (1 - e^{ε-L})_+ + P[L = ∞]; the losses of a
// composition add. [Accountant.Width] is the width that is wanted; step and window of the
// grid follow from it. The step shrinks until the width is reached or the grid is as large
// as [Accountant.MaxGrid] allows; then the narrowest interval found is returned with a
// warning that wraps [ErrWide].
//
// # What is proved
//
// The error terms, each derived where it stands:
//
//   - discretization (discretize.go): one law on the grid that dominates and one that is dominated,
//     so that no error is estimated. Each moves ε by a second-order amount where losses are spread
//     over many grid points, and by a first-order one where they are not. Runs with two outcomes
//     (pure and approximate differential privacy, randomized response, any of these sampled) are
//     composed exactly first, as a binomial, and discretized once (power.go);
//   - truncation (mechanism.go, discretize.go): what lies beyond the outermost cells goes to
//     infinity in the upper law and is lowered in the lower one;
//   - wrap-around (compose.go, profile.go): indices are added modulo the size of the grid,
//     which moves mass in and never out. The upper bound keeps what was moved in and adds
//     what the window misses, the lower one subtracts it; both by Chernoff's bound for
//     the laws on the grid;
//   - the largest loss (ceiling.go): ε is at most the sum of those of the runs, where they have
//     one and the outcomes that only one law has are no likelier than δ;
//   - rounding of the transforms (compose.go): a bound on every value, to a model of the
//     transform's relative error.
//
// # Why the transform is tilted
//
// Rounding of a transform is absolute: about 1e-16 of the largest value everywhere, which
// drowns tails from δ = 1e-10 down. Here each law is multiplied by e^{aL} first, with a
// near the saddle point of the exponent for the ε or δ in question. What was the tail is
// then the bulk, and δ keeps its relative precision at any size.
//
// # Floating point
//
// There is no directed rounding. Cell masses are differences of normal tails; a bound of
// their relative error is moved to the private side cell by cell. Losses at cell edges
// are rounded: ε is widened by 16 units (2^-53) of the largest loss for each step.
// Sums and powers are given 8 units for each step and grid point. A mass that underflows is not
// none: an upper law has some of it, a lower one has not. A loss is infinite only where an event
// says so, by a probability of 0 or a δ.
//
// # When the interval is wide
//
// When steps are many (T above 10^6) or losses of one run are smaller than the grid's step
// (tiny sampling rates), the lower end may be 0. The upper end is still certified. Package
// contour answers such questions about sampled Gaussians.
//
// # Neighbors
//
// Add-or-remove-one and replace-special have the same pairs. Under replace-one samples of fixed
// size are known (replaceone_fixedsize.go), and a Poisson sample is priced as if it were shown
// (replaceone_poisson.go), which is all that an event says.
//
// Not on the grid: sampled Gaussians and Laplace noise with a noise multiplier below 1e-3, ε above
// 700 in a single pure event, plain Gaussians of µ above 1000 among other events; all are refused
// with an error. ZCDP is not known here. [PairAbove] makes a pair of laws of any privacy profile;
// package auto does so for ZCDP, Parallel, WorstCase and sampled compositions among other events.
//
// Reference: Koskela, Jälkö, Prediger, Honkela (2021), arXiv:2102.12412v3 (composition by
// FFT); Doroshenko et al. (2022), arXiv:2207.04380v1 (joining the dots); Zhu, Dong, Wang
// (2022), arXiv:2106.08567v3 (dominating pairs, composition and Poisson sampling in both
// directions).
package pld
