package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dplab/dplab/audit/internal/tails"
)

// Second methods for the rank tests: sums over a fine partition instead of quadrature, and
// simulation under the least favorable pair instead of both.

// oneTailBracket sums p over cells of V with the integrand, which grows in v, at either end of each cell:
// the two sums enclose p without any smoothness.
func oneTailBracket(g Curve, n1, n0, k, hits, cells int) (lower, upper float64) {
	const lo, hi = -25, 0 // ln v
	before, _ := tails.Beta(math.Exp(lo), float64(k+1), float64(n0-k))
	value := tails.BinomialUpper(hits, n1, g.TPR(math.Exp(lo)))
	upper = before * value
	for i := 1; i <= cells; i++ {
		v := math.Exp(lo + (hi-lo)*float64(i)/float64(cells))
		upTo, _ := tails.Beta(v, float64(k+1), float64(n0-k))
		next := tails.BinomialUpper(hits, n1, g.TPR(v))
		lower += (upTo - before) * value
		upper += (upTo - before) * next
		before, value = upTo, next
	}
	return lower, upper
}

func TestOneTailPAgainstBrackets(t *testing.T) {
	profile := must(NewProfile("two", []EpsilonDelta{{0.5, 0.1}, {2, 1e-3}}))
	for i, g := range []Curve{EpsilonDelta{0, 0}, EpsilonDelta{1, 0.01}, EpsilonDelta{3, 1e-5}, GDP{0.7}, GDP{2}, profile} {
		for j, c := range []struct{ n1, n0, k, hits int }{{50, 40, 3, 20}, {50, 40, 0, 50}, {300, 500, 10, 40}, {10, 10, 9, 10}, {7, 30, 0, 1}} {
			if testing.Short() && (i+j)%3 != 0 {
				continue
			}
			p := oneTailP(g, c.n1, c.n0, c.k, c.hits)
			lower, upper := oneTailBracket(g, c.n1, c.n0, c.k, c.hits, 20000)
			if p < lower-1e-12 || p > upper+2e-7 {
				t.Errorf("%v %+v: p = %.9g, want in [%.9g, %.9g] (monotone sums over 20,000 cells)", g, c, p, lower, upper)
			}
		}
	}
}

// hoeffdingChance is P[Bin(M, X/M) >= sum] of twoTailHoeffding's comment.
func hoeffdingChance(sum, m1 int, a float64, m0 int, b float64) float64 {
	mean := float64(m1)*a + float64(m0)*b
	if float64(sum-1) < mean {
		return 1
	}
	return tails.BinomialUpper(sum, m1+m0, mean/float64(m1+m0))
}

// convolvedChance is P[Bin(m1, a) + Bin(m0, b) >= sum], term by term.
func convolvedChance(sum, m1 int, a float64, m0 int, b float64) (p float64) {
	for i := range m1 + 1 {
		p += tails.BinomialPMF(i, m1, math.Min(1, a)) * tails.BinomialUpper(sum-i, m0, math.Min(1, b))
	}
	return p
}

// twoTailBracket does the same on a grid of (V, U), for either chance of the sum.
func twoTailBracket(g Curve, n1, n0, k, sum, cells int, chance func(sum, m1 int, a float64, m0 int, b float64) float64) (lower, upper float64) {
	integrand := func(v, u float64) float64 {
		if v >= 1 || u >= 1 || g.TPR(v) >= 1-u {
			return 1
		}
		return chance(sum, n1-k-1, g.TPR(v)/(1-u), n0-k-1, g.TPR(u)/(1-v))
	}
	grid := func(n int) (x, mass []float64) {
		before := 0.0
		x = append(x, 0)
		for i := range cells {
			// from 1e-4 of the mean on, evenly in the logarithm
			v := math.Pow(1e-4*float64(k+1)/float64(n), 1-float64(i+1)/float64(cells))
			upTo, _ := tails.Beta(v, float64(k+1), float64(n-k))
			x, mass = append(x, v), append(mass, upTo-before)
			before = upTo
		}
		return x, mass
	}
	vs, vMass := grid(n0)
	us, uMass := grid(n1)
	values := make([][]float64, len(vs))
	for i, v := range vs {
		values[i] = make([]float64, len(us))
		for j, u := range us {
			values[i][j] = integrand(v, u)
		}
	}
	for i := range vMass {
		for j := range uMass {
			lower += vMass[i] * uMass[j] * values[i][j]
			upper += vMass[i] * uMass[j] * values[i+1][j+1]
		}
	}
	return lower, upper
}

func TestTwoTailPAgainstBrackets(t *testing.T) {
	profile := must(NewProfile("two", []EpsilonDelta{{0.5, 0.1}, {2, 1e-3}}))
	for i, g := range []Curve{EpsilonDelta{0, 0}, EpsilonDelta{1, 0.01}, EpsilonDelta{3, 1e-5}, GDP{0.7}, profile} {
		for j, c := range []struct{ n1, n0, k, sum int }{{50, 40, 3, 40}, {50, 40, 0, 90}, {300, 500, 5, 60}, {12, 10, 2, 15}, {20, 20, 0, 30}, {20, 20, 1, 36}} {
			if testing.Short() && (i+j)%5 != 0 || i == 2 {
				continue
			}
			p := twoTailHoeffding(g, c.n1, c.n0, c.k, c.sum)
			lower, upper := twoTailBracket(g, c.n1, c.n0, c.k, c.sum, 300, hoeffdingChance)
			if p < lower-1e-9 || p > upper+1e-6 {
				t.Errorf("%v %+v: Hoeffding's p = %.7g, want in [%.7g, %.7g] (monotone sums over 300² cells)", g, c, p, lower, upper)
			}
			if !convolves(c.n1, c.n0, c.k, c.sum) || c.n1 > 50 {
				continue
			}
			exact := twoTailExact(g, c.n1, c.n0, c.k, c.sum, math.Max(1e-9, p))
			lower, upper = twoTailBracket(g, c.n1, c.n0, c.k, c.sum, 100, convolvedChance)
			if exact < lower-1e-9 || exact > upper+1e-4*p+1e-9 || exact > 1.0001*p+1e-9 {
				t.Errorf("%v %+v: p = %.7g, want in [%.7g, %.7g] (monotone sums over 100² cells), and at most Hoeffding's %.7g", g, c, exact, lower, upper, p)
			}
		}
	}
}

// The simulated law of the two-tail statistic under the least favorable pair has our p-value, up to 5.6 standard errors
// (false-failure chance 2e-8 each).
func TestTwoTailPAgainstSimulation(t *testing.T) {
	audits := 20000
	if testing.Short() {
		audits = 4000
	}
	for _, c := range []struct {
		g            Curve
		n1, n0, k, s int
	}{{EpsilonDelta{2, 1e-5}, 100, 100, 2, 78}, {EpsilonDelta{2, 1e-5}, 100, 200, 1, 30}, {GDP{1}, 60, 80, 3, 45}} {
		rng := rand.New(rand.NewPCG(5, 6))
		count := 0
		for range audits {
			if drawnHits(rng, c.g, c.n1, c.n0, c.k) >= c.s {
				count++
			}
		}
		simulated := float64(count) / float64(audits)
		p := twoTailExact(c.g, c.n1, c.n0, c.k, c.s, 0.05)
		if noise := 5.6 * math.Sqrt(p*(1-p)/float64(audits)); math.Abs(simulated-p) > noise {
			t.Errorf("%v %+v: p = %g, simulated %g", c.g, c, p, simulated)
		}
	}
}

// The bound is where the exact p meets the significance, from below, and not under the one by Hoeffding.
func TestTwoTailBoundIsTheRoot(t *testing.T) {
	for _, c := range []struct{ n1, n0, k, sum int }{{50, 50, 2, 28}, {200, 150, 2, 40}, {10, 10, 2, 12}, {12, 12, 0, 24}, {40, 40, 2, 4}} {
		bound := epsilonFamily(1e-5).twoTailBound(c.n1, c.n0, c.k, c.sum, 0.05)
		byHoeffding := epsilonFamily(1e-5).lowerBound(func(g Curve) float64 { return twoTailHoeffding(g, c.n1, c.n0, c.k, c.sum) }, 0.05)
		p, above := twoTailP(EpsilonDelta{bound, 1e-5}, c.n1, c.n0, c.k, c.sum), twoTailP(EpsilonDelta{bound + 1e-4, 1e-5}, c.n1, c.n0, c.k, c.sum)
		t.Logf("%+v: ε >= %.4f, %.4f by Hoeffding", c, bound, byHoeffding)
		if bound < byHoeffding || above <= 0.05 || bound > 0 && p > 0.05+1e-5 {
			t.Errorf("%+v: ε >= %g (%g by Hoeffding), p there %g, and just above %g: want at most 0.05, and more", c, bound, byHoeffding, p, above)
		}
	}
}

// drawnHits draws an audit of the claim's least favorable pair, u uniform for non-members and G^-1(uniform) for members, and counts
// the hits in both tails: a small u ranks high, members first.
func drawnHits(rng *rand.Rand, g Curve, n1, n0, k int) (hits int) {
	member, nonMember := make([]float64, n1), make([]float64, n0)
	for i := range member {
		member[i] = g.FPR(rng.Float64())
	}
	for i := range nonMember {
		nonMember[i] = rng.Float64()
	}
	slices.Sort(member)
	slices.Sort(nonMember)
	top, bottom := nonMember[k], member[n1-1-k]
	for _, u := range member {
		if u <= top {
			hits++
		}
	}
	for _, u := range nonMember {
		if u > bottom {
			hits++
		}
	}
	return hits
}
