package pld

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
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

// mixtureBase is that pair. Its loss is log Σ w_j e^{s_j (x - s_j/2)/σ²}, which rises in x.
type mixtureBase struct {
	chances   []float64 // sum 1; chances[0] is that of distance 0
	distances []float64 // distances[0] = 0; the others rise
	sigma     float64
	moves     float64 // 1 - chances[0]
}

// mostDistances bounds the different distances of a mixture.
const mostDistances = 1000

// addMixture adds a MixtureOfGaussians. Equal distances are joined. The sum of the chances may be
// off by 1e-12. What is missing goes to the largest distance, and what is too much leaves the
// smallest ones. Larger distances cost more.
func (c *collector) addMixture(e accounting.MixtureOfGaussians, rate, count float64) error {
	type part struct{ distance, chance float64 }
	parts := []part{{}}
	for j, w := range e.Chances {
		if w > 0 {
			parts = append(parts, part{e.Distances[j], w})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.distance, b.distance) })
	b := mixtureBase{sigma: e.NoiseMultiplier}
	sum := 0.0
	for _, p := range parts {
		if n := len(b.distances); n > 0 && b.distances[n-1] == p.distance {
			b.chances[n-1] += p.chance
		} else {
			b.chances, b.distances = append(b.chances, p.chance), append(b.distances, p.distance)
		}
		sum += p.chance
	}
	last := len(b.distances) - 1
	if last == 0 { // nothing moves
		return nil
	}
	if last > mostDistances {
		return fmt.Errorf("pld: %v: has %d different distances: must have at most %d on the grid", e, last, mostDistances)
	}
	for _, s := range b.distances[1:] {
		if err := check.Between(minNoise, 1/unit).With("on the grid").Of("pld: MixtureOfGaussians with noise multiplier over a distance", b.sigma/s); err != nil {
			return err
		}
	}
	b.chances[last] += math.Max(0, 1-sum)
	for j, excess := 0, sum-1; excess > 0 && j < last; j++ {
		taken := math.Min(excess, b.chances[j])
		b.chances[j] -= taken
		excess -= taken
	}
	for _, w := range b.chances[1:] {
		b.moves += w
	}
	return c.put(key{kind: -1 - len(c.mechanisms), rate: rate}, b, count)
}

func (mixtureBase) points() []outcome { return nil }

// line ends where each of the n laws has less than a share 1/n of the mass. A law whose chance is
// below that share may lie outside.
func (m mixtureBase) line(logTail float64) (lo, hi float64, ok bool) {
	share := logTail - numeric.Log(float64(len(m.distances)))
	lo, hi, ok = gaussianBase{m.sigma}.line(share)
	hi -= 1
	for j, s := range m.distances {
		if left := share - numeric.Log(m.chances[j]); j > 0 && left < 0 {
			_, far, _ := gaussianBase{m.sigma}.line(left)
			hi = math.Max(hi, s+far-1)
		}
	}
	return lo, hi, ok
}

func (mixtureBase) reach() float64 { return math.Inf(1) }

// exponent returns the logarithm of the density of N(s_j, σ²) over that of N(0, σ²).
func (m mixtureBase) exponent(j int, x float64) float64 {
	s := m.distances[j]
	return s / m.sigma * ((x - s/2) / m.sigma)
}

// moved returns log Σ_{j>=1} w_j e^{s_j (x-s_j/2)/σ²} and its derivative. It is convex.
func (m mixtureBase) moved(x float64) (value, slope float64) {
	top := math.Inf(-1)
	for j := 1; j < len(m.distances); j++ {
		if m.chances[j] > 0 {
			top = math.Max(top, m.exponent(j, x))
		}
	}
	sum, rest, weighted := 0.0, 0.0, 0.0
	for j := 1; j < len(m.distances); j++ {
		term := m.chances[j] * math.Exp(m.exponent(j, x)-top)
		next := sum + term
		if sum >= term { // what the addition lost
			rest += (sum - next) + term
		} else {
			rest += (term - next) + sum
		}
		sum, weighted = next, weighted+term*m.distances[j]
	}
	sum += rest
	return top + numeric.Log(sum), weighted / sum / (m.sigma * m.sigma)
}

func (m mixtureBase) loss(x float64) float64 {
	v, _ := m.moved(x)
	switch {
	case m.chances[0] == 0:
		return v // its exponential may underflow
	case v > 0:
		return v + math.Log1p(m.chances[0]*math.Exp(-v))
	}
	return numeric.Log(m.chances[0] + math.Exp(v))
}

// at returns the x with loss l, -Inf if all losses are larger. It solves moved(x) = log(e^l - w_0),
// by Newton's rule from above. As moved is at least each of its terms, the least root of a term is
// an upper bound. From there the steps of a convex function fall to the root.
func (m mixtureBase) at(l float64) float64 {
	target := l
	switch rest := math.Expm1(l); {
	case m.chances[0] == 0:
	case l > 30:
		target = l + math.Log1p(-m.chances[0]*math.Exp(-l))
	case rest > -0.5:
		target = numeric.Log(math.Max(0, rest+m.moves))
	default:
		target = numeric.Log(math.Max(0, math.Exp(l)-m.chances[0]))
	}
	if math.IsInf(target, 0) || math.IsNaN(target) {
		return target
	}
	x := math.Inf(1)
	for j := 1; j < len(m.distances); j++ {
		if s := m.distances[j]; m.chances[j] > 0 {
			x = math.Min(x, (target-numeric.Log(m.chances[j]))*m.sigma/s*m.sigma+s/2)
		}
	}
	for range 60 {
		v, slope := m.moved(x)
		step := (v - target) / slope
		if x -= step; !(math.Abs(step) > 2*unit*math.Abs(x) && math.Abs(v-target) > 4*unit*(1+math.Abs(target))) {
			return x
		}
	}
	above := func(x float64) bool { v, _ := m.moved(x); return v >= target }
	lo, hi := x, x
	for step := m.sigma; above(lo); step *= 2 {
		lo -= step
	}
	for step := m.sigma; !above(hi); step *= 2 {
		hi += step
	}
	for range 100 {
		if mid := lo + (hi-lo)/2; above(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// cells adds up the masses of the normal laws.
func (m mixtureBase) cells(edges []float64) []atom {
	out := make([]atom, len(edges)-1)
	tails := func(x float64) []tail {
		all := make([]tail, len(m.distances))
		for j, s := range m.distances {
			all[j] = tailAt((x - s) / m.sigma)
		}
		return all
	}
	before := tails(edges[0])
	for i := range out {
		after := tails(edges[i+1])
		var p, e, q, eq float64
		for j, w := range m.chances {
			mass, err := massBetween(before[j], after[j])
			p, e = p+w*mass, e+w*err
			if j == 0 {
				q, eq = mass, err
			}
		}
		p, ep := known(p, e+p*unit*float64(len(m.chances)))
		q, eq = known(q, eq)
		out[i], before = atom{p, q, math.Max(ep, eq)}, after
	}
	return out
}

// apart returns P(x > τ) - Q(x > τ) with τ where the loss is 0.
func (m mixtureBase) apart() (distance, tied float64) {
	tau := m.at(0)
	for j, s := range m.distances {
		distance += m.chances[j] * (math.Erf(tau/m.sigma/math.Sqrt2) + math.Erf((s-tau)/m.sigma/math.Sqrt2)) / 2
	}
	return distance, 0
}
