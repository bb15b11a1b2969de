package splitlaw

import (
	"sort"

	"github.com/dplab/dplab/accounting/interval"
)

// Curve bounds δ of one program at any real ε, in each direction. Package gridlaw asks it at
// thousands of ε.
//
// At c = e^ε let k be the first point with z_k >= c. Then E(Z-c)₊ is linear in c down to the point
// before:
//
//	E(Z-c)₊ = over_k + (z_k-c) M_k + infinite,   M_k = Σ_{j>=k} mass_j,
//	over_k  = over_{k+1} + (z_{k+1}-z_k) M_{k+1}.
//
// Likewise E(1-cZ)₊ = c (under_k + (1/c-z_k) N_k) + zero from the last point with z_k <= 1/c on,
// with the sums from below. All terms are positive, and are rounded up.
type Curve struct {
	places            []I
	over, under       []float64
	atLeast, atMost   []float64 // M and N
	infinite, without float64
}

// CurveOf returns the curve of a program.
func CurveOf(p Program, g Grid) (Curve, error) {
	l, err := p.law(g)
	if err != nil {
		return Curve{}, err
	}
	return l.curve(), nil
}

func (l law) curve() Curve {
	n := len(l.mass)
	c := Curve{
		places: make([]I, n), over: make([]float64, n), under: make([]float64, n),
		atLeast: make([]float64, n), atMost: make([]float64, n), infinite: l.infinite, without: l.zero,
	}
	for k := range c.places {
		c.places[k] = l.at(k)
	}
	apart := of(l.step).Expm1() // (z_{k+1}-z_k)/z_k
	for k := n - 1; k >= 0; k-- {
		c.atLeast[k] = l.mass[k]
		if k+1 < n {
			c.atLeast[k] = interval.Up(c.atLeast[k+1] + l.mass[k])
			c.over[k] = interval.Up(c.over[k+1] + c.places[k].Mul(apart).Mul(of(c.atLeast[k+1])).Hi)
		}
	}
	for k, m := range l.mass {
		c.atMost[k] = m
		if k > 0 {
			c.atMost[k] = interval.Up(c.atMost[k-1] + m)
			c.under[k] = interval.Up(c.under[k-1] + c.places[k-1].Mul(apart).Mul(of(c.atMost[k-1])).Hi)
		}
	}
	return c
}

// At bounds E(Z-e^ε)₊, or E(1-e^ε Z)₊ if added. It is at most 1, and 1 if nothing is known.
func (c Curve) At(epsilon I, added bool) float64 {
	d, x := 1.0, epsilon.Exp()
	if !(x.Lo <= x.Hi) || len(c.places) == 0 {
		return 1
	}
	if added {
		d = c.added(x)
	} else {
		d = c.removed(x)
	}
	if d <= 1 {
		return d
	}
	return 1 // also for NaN
}

// removed bounds E(Z-x)₊. A point that may be above x counts as above it, which adds nothing if it
// is not.
func (c Curve) removed(x I) float64 {
	k := sort.Search(len(c.places), func(k int) bool { return c.places[k].Hi > x.Lo })
	if k == len(c.places) {
		return c.infinite
	}
	rest := c.places[k].Sub(x).Positive().Mul(of(c.atLeast[k]))
	return of(c.over[k]).Add(rest).Add(of(c.infinite)).Hi
}

// added bounds E(1-xZ)₊.
func (c Curve) added(x I) float64 {
	turned := one.Div(x)
	k := sort.Search(len(c.places), func(k int) bool { return c.places[k].Lo >= turned.Hi }) - 1
	if k < 0 {
		return c.without
	}
	rest := turned.Sub(c.places[k]).Positive().Mul(of(c.atMost[k]))
	return x.Mul(of(c.under[k]).Add(rest)).Add(of(c.without)).Hi
}
