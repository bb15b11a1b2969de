package record

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/dplab/dplab/accounting/numeric"
)

// pairs tests that any two coordinates are uncorrelated over all queries of a name. It finds noise
// that is copied within a query, in any order.
func pairs(d draws, level float64) family {
	groups, tests := d.groups(), 0
	for _, g := range groups {
		tests += g.size * (g.size - 1) / 2
	}
	f := newFamily(testPairs, level, max(1, tests))
	for _, g := range groups {
		sums, n := make([]float64, g.size), len(g.rows)
		for i := range g.size {
			clear(sums)
			for _, row := range g.rows {
				for j := i + 1; j < g.size; j++ {
					sums[j] += row[i] * row[j]
				}
			}
			for j := i + 1; j < g.size; j++ {
				f.correlation(sums[j], 2*n, n, func() string { return fmt.Sprintf("coordinates %d and %d of %q", i, j, g.name) })
			}
		}
	}
	return f
}

// lags tests that noises at a distance from each other are uncorrelated, at every distance in the
// order of the draws. It covers coordinates of one query, equal coordinates of different queries,
// and streams that overlap elsewhere.
func lags(d draws, level float64) family {
	f := newFamily(testLags, level, max(1, len(d.z)-1))
	for lag, products := range autocorrelations(d.z) {
		if lag > 0 {
			f.correlation(products, len(d.z), lag, func() string { return d.apart(lag) })
		}
	}
	return f
}

// correlation tests a sum of products of n normals, each with the one that comes lag later.
func (f *family) correlation(products float64, n, lag int, where func() string) {
	count := float64(n - lag)
	if 2*math.Exp(-products*products/(2*count)) >= f.limit {
		return // the chance is larger still, see chainTail
	}
	if chance := 2 * math.Exp(-chainTail(math.Abs(products), n, lag)); chance < f.limit {
		f.found = append(f.found, accusation{where(), fmt.Sprintf("correlation %.3g of %g pairs", products/count, count), chance})
	}
}

// autocorrelations returns Σ_i z_i z_{i+lag} for every lag below the length of z.
func autocorrelations(z []float64) []float64 {
	size := 1
	for size < 2*len(z) { // zeros keep the ends from meeting
		size *= 2
	}
	padded := make([]float64, size)
	copy(padded, z)
	transform := fourier.NewFFT(size)
	spectrum := transform.Coefficients(nil, padded)
	for i, c := range spectrum {
		spectrum[i] = complex(real(c)*real(c)+imag(c)*imag(c), 0)
	}
	sums := transform.Sequence(padded, spectrum)[:len(z)]
	for i := range sums {
		sums[i] /= float64(size)
	}
	return sums
}

// chainTail returns x such that Σ z_i z_{i+lag} over n standard normals is at least products > 0
// with chance at most exp(-x).
func chainTail(products float64, n, lag int) float64 {
	length, longer := n/lag, n%lag // lag chains; some are longer by one
	longest := (n + lag - 1) / lag
	exponent := func(s float64) float64 {
		short, long := logDeterminants(s, length)
		sum := s*products + float64(lag-longer)/2*short
		if longer > 0 {
			sum += float64(longer) / 2 * long
		}
		return sum
	}
	low, high := 0., (1-1e-9)/(2*math.Cos(math.Pi/float64(longest+1)))
	for range 60 { // exponent is concave; whichever s it ends at is valid
		a, b := low+(high-low)/3, high-(high-low)/3
		if exponent(a) < exponent(b) {
			low = a
		} else {
			high = b
		}
	}
	return exponent(low)
}

// logDeterminants returns ln D_m(s) and ln D_(m+1)(s) for m >= 1, see below.
func logDeterminants(s float64, m int) (log, next float64) {
	ratio := 1.0 // D_m/D_(m-1)
	for range m {
		ratio = 1 - s*s/ratio
		log, next = next, next+numeric.Log(ratio)
	}
	return log, next
}

// Proof of chainTail. The indices i, i+lag, i+2 lag, ... form lag chains that share no normal. In a
// chain of m normals, s Σ z_i z_{i+lag} is ½ z'(sA)z with A the adjacency matrix of a path. Then
// E[exp(½ z'(sA)z)] = det(I - sA)^(-1/2) as long as I - sA is positive definite (a Gaussian
// integral). D_m = det(I - sA) follows D_m = D_{m-1} - s² D_{m-2}, D_0 = D_1 = 1, by expanding
// along the last row. I - sA is positive definite as long as D_1 ... D_m are positive (Sylvester).
// That holds for s < 1/(2 cos(π/(m+1))), the inverse of the largest eigenvalue. Chernoff's bound is
// exp(-s products) Π D^(-1/2), at an s that only the sum decides. A sum that is as far below 0 has
// the same law: turn the sign of every second normal of a chain.
//
// The eigenvalues of A come as ± pairs and their squares add up to 2(m-1). With -ln(1-y) >= y, -½
// ln D_m >= s²(m-1)/2. So exp(-products²/(2 pairs)) is never above the bound.

// apart returns how far a lag is, in queries and coordinates if all queries have the same size.
func (d draws) apart(lag int) string {
	size := len(d.queries[0].Released)
	for _, q := range d.queries {
		if len(q.Released) != size {
			return fmt.Sprintf("noises %d apart", lag)
		}
	}
	queries, coordinates := lag/size, lag%size
	switch {
	case queries == 0:
		return fmt.Sprintf("coordinates %d apart", coordinates)
	case coordinates == 0:
		return fmt.Sprintf("queries %d apart", queries)
	}
	return fmt.Sprintf("%d queries and %d coordinates apart", queries, coordinates)
}
