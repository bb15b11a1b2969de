// Package lastiterate bounds the privacy of noisy gradient descent that releases only its last
// model. On convex losses noise of later steps hides what earlier steps saw, so ε stops rising
// with the number of steps. For other losses ε of all models holds; what is known without
// convexity (Chien and Li 2024, arXiv:2410.01068) is not here.
//
// A [Training] has the facts of the run: T steps
//
//	w ← Π(w - η (∇F(w) + (C σ / B) N)),  F(w) = (1/B) Σ ℓ_i(w) + r(w),
//
// where N is standard normal, the sum is over the examples of the batch, and Π projects on a convex
// set. What the code
// cannot see must hold, and [Training.Statement] lists it: every F is m-strongly convex and
// M-smooth, every ∇ℓ_i has an L2 norm of at most C, and nothing but the last model is released.
// Clipping keeps a loss convex if the model is linear with one output: the gradient is a rising
// function of the output times the features, and a clipped rising function still rises.
// Clipped gradients of other models need not come from a convex loss.
//
//	t := lastiterate.Training{
//		Steps: 1000, Batches: 1, NoiseMultiplier: 20, ClipNorm: 1, Divisor: 500,
//		LearningRate: 1, StrongConvexity: 0.01, Smoothness: 0.26,
//	}
//	g, err := t.EpsilonAt(1e-5)
//
// # Theorem and proof
//
// One of the two neighbors has one example more. All lengths are in units of the noise of a step,
// η C σ / B. The example moves each step that it is part of by at most u = 1/σ.
// A step without noise is Lipschitz with constant c = max(|1-ηm|, |1-ηM|) <= 1. D is the diameter
// of the set, or +Inf. Step i is φ_i on one data set and φ'_i on the other, X_i and X'_i are the
// models. T(P, Q) is the trade-off function of two laws, G(µ) that of N(0,1) and N(µ,1), and ⊗ that
// of products.
//
// Shifted interpolation (Bok, Su and Altschuler, ICML 2024, arXiv:2403.00278v2, Section 3; the
// shift is older: Feldman, Mironov, Talwar and Thakurta 2018, arXiv:1808.06651). If both runs draw
// the same noise and batches up to step τ, their models there are at most z_τ apart, where z_0 = 0
// and z_{i+1} = min(D, c z_i + u), with 0 for u if the example is not in step i. From τ on let
//
//	Y_τ = X'_τ,  Y_{i+1} = Π(λ_i φ_i(X_i) + (1-λ_i) φ'_i(Y_i) + N_i),  λ_i in [0, 1],
//
// with the noise of X. Then ‖X_{i+1} - Y_{i+1}‖ <= (1-λ_i)(c z_i + u) =: z_{i+1}, and step i moves
// Y away from the law of X' by a_i = λ_i (c z_i + u):
// T(Y_{i+1}, X'_{i+1}) >= T(Y_i, X'_i) ⊗ G(a_i), by composition over the past of both.
// The last λ is 1, so z_T = 0 and Y_T = X_T. Hence T(X_T, X'_T) >= G(µ) with µ² = Σ a_i², for each
// τ and all λ. The same holds with the data sets exchanged. ∎
//
// For a fixed order of batches the example is in one batch of each epoch. µ is the least that
// shifts a_i = min(α c^(T-1-i), c z_i + u) give, at one τ and α, for the worst batch. Without the
// minimum, and with the α that makes z_T 0, they are the least of all, by the inequality of Cauchy
// and Schwarz. If all examples are in every step and D is +Inf, then
//
//	µ² = (1-c^T)(1+c) / ((1+c^T)(1-c)) / σ²,
//
// which linear losses attain (the strongly convex case of Section 4 there).
//
// For Poisson samples (a variant of ours; the paper divides the noise in halves) the noise is
// U + V, with variances θ and 1-θ. X has no step with the example, and from τ on
//
//	Y_{i+1} = Π(φ_i(Y_i) + λ_i (φ_i(X_i) - φ_i(Y_i)) + U_i + V_i).
//
// Hence z_{i+1} = (1-λ_i) c z_i. V hides the shift, and U whether the example joined: given
// Y_i = X'_i = x and the others of the batch, the pair (U, v + V) against (b + U, V), with
// |v| <= a_i and b the example's move or 0, gives the models by a function of the sum. U against
// b + U is one step of DP-SGD with the noise multiplier σ√θ. So the last model costs at most T-τ
// such steps, and one Gaussian release of distance
//
//	c^(T-τ) z_τ / √((1-θ) Σ c^2i),  i from 0 to T-τ-1.
//
// At τ = 0 and θ = 1 this is DP-SGD with all models released. ∎
//
// It promises nothing to other modules.
package lastiterate
