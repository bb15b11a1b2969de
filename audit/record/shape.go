package record

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

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

// thresholds are what noises are counted beyond: a little more than what noise may be cut at,
// and next to nothing, which noise that is left out now and then does not reach.
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
