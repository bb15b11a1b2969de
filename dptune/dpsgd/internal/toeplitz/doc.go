// Package toeplitz computes with lower triangular Toeplitz matrices C, for noise that is correlated
// from step to step. The matrix has n rows, one for each step, and C[t, i] = c_(t-i). A run that
// adds the noise C⁻¹Z to its sums G releases as much as C G + Z, where Z has independent normals.
//
// # Sensitivity
//
// Let one example take part in the steps i of a set π, fixed beforehand. Let d_i be what it adds to
// the sum of step i, of norm at most 1. It may depend on all releases before step i. Then the run
// is dominated by one Gaussian mechanism of sensitivity s and the noise multiplier of Z, with
//
//	s² = Σ_t v_t²,  v_t = Σ_(i in π) |c_(t-i)|
//
// It is attained by d_i = 1 if all c_j >= 0.
//
// Proof. Row t of C G + Z is released after the rows before it. Given those, the sums of both data
// sets are known, and the row is normal with means that differ by u_t = Σ_(i in π) c_(t-i) d_i. So
// ‖u_t‖ <= v_t, and Σ ‖u_t‖² <= s². Let B be a Brownian motion of variance σ² and drift 0 or 1, at
// the times up to s². Row t uses the increment of B over the next ‖u_t‖² units of time, divided by
// ‖u_t‖. It is normal of mean 0 or ‖u_t‖ and variance σ², the coordinate of the row along u_t. The
// other coordinates are drawn afresh. How long it takes is known before the increment. So the run
// is a function of the path of B, and of draws that are the same in both worlds. Given its value at
// s² the path is a Brownian bridge for either drift. So the run is post-processing of B(s²), which
// is normal of mean 0 or s² and variance σ² s². ∎
//
// For replaced examples d_i is a difference of two vectors, so s doubles.
//
// If the example takes part in every k-th step only, the first of its steps may be any i < k. Its
// v is the one of i = 0, moved by i steps and cut off after n. So i = 0 is the worst case. The
// coefficients need not fall for that. With at most k bands no two terms of v_t overlap, so
// s² <= m ‖c‖² for m steps.
//
// References: Denisov et al. (2022), arXiv:2202.08312, Theorem 2.1, for adaptive sums;
// Choquette-Choo et al. (2023), arXiv:2306.08153, for bands; arXiv:2405.13763, Theorem 2, for
// Toeplitz matrices.
package toeplitz
