package pld

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/internal/batchpairs"
)

// A mixture of Gaussians, for added, removed and zeroed records.
//
// With the record the release has the law P = Σ w_j N(u_j, σ²), with centers of norm at most s_j.
// Without it the law is Q = N(0, σ²). (Whatever both share is fixed, by joint convexity, and
// subtracted.)
//
// Claim. For every c >= 0, ∫ (P - cQ)₊ and ∫ (Q - cP)₊ are largest for u_j = s_j on a line.
//
// Proof. The first integral is the largest of ∫_S P - c ∫_S Q over sets S, the second one is that
// of c ∫_S P - ∫_S Q, plus 1-c. (S is the complement of the set.) Choose a direction e. For a
// center u off the ray of e, let ρ be the reflection in the hyperplane through 0 that exchanges
// the directions of u and e. Call the side of e the upper one. Reflect all centers of the lower
// side. From each pair {y, ρy} with one point in S take the upper point. Then no ∫ f_u falls: an
// upper point is nearer to an upper center, and the mirror image of a lower center is as far from
// an upper point as the lower center was from the lower one. ∫ Q does not change. Norms stay, and
// so do centers that are on the ray. So all centers come to lie on the ray, one after the other.
// There P/Q rises, so the best S is a half line x > τ, and its chance under N(t, σ²) rises with
// t. ∎ (Polarization.)
//
// A pair that dominates each step, whatever the earlier outputs, dominates an adaptive composition
// (Zhu, Dong, Wang 2022, arXiv:2106.08567v3, Theorem 10). It is attained by centers on a line.

// mostDistances bounds the different distances of a mixture.
const mostDistances = 1000

// addMixture adds a MixtureOfGaussians on a Poisson sample, which is another mixture. The profiles
// of its pair are those of two terms.
func (c *collector) addMixture(e accounting.MixtureOfGaussians, rate, count float64) error {
	law := batchpairs.Distances(e)
	last := len(law) - 1
	if last == 0 { // nothing moves
		return nil
	}
	if last > mostDistances {
		return fmt.Errorf("pld: %v: has %d different distances: must have at most %d on the grid", e, last, mostDistances)
	}
	for _, p := range law[1:] {
		if err := check.Between(minNoise, 1/unit).With("on the grid").Of("pld: MixtureOfGaussians with noise multiplier over a distance", e.NoiseMultiplier/p.Mean); err != nil {
			return err
		}
	}
	return c.put(key{kind: -1 - len(c.mechanisms), rate: 1}, profileBase{profile: batchpairs.Mixture(law, e.NoiseMultiplier, rate), exact: true}, count)
}
