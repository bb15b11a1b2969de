package transform

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/numeric"
)

// aliasing bounds the error of the midpoint sum's step, relative to e^logA.
//
// Let g(t) = M(z) e^{-zε}/(z(z+1)), z = c+it. M(z)/(z(z+1)) is the Fourier transform of δ(e) e^{ce}
// over all real e. So Poisson's formula at the points t_j = (j+1/2) h, Ω = 2π/h, is an identity:
//
//	(h/2π) Σ_{j in Z} g(t_j) = Σ_{k in Z} (-1)^k e^{kcΩ} δ(ε+kΩ).
//
// The term k = 0 is wanted. Chernoff's bound is δ(e) <= e^{Λ(a) - ae}, Λ = log κ + K. It takes any
// a > c for k > 0, and any 0 <= a' < c for k < 0; a' = 0 means δ <= 1. Geometric sums give
//
//	|error| <= e^{Λ(a)-aε}/(e^{(a-c)Ω}-1) + e^{Λ(a')-a'ε}/(e^{(c-a')Ω}-1).
//
// No pole is crossed, and every a is allowed: about the least over a table is taken.
func aliasing(table []Point, c, omega, epsilon, logA float64) float64 {
	above, below := noTerm, noTerm
	for _, q := range table {
		if v := q.Value - q.A*epsilon - logA; q.A > c {
			above.least(v, (q.A-c)*omega)
		} else if q.A < c {
			below.least(v, (c-q.A)*omega)
		}
	}
	return expm1Over(above.v, above.b) + expm1Over(below.v, below.b)
}

// aliasTerm is e^v/(e^b-1), and about its logarithm. The term chosen by that is at most twice the
// least one.
type aliasTerm struct{ v, b, log float64 }

var noTerm = aliasTerm{v: math.Inf(1), log: math.Inf(1)}

func (a *aliasTerm) least(v, b float64) {
	log := v - b
	if b < 1 {
		log = v - numeric.Log(b)
	}
	if log < a.log {
		*a = aliasTerm{v, b, log}
	}
}

// TableOf returns Λ at several a, sorted by a: at 0, at the points tried by a search, and at points
// around best. Some of the last are spaced by the standard deviation 1/sd of the saddle's Gaussian.
func TableOf(at func(float64) Point, best Point, sd float64, tried []Point) []Point {
	out := append([]Point{at(0)}, tried...)
	for _, f := range [...]float64{0.3, 0.6, 0.8, 1.25, 1.6} {
		out = append(out, at(best.A*f))
	}
	for _, k := range [...]float64{-12, -8, -5, -3, -1.5, 1.5, 3, 5, 8, 12} {
		if a := best.A + k/sd; a > 0 {
			out = append(out, at(a))
		}
	}
	slices.SortFunc(out, func(a, b Point) int {
		switch {
		case a.A < b.A:
			return -1
		case a.A > b.A:
			return 1
		}
		return 0
	})
	return slices.CompactFunc(out, func(a, b Point) bool { return a.A == b.A })
}

// slack bounds how much Λ(c)-cε at the chosen c may exceed its minimum. A smaller Ω may cost digits
// by a factor of e^slack.
const slack = 3

// ChooseLine returns the c in the table that needs the least Ω for an aliasing error of e^logTol at
// ε. Only c whose Λ(c)-cε is within slack of the least are considered. The saddle itself is not the
// best c: if K bends sharply (near a hump of rare large losses) little room is left above it.
func ChooseLine(table []Point, epsilon, logTol float64) (c, omega float64) {
	least := math.Inf(1)
	for _, q := range table {
		if q.A > 0 {
			least = math.Min(least, q.Value-q.A*epsilon)
		}
	}
	omega = math.Inf(1)
	for _, q := range table {
		if q.A == 0 || q.Value-q.A*epsilon > least+slack {
			continue
		}
		if need := neededOmega(table, q.A, epsilon, logTol); need < omega {
			c, omega = q.A, need
		}
	}
	return c, omega
}

func neededOmega(table []Point, c, epsilon, logTol float64) float64 {
	above, below := math.Inf(1), math.Inf(1)
	for _, q := range table {
		need := math.Max(q.Value-q.A*epsilon-logTol, 1) / math.Abs(q.A-c)
		if q.A > c {
			above = math.Min(above, need)
		} else if q.A < c {
			below = math.Min(below, need)
		}
	}
	return math.Max(above, below)
}
