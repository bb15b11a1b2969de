package pld

import (
	"math"

	"github.com/dplab/dplab/accounting/pld/internal/lossgrid"
)

// pmf is a law on the grid that is being made.
type pmf struct{ lossgrid.Law }

func (d *pmf) at(k int) *float64 { return &d.P[k-d.First] }

func newPMF(cells []cell) pmf {
	lo, hi := floorHalf(cells[0].j)-1, floorHalf(cells[len(cells)-1].j)+2
	return pmf{lossgrid.Law{First: lo, P: make([]float64, hi-lo+1)}}
}

// floorHalf returns floor(j/2).
func floorHalf(j int) int { return j >> 1 }

// pessimistic spreads each cell to the two ends of its grid interval [k, k+1] h, and both laws keep
// their masses. The result dominates the mechanism.
//
// Proof. δ(ε) = E_P (1 - e^ε R)_+ with R = dQ/dP = e^{-L}, a convex function of R. The spread
// replaces R by a random value of mean R, so δ grows at every ε (Jensen). Composition keeps the
// order: for a second, independent mechanism the same holds conditionally on its loss. (This is the
// "connect the dots" rule of Doroshenko et al. 2022, arXiv:2207.04380v1: its profile joins the true
// one linearly in e^ε.)
//
// With ρ = q e^{kh}/p in [e^{-h}, 1] the upper end gets the fraction (1-ρ)/(1-e^{-h}). The true
// masses are in p (1±eta) and q (1±eta). So p is raised to p (1+eta), and ρ, in which both err, is
// lowered to ρ (1-eta)/(1+eta): neither the mass nor the fraction is below the true one. The cell
// of the upper tail goes to infinity, that of the lower tail to its upper end.
func pessimistic(cells []cell, infinite, h float64) lossgrid.Law {
	out := newPMF(cells)
	out.Infinite = infinite
	scale := -math.Expm1(-h)
	halfUp := math.Exp(-h / 2)
	for _, c := range cells {
		p, k := c.p*(1+c.eta), floorHalf(c.j)
		switch {
		case c.over:
			out.Infinite += p
		case c.under:
			*out.at(k + 1) += p
		case c.point:
			*out.at(k) += p
		default:
			rho := c.s * math.Max(0, 1-c.eta) / (1 + c.eta)
			if c.vague {
				rho = halfUp
			}
			if c.j != 2*k {
				rho *= halfUp
			}
			up := math.Min(1, math.Max(0, (1-rho)/scale))
			*out.at(k) += p * (1 - up)
			*out.at(k + 1) += p * up
		}
	}
	return out.Law
}

// optimistic merges cells, or fractions of cells, into atoms whose losses lie on the grid. The
// mechanism dominates the result.
//
// Proof. Merging outcomes is post-processing. If an atom does not reach the grid, its second law's
// mass is raised until it does, which lowers Σ(p - e^ε q)_+. Products keep that order.
//
// Grid point g takes all mass left below it, which has a deficit Σ(q e^{gh} - p). Then it takes
// mass from above in ascending order until the excesses Σ(p - q e^{gh}) balance the deficit. In
// smooth parts each grid point ends up with the cells around it, and the variance of the loss falls
// by h²/12 a run.
//
// Relative errors eta: p is lowered to p (1-eta) and q raised to q (1+eta), which raises q/p by
// (1+eta)/(1-eta). A cell with eta >= 1 may have no mass and is left out.
func optimistic(cells []cell, infinite, h float64) lossgrid.Law {
	out := newPMF(cells)
	out.Infinite = certain(infinite)
	last := out.First + len(out.P) - 1
	i, left := 0, 1.0 // left is the remaining fraction of cells[i]
	for g := floorHalf(cells[0].j) + 1 - b2i(cells[0].point); g <= last && i < len(cells); g++ {
		mass, deficit := 0.0, 0.0
		for i < len(cells) {
			c := cells[i]
			p := c.p * (1 - c.eta) * left
			if !(p > 0) {
				i, left = i+1, 1
				continue
			}
			if c.point && c.j == 2*g { // on the grid already
				*out.at(g) += p
				i, left = i+1, 1
				continue
			}
			excess := p * c.excess(g, h)
			below := c.j+1-b2i(c.point) <= 2*g
			if !below && excess > deficit {
				if deficit > 0 {
					fraction := deficit / excess
					mass += p * fraction
					left *= 1 - fraction
					deficit = 0
				}
				break
			}
			if !below && deficit <= 0 && excess >= 0 {
				break
			}
			mass += p
			deficit -= excess
			i, left = i+1, 1
		}
		place(&out, g, mass, deficit, h)
	}
	return out.Law
}

// certain returns a lower bound of an infinite mass that was rounded. It is 0 if the mass has lost
// its digits.
func certain(infinite float64) float64 {
	if infinite < leastMass {
		return 0
	}
	return infinite * (1 - 4*unit)
}

// roundedDown lowers each cell separately to the grid point below it. The mechanism dominates the
// result, as losses fall.
func roundedDown(cells []cell, infinite float64) lossgrid.Law {
	out := newPMF(cells)
	out.Infinite = certain(infinite)
	for _, c := range cells {
		if p := c.p * (1 - c.eta); p > 0 && !c.under {
			*out.at(floorHalf(c.j)) += p
		}
	}
	return out.Law
}

// lower returns the lower law of a mechanism. Points that lie more than a step apart, and are
// released once, lose less by rounding than by merging. For a merged atom takes mass from the next
// one above, and on a steep law that one has little to give.
func (f mechanism) lower(cells []cell, infinite, h float64) lossgrid.Law {
	if b, ok := f.base.(profileBase); ok && b.exact {
		infinite = 0 // what the cells leave out
	}
	if f.count == 1 && f.base.reach() == 0 && apart(cells) {
		return roundedDown(cells, infinite)
	}
	return optimistic(cells, infinite, h)
}

// apart reports whether cells have more than a step between them.
func apart(cells []cell) bool {
	for i := 1; i < len(cells); i++ {
		if !cells[i-1].under && !cells[i].over && cells[i].j-cells[i-1].j < 3 {
			return false
		}
	}
	return true
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// excess returns an upper bound of (p - q e^{gh}) / p. A vague s counts as 1.
func (c cell) excess(g int, h float64) float64 {
	return 1 - c.s*(1+c.eta)/(1-c.eta)*math.Exp(float64(2*g-c.j)*h/2)
}

// place puts mass on grid point g, or on the next grid point below its loss if a deficit is left.
func place(out *pmf, g int, mass, deficit, h float64) {
	if !(mass > 0) {
		return
	}
	if deficit > 0 {
		g -= int(math.Ceil(math.Min(math.Log1p(deficit/mass)/h, 1e9)))
	}
	if g >= out.First {
		*out.at(g) += mass
	}
}
