package pld

import (
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/internal/batchpairs"
)

// A ClippedSum on a Poisson sample, for the replace-one relation.
//
// Let R be the sum of the other records in the sample, and v and v' the vectors of the old and the
// new record, of norm at most 1. The laws of the release are (1-q) N(R) + q N(R+v) and (1-q) N(R) +
// q N(R+v'). Both have the same R, which may be fixed (joint convexity) and subtracted.
//
// Claim. For every c >= 0 and all such vectors, ∫ (P - c Q)₊ is largest for v = 1 and v' = -1 on a
// line:
//
//	P = (1-q) N(0, σ²) + q N(1, σ²),   Q = (1-q) N(0, σ²) + q N(-1, σ²).
//
// Proof. The integral is the largest of q ∫_S f_v - c q ∫_S f_v' + (1-q)(1-c) ∫_S f_0 over sets
// S. Let ρ be the reflection in the hyperplane through 0 that exchanges the directions of v' and
// -v. Then v and v' lie on the same side of it. Take from each pair {y, ρy} with one point in S
// the point on their side. Then ∫ f_v does not fall, and ∫ f_0 does not change. The integral of
// f_ρv' over the new set is at most that of f_v' over S, as the mirror images of the new points
// lie on the other side. So v' may be replaced by ρv', and v = b, v' = -a on a line, with a, b in
// [0, 1]. There (q f_b - c q f_{-a})/f_0 rises, so the best S is a half line x > τ. On it ∫ f_b
// rises with b, and ∫ f_{-a} falls with a. ∎ (Polarization.)
//
// A pair that dominates each step, whatever the earlier outputs, dominates an adaptive
// composition (Zhu, Dong, Wang 2022, arXiv:2106.08567v3, Theorem 10). The pair is attained by v =
// 1, v' = -1 and other records at 0, also in compositions. x -> -x exchanges P and Q, so both
// directions cost the same.

// addSum adds a ClippedSum on a Poisson sample.
func (c *collector) addSum(sigma, rate, count float64) error {
	if err := check.Between(minNoise, 1/unit).With("on the grid").Of("pld: sampled ClippedSum with noise multiplier", sigma); err != nil {
		return err
	}
	return c.put(key{kind: 5, rate: 1, a: sigma, b: rate}, profileBase{profile: batchpairs.Replaced(sigma, rate), exact: true}, count)
}
