// Package pld certifies ε and δ of compositions by privacy loss distributions on a grid. It
// prices these mechanisms, all of them on Poisson samples too, in any composition:
//
//   - Gaussian, Laplace, randomized response, the exponential mechanism;
//   - pure and approximate differential privacy;
//   - any finite pair of laws, and any bound on a privacy profile.
//
// It also prices sums of clipped vectors on batches of fixed size, with and without replacement,
// and on capped Poisson samples, in any composition (batches.go). It prices random allocations of
// Gaussian releases among other events, from the laws of package lratio (allocation.go).
//
// Both directions of add-or-remove-one are computed separately, and the larger is reported.
//
//	event := accounting.Composed{Events: []accounting.Event{
//		accounting.SelfComposed{Count: 1000, Event: accounting.PoissonSampled{
//			SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 1.5}}},
//		accounting.Laplace{NoiseMultiplier: 2},
//	}}
//	g, err := pld.NewAccountant().EpsilonAt(event, 1e-5)
//	fmt.Println(g.Epsilon) // [lower, upper], at most 0.01 wide
//
// With L = log dP/dQ the loss under P, δ(ε) = E (1 - e^{ε-L})_+ + P[L = ∞]. The losses of a
// composition add. [Accountant.Width] is the wanted width of the interval; step and window of the
// grid follow from it. The step shrinks until the width is reached or the grid has
// [Accountant.MaxGrid] points. In the second case the narrowest interval found is returned, with
// a warning that wraps [ErrWide].
//
// # What is proved
//
// Each error term is derived in the comment of its code:
//
//   - discretization (discretize.go): one law on the grid dominates and one is dominated, so no
//     error is estimated. Each moves ε by a second-order amount if losses are spread over many
//     grid points, and by a first-order one if not. Runs with two outcomes are first composed
//     exactly, as a binomial, and discretized once (power.go). These are pure and approximate
//     differential privacy, randomized response, and any of these sampled;
//   - truncation (mechanism.go, discretize.go): mass beyond the outermost cells goes to infinity
//     in the upper law and is lowered in the lower one;
//   - wrap-around (package lossgrid): indices are added modulo the size of the grid, which
//     moves mass in and never out. The upper bound keeps the mass moved in and adds the mass that
//     the window misses. The lower bound subtracts the mass moved in. Both masses are bounded by
//     Chernoff's bound for the laws on the grid;
//   - the largest loss (ceiling.go): if every run has a largest loss, and δ is at least the
//     chance of outcomes that only one law has, ε is at most the sum of these losses;
//   - rounding of the transforms (package lossgrid): a bound on every value, from a model of the
//     transform's relative error.
//
// # Why the transform is tilted
//
// The rounding error of a transform is absolute: about 1e-16 of the largest value everywhere. It
// hides tails from δ = 1e-10 down. So each law is multiplied by e^{aL} first, with a near the
// saddle point of the exponent for the ε or δ in question. The former tail is then the bulk, and
// δ keeps its relative precision at any size.
//
// # What is checked
//
// EpsilonAt has its upper end checked in outward-rounded intervals, and attaches the certificate. A
// single mechanism has a closed form of δ. For compositions there is package
// internal/certificate/gridlaw. It takes the grid, and makes laws on it that dominate each
// mechanism, from closed forms of δ. It composes them by its own transform, and adds up δ at the
// claimed ε. So it does not rest on the proofs above. An end whose check fails is raised by up to
// 1e-4 of itself, or has a warning that wraps [accounting.ErrUncertified].
//
// Not checked are the answers of DeltaAt and its variants.
//
// # Floating point
//
// Rounding is not directed in the search. Cell masses are differences of normal tails; a bound on
// their relative error is moved to the private side cell by cell. Losses at cell edges are
// rounded, so ε is widened by 16 units (2^-53) of the largest loss for each step. Sums and powers
// are given 8 units for each step and grid point.
//
// A mass that underflows is not 0: an upper law has some of it, a lower one has none. A loss is
// infinite only if an event has a probability of 0 or a δ.
//
// # When the interval is wide
//
// The lower end may be 0 if there are many steps (T above 10^6), or if losses of one run are
// smaller than the grid's step (tiny sampling rates). The upper end is still certified. Package
// contour answers such questions about sampled Gaussians.
//
// # Neighbors
//
// Add-or-remove-one and replace-special have the same pairs, except on batches of fixed size and
// capped ones. Under replace-one, samples of fixed size have their own pair
// (replaceone_fixedsize.go). A Poisson sample is priced as if the
// outcome revealed whether the record is in it (replaceone_poisson.go). An event holds no more
// than that.
//
// On batches of fixed size and on capped ones, mostly no data attain the upper end in compositions.
// The lower end is what the best known gradients attain. The interval is then wide, without a
// warning. For an event with an exact pair both ends meet.
//
// # What is left out
//
// The grid refuses with an error
//
//   - sampled Gaussians and Laplace noise with a noise multiplier below 1e-3;
//   - ε above 700 in a single pure event;
//   - plain Gaussians of µ above 1000 among other events;
//   - ZCDP and RenyiBound.
//
// [PairAbove] makes a pair of laws of any privacy profile. The price of an accounting.ProfileBound
// is that of its pair. Package auto makes pairs for ZCDP, RenyiBound, Parallel, WorstCase and
// sampled compositions among other events.
//
// References: Koskela, Jälkö, Prediger, Honkela (2021), arXiv:2102.12412v3 (composition by FFT);
// Doroshenko et al. (2022), arXiv:2207.04380v1 (connecting the dots); Zhu, Dong, Wang (2022),
// arXiv:2106.08567v3 (dominating pairs, composition and Poisson sampling in both directions).
//
// It promises nothing to other modules.
package pld
