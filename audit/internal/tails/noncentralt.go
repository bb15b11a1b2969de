package tails

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/numeric"
)

// NoncentralT is the law of (Z + d)/X, X = √(V/ν), V chi-squared of ν degrees.
type NoncentralT struct {
	degrees float64
	bulk    []float64 // where panels of two deviations of X begin and end
}

// NewNoncentralT returns the law of so many degrees of freedom.
func NewNoncentralT(degrees float64) NoncentralT {
	return NoncentralT{degrees, scaled(nil, 1, 1/math.Sqrt(2*degrees))}
}

// scaled appends where panels begin and end: every two deviations up to 16 on both sides of a
// center, as far as they are above 0.
func scaled(ends []float64, center, deviation float64) []float64 {
	for k := -16.0; k <= 16; k += 2 {
		ends = append(ends, math.Max(0, center+k*deviation))
	}
	return ends
}

// AtLeast returns P[T >= x] = E Φ(d - xX) plus the estimate of the error of its quadrature. X has
// deviations of 1/√(2ν) about 1, and Φ falls at d/x within 1/x. Panels of both widths there leave
// out less than 1e-30, and have a smooth product on each.
func (t NoncentralT) AtLeast(x, d float64) float64 {
	ends := append(slices.Clone(t.bulk), 0)
	if x != 0 {
		ends = scaled(ends, d/x, 1/math.Abs(x))
	}
	slices.Sort(ends)
	most := slices.Max(t.bulk)
	var nodes []Node
	for i := 1; i < len(ends) && ends[i] <= most; i++ {
		if ends[i] > ends[i-1] {
			nodes = Rule(nodes, ends[i-1], ends[i])
		}
	}
	var all, kronrod, gauss float64
	for _, n := range nodes {
		density := t.density(n.X)
		p := density * numeric.NormalCDF(d-x*n.X)
		all, kronrod, gauss = all+n.Kronrod*density, kronrod+n.Kronrod*p, gauss+n.Gauss*p
	}
	return (kronrod + math.Abs(kronrod-gauss)) / all
}

// density is that of X at u, up to a factor: u^(ν-1) exp(-ν (u²-1)/2).
func (t NoncentralT) density(u float64) float64 {
	return math.Exp((t.degrees-1)*numeric.Log(u) - t.degrees*(u-1)*(u+1)/2)
}

// Refuted returns the largest d in [0, limit] with P[T >= x] <= significance, or 0.
func (t NoncentralT) Refuted(x, significance, limit float64) float64 {
	d, _ := LastBelowFrom(func(d float64) float64 { return t.AtLeast(x, d) }, significance, 0, 1, limit, 1e-9)
	return d
}
