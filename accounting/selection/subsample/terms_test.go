package subsample

import (
	"math"
	"testing"
)

// Both directions of Koskela and Kulkarni (2023), Theorem 6, are the sums of its statement, which
// are written out here without logarithms.
func TestDirectionsAreTheirSums(t *testing.T) {
	const q = 0.3
	tuning, training := func(order float64) float64 { return 0.1 * order }, func(order float64) float64 { return 0.05*order + 0.1 }
	p, err := newParts(tuning, training, q)
	if err != nil {
		t.Fatal(err)
	}
	moment := func(curve func(float64) float64, k int) float64 { // of order k; 1 at 0 and 1
		if k < 2 {
			return 1
		}
		return math.Exp(float64(k-1) * curve(float64(k)))
	}
	for n := 2; n <= 8; n++ {
		forth, back, choose, chooseLess := 0.0, 0.0, 1.0, 1.0
		for j := 0; j <= n; j++ {
			forth += choose * math.Pow(q, float64(n-j)) * math.Pow(1-q, float64(j)) * moment(tuning, n-j) * moment(training, j)
			choose *= float64(n-j) / float64(j+1)
			if j < n {
				back += chooseLess * math.Pow(q, float64(j)) * math.Pow(1-q, float64(n-1-j)) * moment(tuning, j+1) * moment(training, n-j)
				chooseLess *= float64(n-1-j) / float64(j+1)
			}
		}
		if got := math.Exp(p.forth(n)); math.Abs(got-forth) > 1e-12*forth {
			t.Errorf("order %d: the first direction has the moment %.15g, want %.15g", n, got, forth)
		}
		if got := math.Exp(p.back(n)); math.Abs(got-back) > 1e-12*back {
			t.Errorf("order %d: the second direction has the moment %.15g, want %.15g", n, got, back)
		}
		most := q*moment(tuning, n) + (1-q)*moment(training, n)
		if got := math.Exp(float64(n-1) * p.convexity(float64(n))); math.Abs(got-most) > 1e-12*most {
			t.Errorf("order %d: the convexity bound is %.15g, want %.15g", n, got, most)
		}
	}
}
