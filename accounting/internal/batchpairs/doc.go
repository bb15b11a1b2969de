// Package batchpairs bounds the privacy loss of one step on a batch of fixed size, on draws with
// replacement, and on a capped Poisson sample. The step releases an [accounting.ClippedSum].
//
// [Of] returns two things for such an event:
//
//   - a [Profile]: upper bounds on δ(ε) in both directions, which are those of one pair of laws.
//     The pair dominates the step, in adaptive compositions too;
//   - attacks: pairs of laws that some gradients attain. Each bounds the step from below, and its
//     composition bounds a composition from below.
//
// Notation. σ is the noise over the clip norm, N(u) the normal law N(u, σ²) with density f_u, q a
// chance. H_c(P‖Q) = sup_S P(S) - c Q(S), c = e^ε. H'_c is the same in the other direction.
// (u, v) at q means the laws (1-q)N(0) + qN(u) and (1-q)N(0) + qN(v). x is the record that differs,
// and r the record that x replaces in the batch. Both are vectors of norm at most 1. The other
// records' vectors are revealed
// and subtracted. By joint convexity that does not lower H.
//
// # Polarization
//
// R is a reflection in a hyperplane, and H⁺ one side of it. If S has one point of a pair {y, Ry},
// S' takes the one in H⁺. Under f_u, S' has at least the mass of S if u is in H⁺, and at most that
// mass if u is on the other side. On the hyperplane the masses are equal.
//
// Lemma. Take u, v with |u-v| <= 1, |v| <= 1, and a, b >= 0. Then sup_S ∫_S f_u - a f_0 - b f_v is
// largest on a line, at v = 1 and u = 2.
// Proof. Let u* be the point at distance |u-v| from v, straight away from 0. The reflection that
// exchanges u and u* has v on its hyperplane and 0 on the side of u. Polarize towards u*: the first
// term does not fall, ∫ f_v stays, ∫ f_0 does not rise. On the line f_0/f_u and f_v/f_u fall, so
// the best S is a half line. For it, moving u up and 0 down relative to v can only help. ∎
//
// In the same way |u|, |v| <= 1 is worst at (1, -1): v is reflected to -|v|u/|u|. If |u|, |u-v| <=
// 2, joint convexity bounds the value by that of two laws at distance 2.
//
// # One step
//
// Balle, Barthe and Gaboardi (2018), arXiv:1807.01647v2, Theorem 2. With e^l = 1 + q(e^ε-1) and β =
// e^{l-ε},
//
//	H_{e^l}((1-q)A + qB ‖ (1-q)A + qB') = q H_{e^ε}(B ‖ (1-β)A + βB').
//
// The sample has b of n records. The others r_1..r_b are b of the n-1 in random order, and x takes
// the place of r_b with chance q = b/n, independently of them. So A = 0 and B = x - r.
//
//   - Replace-special: B' = -r. The lemma bounds H by that of (2, 1), and H' by that of (1, 0), as
//     both A and B are within 1 of B'. Both are attained, by different data.
//   - Replace-one: B' = x' - r is within 2 of B, and so is A. H and H' are at most that of (2, 0).
//   - Add-or-remove-one: without x the law is A, so the pair is (2, 0). It is attained.
//
// A Poisson sample is cut to B. m is the number of other records in it, before the cut. If m < B,
// nothing is cut: a Poisson sample. If m >= B, only that is revealed, with a random ordered
// B-subset of the others, which is uniform for each m. x then takes the last place with chance p̄ =
// E[qB/(m+1) | m >= B], independently of the subset. So
//
//	H <= P[m < B] H(Poisson at q) + P[m >= B] H(fixed size at p̄).
//
// b draws with replacement: j of them are x, with chance w_j = C(b,j) n^-j (1-1/n)^{b-j}. The b
// draws of others are revealed, and x takes j places at random. R_j is the sum of these.
//
//   - Replace-special: with η = 1-w_0, B = Σ w_j/η N(jx-R_j) and B' = Σ w_j/η N(-R_j). By joint
//     convexity H <= Σ_j w_j/η H((2j, j) at η) and H' <= Σ_j w_j/η H((j, 0) at η).
//   - Replace-one: H and H' are at most Σ_j w_j/η H((2j, 0) at η).
//   - Add-or-remove-one: Σ w_j N(jx-R_j) against N(0). Reflections through 0 align all centers on
//     one ray, and a half line is the best set then. So the pair is Σ w_j N(2j) against N(0). It is
//     attained.
//
// # How the sizes err
//
// H of each pair (u, 0), (2, 1) and (1, 0) rises in q: with V = sup_S at q, its derivative at the
// best S is (V + (c-1)A(S))/q. H of Σ w_j N(2j) against N(0) rises if w is moved to larger j, in
// both directions, because the best S is a half line. So for a population that is known only by
// a lower bound, that bound is the safe size without a cap.
//
// A cap is different. With fewer records the cap cuts less, and x takes part more often. For every
// number of records up to n, P[m >= B] is at most its value w at n. The pair at distance 2 at rate
// q >= p̄ dominates the one at distance 1. So (1-w) H((1, 0) at q) + w H((2, 0) at q) bounds all of
// them. That is the bound for add-or-remove-one, where the number of records is not public.
package batchpairs
