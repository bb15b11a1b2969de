package splitlaw

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// This file compares with exact sums over all outcomes, in numbers of 400 bits. A bound must not be
// below them at all, so masses that are rounded to nearest are found.

func precise(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }

func plus(x, y *big.Float) *big.Float  { return new(big.Float).SetPrec(400).Add(x, y) }
func minus(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(400).Sub(x, y) }
func times(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(400).Mul(x, y) }

// exponential returns e^x to 340 bits: by its series at x/2^40, squared 40 times.
func exponential(x *big.Float) *big.Float {
	y := times(x, precise(0x1p-40))
	sum, term := precise(1), precise(1)
	for i := 1; i < 20; i++ {
		term = new(big.Float).SetPrec(400).Quo(times(term, y), precise(float64(i)))
		sum = plus(sum, term)
	}
	for range 40 {
		sum = times(sum, sum)
	}
	return sum
}

// atoms is a law with numbers that are not rounded: Z with masses under Q, and P's mass at ∞.
type atoms struct {
	z, mass  []*big.Float
	infinite *big.Float
}

// exactly lists the points of a law, whose shift is the logarithm of base.
func (l law) exactly(base *big.Float) atoms {
	a := atoms{[]*big.Float{precise(0)}, []*big.Float{precise(l.zero / scale)}, precise(l.infinite / scale)}
	next := exponential(precise(l.step))
	z := times(base, exponential(times(precise(l.step), precise(float64(l.first)))))
	for _, m := range l.mass {
		a.z, a.mass = append(a.z, z), append(a.mass, precise(m/scale))
		z = times(z, next)
	}
	return a
}

// of returns the law of f of two independent values, without a mass at ∞.
func (a atoms) of(b atoms, f func(x, y *big.Float) *big.Float) (out atoms) {
	out.infinite = precise(0)
	for i, x := range a.z {
		for j, y := range b.z {
			out.z, out.mass = append(out.z, f(x, y)), append(out.mass, times(a.mass[i], b.mass[j]))
		}
	}
	return out
}

// sum returns E (slope Z + level)₊, with P's mass at ∞.
func (a atoms) sum(slope, level *big.Float) *big.Float {
	sum := precise(0)
	for i, z := range a.z {
		if v := plus(times(slope, z), level); v.Sign() > 0 {
			sum = plus(sum, times(v, a.mass[i]))
		}
	}
	if slope.Sign() > 0 {
		sum = plus(sum, times(slope, a.infinite))
	}
	return sum
}

// holds checks that got is at least want, and at most above it by the share and the slack. The
// exact sums themselves err by less than 2^-200.
func holds(t *testing.T, name string, got, want *big.Float, share, slack float64) {
	t.Helper()
	most := plus(times(want, precise(1+share)), precise(slack))
	if got.Cmp(times(want, minus(precise(1), precise(0x1p-200)))) < 0 || !math.IsInf(slack, 1) && got.Cmp(most) > 0 {
		t.Errorf("%s: %.25g, want %.25g or up to %g and %g of it above", name, got, want, slack, share)
	}
}

// above checks masses, means, and δ in both directions. Splits raise δ by at most the slack.
func above(t *testing.T, name string, got, want atoms, slack float64) {
	t.Helper()
	const rounded = 1e-9 // shares have intervals
	holds(t, name+", mass", got.sum(precise(0), precise(1)), want.sum(precise(0), precise(1)), rounded, 1e-7)
	holds(t, name+", mean", got.sum(precise(1), precise(0)), want.sum(precise(1), precise(0)), rounded, 0)
	for _, epsilon := range []float64{-1, -0.3, 0, 0.2, 0.7, 1.5} {
		c := exponential(precise(epsilon))
		holds(t, name+", remove", got.sum(precise(1), minus(precise(0), c)), want.sum(precise(1), minus(precise(0), c)), rounded, slack)
		holds(t, name+", add", got.sum(minus(precise(0), c), precise(1)), want.sum(minus(precise(0), c), precise(1)), rounded, slack+1e-7)
	}
}

// onGrid draws a law of n points on a grid, with a little mass at 0 and ∞.
func onGrid(rng *rand.Rand, step float64, n int) law {
	l := law{step: step, first: -n/2 - rng.IntN(4), mass: make([]float64, n)}
	for k := range l.mass {
		l.mass[k] = rng.Float64() / float64(n) * scale
	}
	l.zero, l.infinite = 1e-4*rng.Float64()*scale, 1e-4*rng.Float64()*scale
	return l
}

// TestExactly compares each operation with all its outcomes. The masses at ∞ are those of the
// proofs: of an average, u of a's and 1-u of b's; of a product, a's and b's times a's mean.
func TestExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 34))
	plain := precise(1)
	for range 12 {
		step := math.Exp(-1 - 2*rng.Float64())
		a, b := onGrid(rng, step, 4+rng.IntN(8)), onGrid(rng, step, 4+rng.IntN(8))
		exactA, exactB := a.exactly(plain), b.exactly(plain)
		coarse := step * step

		want := exactA.of(exactB, times)
		mean := minus(exactA.sum(precise(1), precise(0)), exactA.infinite)
		want.infinite = plus(exactA.infinite, times(mean, exactB.infinite))
		above(t, "product", product(a, b).exactly(plain), want, 0)

		m, n := 1+rng.IntN(4), 1+rng.IntN(4)
		u := new(big.Float).SetPrec(400).Quo(precise(float64(m)), precise(float64(m+n)))
		rest := minus(precise(1), u)
		want = exactA.of(exactB, func(x, y *big.Float) *big.Float { return plus(times(u, x), times(rest, y)) })
		totalA := exactA.sum(precise(0), precise(1))
		want.infinite = plus(times(u, exactA.infinite), times(times(totalA, rest), exactB.infinite))
		above(t, "average", average(a, b, m, n, 1).exactly(plain), want, coarse)
		above(t, "finer average", average(a, b, m, n, 2).exactly(plain), want, coarse)

		above(t, "coarser", a.coarser().exactly(plain), exactA, 4*coarse)
		above(t, "trimmed", a.trimmed(tenth).exactly(plain), exactA, math.Inf(1))

		w := 0.05 + 0.9*rng.Float64()
		mixed, err := a.mixed(w, 400)
		if err != nil {
			t.Fatal(err)
		}
		base := minus(precise(1), precise(w))
		want = exactA.of(atoms{z: []*big.Float{plain}, mass: []*big.Float{plain}}, func(x, _ *big.Float) *big.Float { return plus(base, times(precise(w), x)) })
		want.infinite = times(precise(w), exactA.infinite)
		above(t, "mixed", mixed.exactly(base), want, 1e-3)
	}
}

// TestExactProducts compares the masses of products, which are not split, with their sums of
// products.
func TestExactProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 34))
	for _, n := range []int{3, 30, 100} {
		a, b := onGrid(rng, 0.1, n), onGrid(rng, 0.1, n)
		for _, second := range []law{a, b} {
			got := product(a, second)
			for k := range got.mass {
				want := precise(0)
				for i := max(0, k-n+1); i <= min(k, n-1); i++ {
					want = plus(want, times(precise(a.mass[i]/scale), precise(second.mass[k-i]/scale)))
				}
				holds(t, "mass of a product", precise(got.mass[k]/scale), want, 1e-13, 0)
			}
		}
	}
}

// TestExactPowers compares powers, whose points stay on the grid, with the outcomes of all factors.
func TestExactPowers(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 34))
	plain := precise(1)
	for count := 1; count <= 7; count++ {
		a := onGrid(rng, 0.2, 3)
		a.zero, a.infinite = 0, 0
		want := a.exactly(plain)
		for range count - 1 {
			want = want.of(a.exactly(plain), times)
		}
		m := maker{cells: 1 << 12, logTau: -300}
		above(t, "power", m.power(a, count).exactly(plain), want, 0)
	}
}

// TestExactCurve compares curves with sums over the points.
func TestExactCurve(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 34))
	for range 10 {
		l := onGrid(rng, math.Exp(-1-2*rng.Float64()), 4+rng.IntN(20))
		a, c := l.exactly(precise(1)), l.curve()
		for epsilon := -2.0; epsilon < 2; epsilon += 0.19 {
			at := exponential(precise(epsilon))
			for _, added := range []bool{false, true} {
				want := a.sum(precise(1), minus(precise(0), at))
				if added {
					want = a.sum(minus(precise(0), at), precise(1))
				}
				if got := c.At(of(epsilon), added); got < 1 {
					holds(t, "curve", precise(got), want, 1e-9, 1e-15)
				}
			}
		}
	}
}
