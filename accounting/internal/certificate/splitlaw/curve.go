package splitlaw

import (
	"iter"
	"math"
	"sort"

	"github.com/dplab/dplab/accounting/interval"
)

// Curve bounds δ of one program at any ε >= 0, in each direction. Package gridlaw composes its
// points with other laws.
//
// At c = e^ε let k be the first point with z_k >= c. Then E(Z-c)₊ is linear in c down to the point
// before:
//
//	E(Z-c)₊ = over_k + (z_k-c) M_k + infinite,   M_k = Σ_{j>=k} mass_j,
//	over_k  = over_{k+1} + (z_{k+1}-z_k) M_{k+1}.
//
// Likewise E(1-cZ)₊ = c (under_k + (1/c-z_k) N_k) + zero from the last point with z_k <= 1/c on,
// with the sums from below. All terms are positive, and are rounded up. All are times scale.
type Curve struct {
	law
	replaced        bool
	grid            Grid
	places          []I // ln z_k
	over, under     []float64
	atLeast, atMost []float64 // M and N
}

// CurveOf returns the curve of a program.
func CurveOf(p Program, g Grid) (Curve, error) {
	l, err := p.law(g)
	if err != nil {
		return Curve{}, err
	}
	c := l.curve()
	c.replaced, c.grid = p.Replaced, g
	return c, nil
}

func (l law) curve() Curve {
	n := len(l.mass)
	c := Curve{
		law: l, places: make([]I, n), over: make([]float64, n), under: make([]float64, n),
		atLeast: make([]float64, n), atMost: make([]float64, n),
	}
	for k := range c.places {
		c.places[k] = l.at(k)
	}
	apart := of(l.step).Expm1() // (z_{k+1}-z_k)/z_k
	for k := n - 1; k >= 0; k-- {
		c.atLeast[k] = l.mass[k]
		if k+1 < n {
			c.atLeast[k] = interval.Up(c.atLeast[k+1] + l.mass[k])
			c.over[k] = interval.Up(c.over[k+1] + of(weigh(c.atLeast[k+1], c.places[k])).Mul(apart).Hi)
		}
	}
	for k, m := range l.mass {
		c.atMost[k] = m
		if k > 0 {
			c.atMost[k] = interval.Up(c.atMost[k-1] + m)
			c.under[k] = interval.Up(c.under[k-1] + of(weigh(c.atMost[k-1], c.places[k-1])).Mul(apart).Hi)
		}
	}
	return c
}

// removed bounds E(Z-e^ε)₊. A point that may be above e^ε counts as above it, which adds nothing if
// it is not.
func (c Curve) removed(epsilon I) float64 {
	k := sort.Search(len(c.places), func(k int) bool { return c.places[k].Hi > epsilon.Lo })
	if k == len(c.places) {
		return c.infinite
	}
	share := epsilon.Sub(c.places[k]).Expm1().Neg().Positive() // (z_k-e^ε)/z_k
	rest := of(weigh(c.atLeast[k], c.places[k])).Mul(share)
	return of(c.over[k]).Add(rest).Add(of(c.infinite)).Hi
}

// added bounds E(1-e^ε Z)₊.
func (c Curve) added(epsilon I) float64 {
	k := sort.Search(len(c.places), func(k int) bool { return c.places[k].Lo >= -epsilon.Lo }) - 1
	if k < 0 {
		return c.zero
	}
	share := epsilon.Add(c.places[k]).Expm1().Neg().Positive() // 1-e^ε z_k
	rest := of(c.atMost[k]).Mul(share)
	return of(weigh(c.under[k], epsilon)).Add(rest).Add(of(c.zero)).Hi
}

// Points lists the points of the law by ln z, with bounds of their masses under P and under Q. The
// last two are those of P at ∞, and of Q at 0.
func (c Curve) Points() iter.Seq2[I, [2]float64] {
	return func(yield func(I, [2]float64) bool) {
		for k, m := range c.mass {
			if m != 0 && !yield(c.places[k], [2]float64{interval.Up(weigh(m, c.places[k]) / scale), interval.Up(m / scale)}) {
				return
			}
		}
		_ = yield(of(math.Inf(1)), [2]float64{interval.Up(c.infinite / scale), 0}) &&
			yield(of(math.Inf(-1)), [2]float64{0, interval.Up(c.zero / scale)})
	}
}

// Grid returns what the curve was made with.
func (c Curve) Grid() Grid { return c.grid }
