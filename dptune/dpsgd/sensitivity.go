package dpsgd

// The following proves how far one example moves the clipped sum of a step in floating-point
// arithmetic. H is Higham (2002), Accuracy and Stability of Numerical Algorithms, 2nd ed.
//
// # The arithmetic
//
//   - A sum, product, quotient or root is the exact one times 1+δ, |δ| <= u, with u = 2⁻²⁴ or 2⁻⁵³
//     (H 2.4). A result below the smallest normal number, η, may be off by η instead.
//   - Sums and inner products may be taken in any order, in blocks, and with fused products. Let
//     γ_n = n u/(1-n u). An inner product of n terms is off by at most γ_n Σ |x_i y_i|, and a sum
//     by at most γ_(n-1) Σ |x_i| (H 3.1 and 4.2). Terms that are zero add no error: they are added
//     exactly.
//   - (1+γ_j)(1+γ_k) <= 1+γ_(j+k) (H Lemma 3.3), and (1-u)⁻ⁿ <= 1+γ_n (H Lemma 3.1).
//   - Operands have all digits of the type: no TF32, which package xla turns off for CUDA.
//   - A value that norms and sums both use is computed once, or to the same bits.
//
// An example enters a layer's gradients through what the layer holds for it: inputs a, or rows P,
// and gradients g at the outputs, as computed. They are taken as given numbers, not as
// approximations. The example's gradient is the exact function of them that the layer's comment
// states.
//
// # 1. A single example adds at most C
//
// Let v_l be the computed result of WeightedSum for layer l if all other factors are zero, with all
// its rounding. Then Σ_l ‖v_l‖² <= C², by each [Clipping].
//
// Each layer proves ‖v_l‖² <= c_l² N_l (1-u)⁻ʳ + lost squares, for its computed squared norm N_l,
// the factor c_l and r roundings:
//
//   - Values x that are weighted directly (materialized gradients, gᵀ P of each example, biases,
//     group norms): N is the sum of n squares, so ‖x‖² <= N (1-u)⁻ⁿ. The product c x adds 2: r =
//     n+2. A sum in blocks has as many roundings as a block, and one for each block.
//   - [nn.Dense]: N = ‖g‖² (1+‖a‖²), two sums of squares, one sum and one product. An entry is
//     added as (c g) a: two products, hence 4 more. Nothing cancels.
//   - [nn.EmbeddingMean]: N = ‖g‖² Σ_s Σ_t [token_s = token_t]/n², all terms >= 0. A token's row
//     gets (c g)/n, two products, once for each time that it occurs. All have one sign, and each is
//     one sum.
//   - [nn.Embedding]: the rows Σ_t g_t of each token are computed once, and are weighted directly.
//     Each is added once to its row of the table, with zeros for the other places: r = n+2.
//   - [nn.LayerNorm] and [nn.RMSNorm]: the sums over places are computed once, and are weighted
//     directly. So are the gradients of [nn.Positions], which are g itself, and the sums that
//     [nn.PerPlace] takes over the gradients of single places.
//   - [nn.Conv2D] and [nn.Products] by P Pᵀ and g gᵀ: see 2. [nn.Attention], [nn.GRU],
//     [nn.LSTM] and [nn.LoRA] have such products for each of their weights, as [nn.PerPlace] has
//     for [nn.Dense]. With nn.Model.Views, the views of an example are its places, and its loss is
//     the sum over views of loss/K. Coins are constants here: they do not depend on gradients.
//   - The parts of a layer are added: r is the largest of the parts', plus one for each sum.
//
// The lost squares are those below η, at most η each. [kernel.LostSquares] puts them back, twice
// because N' is raised by less than a factor of 2. If a product of two sums is taken, each sum gets
// its lost squares back first. Rounding to numbers below η adds at most η u √n ‖a‖ <= 1e-26 √n to
// (c g) a, since ‖a‖² is finite. That is negligible against a clip norm of 1e-12 or more.
//
// The engine raises N_l by the factor 1+γ_(r+K), see [nn.LayerGradients]. Then N'_l >= N_l
// (1-u)⁻ʳ⁻ᴷ⁺³: the product, its constant, and the sum with the lost squares are rounded. N' = Σ
// N'_l has L-1 roundings, and the factor is c = min(1, C/√N'). The root, the quotient and C in the
// type of the run are off by at most 2, 4 and 1 roundings (one each except on CUDA). They enter the
// square twice, and so does the sum of automatic clipping: K = L+18. So c² Σ N_l (1-u)⁻ʳ <= C². The
// other rules have a smaller factor, or C_l instead of C. If c = 1 it is below the quotient.
//
// A rule of the caller has arbitrary factors f_l. Let n_l = √N'_l, with the lost squares added
// below the root. Then c_l = f_l s, s = min(1, C/t), t² = Σ (f_l n_l)². As real numbers, Σ c_l²
// n_l² <= C² for any f_l. These are rounded: the root n_l (2, twice in the square), f_l n_l (1,
// twice), its square, L-1 sums, t, the quotient and C as above (14), and f_l s (1, twice). K = L+25
// is enough, and L+26 is used. The squares of f_l n_l that are lost, η each, are put back in t, as
// for N'. If f_l n_l or t overflows, s is 0. A factor that is not finite is set to 0, and the
// example is counted as excluded.
//
// # 2. Products whose squared norm is Σ (P Pᵀ) ∘ (g gᵀ)
//
// P has the inputs at each place as rows, such as the windows of a convolution or the tokens of a
// text. [nn.Conv1D] has zeros in P for padding. Let there be p places, w columns of P and o columns
// of g. Let S = ‖gᵀ P‖² be exact, Ŝ as computed, and T = Σ_s ‖P_s‖ ‖g_s‖. An entry of P Pᵀ is off
// by at most γ_w ‖P_s‖ ‖P_t‖ (Cauchy and Schwarz), an entry of g gᵀ by at most γ_o ‖g_s‖ ‖g_t‖.
// Their product is rounded, and p² of these are added. So
//
//	|Ŝ - S| <= γ_(w+o+1+p²) Σ_s Σ_t ‖P_s‖ ‖P_t‖ ‖g_s‖ ‖g_t‖ = γ T²
//
// The sum gets another product, of the rows (c g_s) and P_s. For a single example each entry is off
// by at most c ε Σ_s |g_s| |P_s|, ε = γ_(p+1), so the norm is off by at most c ε T. With any θ > 0,
//
//	‖v‖² <= c² (√S + ε T)² <= c² (1+θ) (S + ε² (1+1/θ) T²)
//
// So Ŝ + κ T², κ = γ + ε² (1+1/θ), is a valid squared norm, up to a factor 1+θ that is included as
// θ/u roundings. (With θ = 2⁻²⁰ the second term of κ is about p² u/16.) ε is taken for p+8, because
// P and g may differ by a few units if XLA computes them twice.
//
// T is not computed from P and g but from the diagonals of the two Gram matrices, which have the
// squares. T² from them is too small by at most w+o+2p+10 roundings: w+o+3 below the root, the sum
// over p places, and a few more. κ is raised by that. P Pᵀ loses at most 2 w η, by w products and w
// sums, and this is multiplied by (Σ ‖g_s‖)². The same holds for g gᵀ and P. So 2η/u is added to
// each square on the diagonals. Since √(a²+b²+...) is a norm, its triangle inequality gives
//
//	κ (Σ_s √((‖P_s‖²+2η/u) (‖g_s‖²+2η/u)))² >= κ (T² + 2η/u (Σ ‖g_s‖)² + 2η/u (Σ ‖P_s‖)²)
//
// Here κ/u >= w and κ/u >= o.
//
// The p² products of entries, as many sums, and three more operations may lose η each.
//
// # 3. Totals
//
// The sums of a step's M microbatches are added in float64. Float32 fits into it, so section 1
// still holds for a single example. The total of B examples is off by at most (M-1) 2⁻⁵³ B C
// (1+2⁻⁵³)ᴹ, in each of two data sets. Noise is added in float64 too, before anything is rounded to
// the type of the run. That rounding is post-processing of a noisy sum. A step of one microbatch
// adds no totals, and its sum plus noise is rounded once. (In float64 and then in float32 gives the
// same bits: Figueroa (1995), ACM SIGNUM Newsletter 30(3), as 53 >= 2·24+1.)
//
// As long as M B <= 2³¹ that is 4.8e-7 C for both together. Layer norms may exceed C by 1e-9 in
// all, and a standard deviation in float32 is off by 2⁻²⁴. Together they are less than
// SensitivityRounding. In float32 the engine clips at C/(1+SensitivityRounding), so sums are at
// most C apart with all of these errors.
//
// With one example in each microbatch (Performance.Microbatch 1) the proof is complete. Then
// examples are added to each other in float64 only. One program computes each gradient at the same
// place, so its bits do not depend on the rest of the batch: TestSingleExamplesDoNotTouchEachOther.
// (If some batches have one example and others have two, this needs the go backend: elsewhere a
// step of a single microbatch is another program.)
//
// # 4. What is not proved
//
// Within a microbatch of m > 1 examples, their weighted gradients are added to each other in the
// type of the run. Section 1 holds for them as real numbers. The sum of a batch is off by at most
//
//	γ_(m p + 1) Σ_b c_b T_b
//
// where p is 1 and c_b T_b <= C, with two exceptions. For token means p is the number of tokens.
// For the products of section 2, c_b T_b <= C/√κ. A batch of several microbatches is in random
// order, and one more example changes at most two of them (see shuffle), if both data sets have the
// same Performance.Microbatch. Its default depends on the number of examples. So only the bounds of
// these two microbatches matter, with and without the example, for any size of the batch: 1e-3 C
// for microbatches of 64. Examples also change their place: one example in a batch of several
// microbatches, and those behind the new one in a single microbatch. If a kernel rounds differently
// by row (as in the last rows of a block), the last bits of their activations change. At an
// activation with an edge, such as ReLU, a gradient may then change by more. In the worst case over
// data sets no bound on this is small. TestNeighborsInMicrobatches has the largest change that a
// search found.

// SensitivityRounding bounds, relative to C, how much more than C two neighboring sums may differ.
// The proof is above.
const SensitivityRounding = 1e-6
