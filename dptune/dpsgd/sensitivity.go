package dpsgd

// What follows proves how far one example moves the clipped sum of a step, in the arithmetic that the
// computer has. H is Higham (2002), Accuracy and Stability of Numerical Algorithms, 2nd ed.
//
// # The arithmetic
//
//   - A sum, product, quotient or root is the exact one times 1+δ, |δ| <= u, with u = 2⁻²⁴ or 2⁻⁵³ (H
//     2.4). A result below the smallest normal number, η, may be off by η instead.
//   - Sums and inner products may be taken in any order, in blocks, and with fused products. Then an inner
//     product of n terms is off by γ_n Σ |x_i y_i| at most, γ_n = n u/(1-n u), and a sum by γ_(n-1) Σ
//     |x_i| (H 3.1 and 4.2). Terms that are zero do not count: they are added exactly.
//   - (1+γ_j)(1+γ_k) <= 1+γ_(j+k) (H Lemma 3.3), and (1-u)⁻ⁿ <= 1+γ_n (H Lemma 3.1).
//   - Operands have all digits of the type: no TF32, which package xla turns off for CUDA.
//   - A value that norms and sums both use is computed once, or to the same bits.
//
// What an example gives to a layer's gradients is what the layer holds for it: inputs a, or rows P, and
// gradients g at the outputs, as they were computed. They are numbers, not approximations of something
// else, and its gradient is the exact function of them that the layer's comment states.
//
// # 1. An example alone adds at most C
//
// Let v_l be what WeightedSum returns for layer l if all other factors are zero: computed, with all its
// rounding. Then Σ_l ‖v_l‖² <= C², by each [Clipping].
//
// Each layer proves ‖v_l‖² <= c_l² N_l (1-u)⁻ʳ + what is lost, for its squared norm N_l as computed, the
// factor c_l and r = roundings:
//
//   - Values x that are weighted as they are (materialised gradients, gᵀ P of each example, biases, group
//     norms): N is the sum of n squares, so ‖x‖² <= N (1-u)⁻ⁿ, and the product c x adds 2: r = n+2. A sum
//     in blocks has as many roundings as a block, and one for each block.
//   - [nn.Dense]: N = ‖g‖² (1+‖a‖²), two sums of squares, one sum and one product. An entry is added as (c g)
//     a, two products, hence 4 more. There is no cancellation.
//   - [nn.EmbeddingMean]: N = ‖g‖² Σ_s Σ_t [token_s = token_t]/n², all terms >= 0. A token's row gets (c
//     g)/n, two products, as often as it occurs, of one sign, in so many sums.
//   - [nn.Conv2D] by P Pᵀ and g gᵀ: see 2.
//   - Parts of a layer add up: the worst, and a rounding for each sum.
//
// Lost are squares below η, at most η each; [kernel.LostSquares] puts them back, twice since N' is raised by less
// than a factor of 2. Where a product of two sums is taken, each gets its own share back before. What
// rounding to numbers below η adds to (c g) a is at most η u √n ‖a‖ <= 1e-26 √n, since ‖a‖² is finite: no
// share of a clip norm of 1e-12 or more.
//
// The engine raises N_l by the factor 1+γ_(r+K), see [nn.LayerGradients], so that N'_l >= N_l (1-u)⁻ʳ⁻ᴷ⁺³: the product,
// its constant, and the sum with what was lost are rounded. With N' = Σ N'_l, L-1 roundings, the factor is
// c = min(1, C/√N'): the root, the quotient and C in the type of the run are off by as much as 2, 4 and 1
// roundings at most (one each but on CUDA), which count twice in the square, and so does the sum of
// automatic clipping: K = L+18. So c² Σ N_l (1-u)⁻ʳ <= C². The other rules have a smaller factor, or C_l
// in the place of C. If c = 1 it is below the quotient.
//
// A rule of the caller's own has any factors f_l. With n_l = √N'_l, and what was lost within the root, c_l = f_l s, s = min(1, C/t),
// t² = Σ (f_l n_l)². Then Σ c_l² n_l² <= C² as real numbers, whatever f_l is. Rounded are the root n_l (2, twice in the
// square), f_l n_l (1, twice), its square, L-1 sums, t, the quotient and C as above (14), and f_l s (1, twice): K = L+25 would do,
// L+26 is taken. What squares of f_l n_l lose, η each, is put back in t, as for N'. Where f_l n_l or t overflows, s
// is 0; a factor that is not finite is 0, and the example is counted as excluded.
//
// # 2. Convolutions whose squared norm is Σ (P Pᵀ) ∘ (g gᵀ)
//
// With p places, w columns of P, and o of g, let S = ‖gᵀ P‖² be exact, Ŝ as computed, and T = Σ_s ‖P_s‖
// ‖g_s‖. An entry of P Pᵀ is off by γ_w ‖P_s‖ ‖P_t‖ at most (Cauchy and Schwarz), one of g gᵀ by γ_o ‖g_s‖
// ‖g_t‖, their product is rounded, and p² of these are added. So
//
//	|Ŝ - S| <= γ_(w+o+1+p²) Σ_s Σ_t ‖P_s‖ ‖P_t‖ ‖g_s‖ ‖g_t‖ = γ T²
//
// What is added is another product, of the rows (c g_s) and P_s: of an example alone it is off by c ε T at
// most, ε = γ_(p+1), in each entry by c ε Σ_s |g_s| |P_s| and so in norm. With any θ > 0,
//
//	‖v‖² <= c² (√S + ε T)² <= c² (1+θ) (S + ε² (1+1/θ) T²)
//
// and so Ŝ + κ T², κ = γ + ε² (1+1/θ), is a norm that holds, but for a factor 1+θ, which counts as θ/u
// roundings. (With θ = 2⁻²⁰ the second term of κ is about p² u/16.) ε is taken for p+8, so that P and g
// may be off by a few units where XLA computes them twice.
//
// T is not computed from P and g but from the diagonals of the two Gram matrices, which have the squares:
// T² from them is too small by w+o+3 roundings below the root, p places, and some, in all w+o+2p+10, and κ
// is raised by that. What P Pᵀ has lost, 2 w η by w products and w sums, goes with (Σ ‖g_s‖)², and the
// other way round: 2η/u is added to each square on the diagonals, and since √(a²+b²+...) is a norm, by its
// triangle inequality
//
//	κ (Σ_s √((‖P_s‖²+2η/u) (‖g_s‖²+2η/u)))² >= κ (T² + 2η/u (Σ ‖g_s‖)² + 2η/u (Σ ‖P_s‖)²),  κ/u >= w, o
//
// The p² products of entries, as many sums, and three more operations may lose η each.
//
// # 3. Totals
//
// The sums of a step's M microbatches are added in float64. Float32 fits into it, so one example alone is
// still what 1 says. Of B examples the total is off by (M-1) 2⁻⁵³ B C (1+2⁻⁵³)ᴹ at most, in each of two
// data sets. Noise is added in float64 too, before anything is rounded to the type of the run: what is
// rounded then is noisy, and rounding it is post-processing. A step of one microbatch has nothing to add
// up, and its sum plus noise is rounded once. (In float64 and then in float32 gives the same bits:
// Figueroa (1995), ACM SIGNUM Newsletter 30(3), as 53 >= 2·24+1.)
//
// As long as M B <= 2³¹ that is 4.8e-7 C for both together. Layer norms may exceed C by 1e-9 in all, and a
// standard deviation in float32 is off by 2⁻²⁴: in all less than SensitivityRounding. In float32 the
// engine clips at C/(1+SensitivityRounding), so that sums are at most C apart, with all of that.
//
// One example a microbatch (Performance.Microbatch 1) makes this the whole truth: then no example is ever
// added to another but in float64, and each one's gradient has the same bits whatever else is in the
// batch, as one program computes each from the same place: TestSingleExamplesDoNotTouchEachOther. (Where
// batches of one example may be followed by such of two, that needs the go backend: elsewhere a step of a
// single microbatch is another program.)
//
// # 4. What is not proved
//
// Within a microbatch of m > 1 examples, their weighted gradients are added to each other in the type of
// the run. As real numbers they are what 1 says; the sum of all of a batch is off by at most
//
//	γ_(m p + 1) Σ_b c_b T_b
//
// where p is 1 and c_b T_b <= C, but for token means, whose p is the number of tokens, and for the
// convolutions of 2, which have c_b T_b <= C/√κ. A batch of several microbatches comes in a random order,
// and one example more changes two of them at most (see shuffle), if both data sets have the same
// Performance.Microbatch; without one given, it follows from the number of examples. So the bounds of these two,
// with and without, are what counts, however large the batch: 1e-3 C for microbatches of 64. Two kinds of
// examples change their place: one in a batch of several microbatches, those behind it in a single one. Where a kernel
// rounds by the row (the last rows of a block), their activations change in the last bits; at an
// activation with an edge, such as ReLU, a gradient may then change by more. For the worst of data no bound
// of this is small. TestNeighborsInMicrobatches has what was found by search.

// SensitivityRounding is by how much of C, relative, two neighboring sums may be further apart
// than C by what is proved above.
const SensitivityRounding = 1e-6
