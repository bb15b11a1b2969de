// Package lratio certifies ε and δ of random allocation, in which each example takes part in one
// step of each epoch, drawn anew. It computes with laws of likelihood ratios, and gives a lower and
// an upper end for every event that it knows.
//
//	g, err := lratio.NewAccountant().EpsilonAt(accounting.RandomAllocation{
//		Period: 100, Steps: 1000, Participations: 1, Event: accounting.ClippedSum{NoiseMultiplier: 1},
//	}, 1e-5)
//	fmt.Println(g.Epsilon) // in [1.7014.., 1.7016..]
//
// It knows RandomAllocation and PoissonSampled of Gaussian and ClippedSum releases, these releases
// themselves, and compositions. Ask package auto, which asks this one if an event has a random
// allocation. Package pld composes its laws with other mechanisms ([Part]).
//
// # The pair
//
// Let the example that differs take part in step i with count c_i, where c has a law that does not
// depend on the other examples' batches. Let each step release a sum of vectors of norm at most 1
// plus normal noise of standard deviation σ. Then every adaptive run is dominated by
//
//	P = E_c N(c, σ²I)    against    Q = N(0, σ²I),
//
// and one run attains it. Both relations, add-or-remove-one and replace-special, have this pair.
//
// Proof. Draw w from P or Q, and the batches of the others. At step i let v be the example's
// vector, which may depend on all earlier outputs, r its norm, and u = v/r. Release
//
//	(the others' sum) + u (r w_i + √(1-r²) σ ξ) + σ (normal noise orthogonal to u)
//
// with new normal numbers. Given c and w from P, that is the others' sum + c_i v + noise of
// standard deviation σ. Under Q it is the sum without the example. So both runs are one randomized
// function of w. The run with v = (1, 0, .., 0) and zeros for the others attains it. ∎
//
// In a period of t steps c is a random unit vector, and the likelihood ratio under Q is
//
//	Z = dP/dQ = (X_1 + ... + X_t)/t,    log X_i ~ N(-1/2σ², 1/σ²), independent.
//
// Periods are independent, so their ratios multiply. δ at ε is E(Z-e^ε)₊ for a removed example, and
// E(1-e^ε Z)₊ for an added one.
//
// # The two laws
//
// Both δ are expectations of convex functions of Z. Operations on an upper law only split an atom
// into two with the same mean. Operations on a lower law only merge atoms into their mean.
// Splitting raises such an expectation and merging lowers it (Jensen), and sums and products of
// independent ratios keep the order (law.go). So one upper law bounds δ from above in both
// directions (package splitlaw), and one lower law bounds it from below (here). No transform and no
// tail bound is used, all terms are positive, and δ may be as small as 1e-300.
//
// The last laws are remembered, and questions about many δ share a few. The first one about an
// event takes about a second, and further ones milliseconds. A calibration searches by coarser
// laws, and only by upper ones (shared.go, memory.go).
//
// Atoms are on a grid z_k = e^{hk}. The average of 2^k ratios takes k steps, and any other number
// is reached by the binary digits of its odd part (allocation.go). The width of ε falls as the
// square of the number of cells.
//
// # Rounding
//
// The upper law has all its masses rounded up, and its places have intervals. So an upper end of ε
// is checked by the law that it is from (certify.go). The check takes the pair as given. A lower
// law carries a bound on the relative error of its masses and one on that of its places. Both are
// subtracted when δ is read (profile.go).
//
// The two laws share no code but the list of factors. A lower end above an upper end is an error.
//
// # Wide intervals
//
// Two laws are not known. Their ends are bounds by different mechanisms. With k participations in a
// period the upper end is that of k random blocks (program.go). Under replace-one it adds up two
// steps: from one example to none, and to the other (replaced.go). The lower ends are attacks by
// sums (package lattice). Intervals are 0.6 to 25 % wide. From 1 % on they have the warning
// [ErrWide].
//
// References: Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha, Zhang (2024), arXiv:2412.16802 (the
// pair, balls in bins). Feldman, Shenfeld (2025), arXiv:2502.08202 (random allocation). Zhu, Dong,
// Wang (2022), arXiv:2106.08567v4, Theorem 10 (adaptive composition of dominating pairs).
//
// It promises nothing to other modules.
package lratio
