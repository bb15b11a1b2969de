package contour

import (
	"math"

	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// atoms is a finite pair of laws in place of some steps. The masses are Q without the example and Q
// e^l with it, at increasing losses l.
//
// It answers where the integral is wide: few large losses, tiny q, small T q. There δ comes from a
// few outputs whose losses span many decades. So the profile is composed directly, on a grid of
// losses that is equally fine in every decade.
//
// A cell of the grid [l_k, l_{k+1}) gathers the outputs whose loss is in it:
//
//	q = Σ Q,   v = Σ Q (e^{l-l_k}-1),
//
// both sums of positive terms. The cell's masses under the two laws are q and e^{l_k} (q+v). From
// these
//
//   - below: the cell becomes one atom, at l_k + log(1+v/q). Merging outputs is post-processing, so
//     δ does not rise in either direction;
//   - above: the cell becomes two atoms at its ends with the same two masses: v/(e^h-1) at l_{k+1}
//     and the rest at l_k. δ is the mean under Q of a convex function of e^l, (e^l-e^ε)_+ or
//     (1-e^{ε+l})_+. A chord lies above it (Jensen), so δ does not fall. The mass above the last
//     node goes to that node and to infinity (masses 0 and v e^l).
//
// Both are pairs again. If δ of a part does not rise (fall) at any ε, neither does δ of the
// composition. So steps are composed by doubling, and each turn gathers into cells.
//
// Rounding, a model: masses of one step have a relative error below 3e-12 (exponents of a few
// hundred, differences of normal tails), and sums of positive terms a smaller one. δ is a sum of
// products of masses with positive coefficients, so its relative error is below atomSlop T.
type atoms struct {
	above bool
	loss  []float64
	mass  []float64 // Q
	inf   float64   // mass of the law with the example at infinity
	zero  float64   // mass of the law without it that was dropped
}

// grid is the nodes of a composition. l_0 is the least possible loss.
type grid struct {
	nodes []float64
}

// newGrid returns nodes from lo < 0 to hi > 0. Their distance is eta√(scale²+l²).
func newGrid(lo, hi, scale float64, n int) grid {
	u0, u1 := math.Asinh(lo/scale), math.Asinh(hi/scale)
	nodes := make([]float64, n)
	for k := range nodes {
		nodes[k] = scale * math.Sinh(u0+(u1-u0)*float64(k)/float64(n-1))
	}
	nodes[0] = lo
	return grid{nodes}
}

// cells are the sums over the cells of a grid; the last is open above.
type cells struct {
	grid
	q, v []float64
	inf  float64
	zero float64
}

func (g grid) cells() cells {
	return cells{grid: g, q: make([]float64, len(g.nodes)), v: make([]float64, len(g.nodes))}
}

// atoms turns cells into atoms. Atoms with both masses below tiny are dropped; in a bound from
// above, their masses are kept in inf and zero.
func (c cells) atoms(above bool, tiny float64) atoms {
	out := atoms{above: above, inf: c.inf, zero: c.zero}
	n := len(c.nodes)
	put := func(l, q float64) {
		if p := q * math.Exp(l); math.Max(p, q) >= tiny {
			out.loss, out.mass = append(out.loss, l), append(out.mass, q)
		} else if above {
			out.inf, out.zero = out.inf+p, out.zero+q
		}
	}
	if !above {
		for k := range n {
			if c.q[k] > 0 {
				put(c.nodes[k]+math.Log1p(c.v[k]/c.q[k]), c.q[k])
			}
		}
		return out
	}
	carry := 0.0
	for k := range n {
		if k == n-1 {
			out.inf += c.v[k] * math.Exp(c.nodes[k])
			put(c.nodes[k], c.q[k]+carry)
			break
		}
		up := math.Max(0, math.Min(c.q[k], c.v[k]/math.Expm1(c.nodes[k+1]-c.nodes[k])))
		if q := c.q[k] - up + carry; q > 0 {
			put(c.nodes[k], q)
		}
		carry = up
	}
	return out
}

// stepCells returns the cells of one step. As e^{l(x)} - e^{l_k} = q (e^v - e^{v_k}),
//
//	v = r_k E_Q[(e^{v-v_k} - 1); cell],  r_k = q e^{v_k-l_k}.
//
// Narrow cells use Gauss-Legendre. Others use normal tails, r_k (e^{-v_k} G - Q), with G the mass
// of N(1, σ²) and Q that of N(0, σ²).
func (g grid) stepCells(f transform.Phase) cells {
	c := g.cells()
	s, n := f.Sigma, len(g.nodes)
	x := math.Inf(-1)
	for k := range n {
		next := math.Inf(1)
		if k < n-1 {
			next = s*s*math.Log1p(math.Expm1(g.nodes[k+1])/f.Q) + 0.5
		}
		v := (2*x - 1) / (2 * s * s)
		share := f.Q * math.Exp(v-g.nodes[k]) // r_k
		switch width := next - x; {
		case k == 0:
			c.q[k] = normalMass(x/s, next/s)
			c.v[k] = f.Q * math.Exp(-g.nodes[k]) * normalMass((x-1)/s, (next-1)/s)
		case width < s/2 && width < s*s:
			c.q[k], c.v[k] = narrowCell(x, width, s)
			c.v[k] *= share
		default:
			c.q[k] = normalMass(x/s, next/s)
			c.v[k] = share * math.Max(0, math.Exp(-v)*normalMass((x-1)/s, (next-1)/s)-c.q[k])
		}
		x = next
	}
	return c
}

// narrowCell integrates from lo on: the density of N(0, s²), and that density times e^{(x-lo)/s²} -
// 1.
func narrowCell(lo, width, s float64) (mass, excess float64) {
	for i, node := range numeric.LegendreX {
		for _, t := range [...]float64{width / 2 * (1 - node), width / 2 * (1 + node)} {
			z := (lo + t) / s
			m := numeric.LegendreW[i] * math.Exp(-z*z/2)
			mass += m
			excess += m * math.Expm1(t/(s*s))
		}
	}
	scale := width / 2 / s / transform.Sqrt2Pi
	return mass * scale, excess * scale
}

// normalMass returns Φ(b)-Φ(a), computed from the nearer tail.
func normalMass(a, b float64) float64 {
	if a > 0 {
		a, b = -b, -a
	}
	return numeric.NormalCDF(b) - numeric.NormalCDF(a)
}

// compose gathers the sums of losses of a and b in the cells of g.
func (g grid) compose(a, b atoms) cells {
	c := g.cells()
	c.inf, c.zero = a.inf+b.inf, a.zero+b.zero
	from := 0 // cell of the first sum, which rises with i
	for i, la := range a.loss {
		if len(b.loss) == 0 {
			break
		}
		from = g.cellOf(la+b.loss[0], from)
		c.row(la, a.mass[i], b.loss, b.mass, from)
	}
	return c
}

// square is compose(a, a): each pair once, with twice its mass.
func (g grid) square(a atoms) cells {
	c := g.cells()
	c.inf, c.zero = 2*a.inf, 2*a.zero
	from := 0
	for i, la := range a.loss {
		from = g.cellOf(2*la, from)
		c.row(la, a.mass[i], a.loss[i:i+1], a.mass[i:i+1], from)
		c.row(la, 2*a.mass[i], a.loss[i+1:], a.mass[i+1:], from)
	}
	return c
}

// cellOf returns the cell of l. The search starts at the cell from; l must not be below it.
func (g grid) cellOf(l float64, from int) int {
	for from < len(g.nodes)-1 && l >= g.nodes[from+1] {
		from++
	}
	return from
}

// row adds the sums of the loss l and each of the increasing losses of loss.
func (c cells) row(l, q float64, loss, mass []float64, k int) {
	node, next := c.nodes[k], math.Inf(1)
	if k+1 < len(c.nodes) {
		next = c.nodes[k+1]
	}
	var sq, sv float64
	for j, lb := range loss {
		lb += l
		if lb >= next {
			c.q[k] += sq
			c.v[k] += sv
			sq, sv = 0, 0
			k = c.cellOf(lb, k)
			node, next = c.nodes[k], math.Inf(1)
			if k+1 < len(c.nodes) {
				next = c.nodes[k+1]
			}
		}
		m, d := q*mass[j], lb-node
		sq += m
		if d < 0.02 {
			sv += m * d * (1 + d*(1./2+d*(1./6+d*(1./24+d*(1./120+d*(1./720+d*(1./5040)))))))
		} else {
			sv += m * math.Expm1(d)
		}
	}
	c.q[k] += sq
	c.v[k] += sv
}

// logDelta returns log δ(ε), raised by slop for a bound from above and lowered for one from below.
func (a atoms) logDelta(dir transform.Direction, epsilon, slop float64) float64 {
	sum := 0.0
	switch {
	case a.above && dir == transform.Remove:
		sum = a.inf
	case a.above:
		sum = a.zero
	}
	for j, l := range a.loss {
		switch {
		case dir == transform.Remove && l > epsilon:
			sum += a.mass[j] * math.Exp(epsilon) * math.Expm1(l-epsilon)
		case dir == transform.Add && l < -epsilon:
			sum -= a.mass[j] * math.Expm1(l+epsilon)
		}
	}
	if a.above {
		return numeric.Log(sum) + slop
	}
	return numeric.Log(sum) - slop
}
