package record

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// moments are the sums of some of a run's noises.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(z float64) {
	m.n++
	m.sum += z
	m.squares += z * z
}

// test compares the variance and the mean with those of standard normals.
func (m moments) test(f *family, where func() string) {
	r := m.squares / m.n
	if chance := math.Min(1, 2*math.Exp(-m.n/2*(r-1-numeric.Log(r)))); chance < f.limit { // r = 0 gives 0
		f.found = append(f.found, accusation{where(), fmt.Sprintf("standard deviation %.3g times the declared, of %g draws", math.Sqrt(r), m.n), chance})
	}
	if chance := math.Erfc(math.Abs(m.sum) / math.Sqrt(2*m.n)); chance < f.limit {
		f.found = append(f.found, accusation{where(), fmt.Sprintf("mean %.3g declared standard deviations, of %g draws", m.sum/m.n, m.n), chance})
	}
}

// Of n standard normals z, Σz is N(0, n). With r = Σz²/n and either side of 1,
//
//	P(Σz² is as far from n, or further) <= exp(-n/2 · (r - 1 - ln r))
//
// by Chernoff's bound, from E[exp(s z²)] = (1-2s)^(-1/2) at s = (1 - 1/r)/2. Two sides count
// twice.

const momentsOfEach = 2 // tests

// allMoments tests the noises of a run together. It finds a wrong scale soonest.
func allMoments(d draws, level float64) family {
	f := newFamily(testAll, level, momentsOfEach)
	var m moments
	for _, z := range d.z {
		m.add(z)
	}
	m.test(&f, func() string { return fmt.Sprintf("%d queries", len(d.queries)) })
	return f
}

// queryMoments tests each query by itself. It finds a step without noise.
func queryMoments(d draws, level float64) family {
	f, z := newFamily(testQuery, level, momentsOfEach*len(d.queries)), d.z
	for t, q := range d.queries {
		if len(q.Released) == 0 {
			continue
		}
		var m moments
		for range q.Released {
			m.add(z[0])
			z = z[1:]
		}
		m.test(&f, func() string { return fmt.Sprintf("query %d (%s)", t, q.Name) })
	}
	return f
}

// coordinateMoments tests each coordinate over all queries of a name. It finds a weight without
// noise.
func coordinateMoments(d draws, level float64) family {
	groups, tests := d.groups(), 0
	for _, g := range groups {
		tests += momentsOfEach * g.size
	}
	f := newFamily(testCoordinate, level, tests)
	for _, g := range groups {
		for i := range g.size {
			var m moments
			for _, row := range g.rows {
				m.add(row[i])
			}
			m.test(&f, func() string { return fmt.Sprintf("coordinate %d of %q", i, g.name) })
		}
	}
	return f
}

// distance tests the Kolmogorov distance of the noises' empirical law from the normal:
//
//	P(D > d) <= 2 exp(-2nd²)
//
// Reference: Massart (1990), The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality.
func distance(d draws, level float64) family {
	f, n := newFamily(testDistance, level, 1), float64(len(d.z))
	sorted, largest, at := slices.Sorted(slices.Values(d.z)), 0., 0.
	for i, z := range sorted {
		cdf := numeric.NormalCDF(z)
		if far := math.Max(float64(i+1)/n-cdf, cdf-float64(i)/n); far > largest {
			largest, at = far, z
		}
	}
	if chance := math.Min(1, 2*math.Exp(-2*n*largest*largest)); chance < f.limit {
		f.found = append(f.found, accusation{fmt.Sprintf("at %.3g", at), fmt.Sprintf("distance %.3g from the normal law, of %g draws", largest, n), chance})
	}
	return f
}

// thresholds are the levels beyond which noises are counted. They are a little more than likely
// cuts of noise. The first is next to nothing: noise that is left out now and then does not reach
// it.
var thresholds = []float64{0.01, 1.01, 2.01, 3.01, 4.01, 5.01, 6.01}

// tailCounts counts the noises beyond thresholds: of n, Bin(n, 2Φ(-threshold)), exactly.
func tailCounts(d draws, level float64) family {
	const sides = 2
	f, n := newFamily(testTails, level, sides*len(thresholds)), len(d.z)
	for _, c := range thresholds {
		count := 0
		for _, z := range d.z {
			if math.Abs(z) > c {
				count++
			}
		}
		p := math.Erfc(c / math.Sqrt2)
		if chance := math.Min(tails.BinomialUpper(count, n, p), tails.BinomialLower(count, n, p)); chance < f.limit {
			f.found = append(f.found, accusation{fmt.Sprintf("beyond %g", c), fmt.Sprintf("%d of %d draws where %.3g are expected", count, n, p*float64(n)), chance})
		}
	}
	return f
}
