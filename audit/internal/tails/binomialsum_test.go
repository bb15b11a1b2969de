package tails

import (
	"math"
	"testing"
)

// Of one chance for both, the sum is binomial: P[Bin(n+m, p) >= s]. Room is used again, so that one sum after another
// must not see the last.
func TestBinomialSumOfOneChance(t *testing.T) {
	var b BinomialSum
	for _, c := range []struct {
		n, m int
		p    float64
	}{{0, 0, 0.3}, {1, 0, 0.3}, {0, 7, 0.3}, {20, 30, 0.5}, {1000, 800, 0.03}, {400, 600, 0.999}, {300, 200, 1e-9}, {50, 60, 1 - 1e-12}, {5000, 4000, 0.2}, {9, 9, 0}, {9, 9, 1}} {
		n := c.n + c.m
		for _, s := range []int{0, 1, int(c.p * float64(n)), int(c.p*float64(n)) + 1, int(c.p*float64(n) + 3*math.Sqrt(float64(n)*c.p*(1-c.p))), n, n + 1} {
			got, want := b.AtLeast(s, c.n, c.p, c.m, c.p), BinomialUpper(s, n, c.p)
			if !(got >= want*(1-1e-12) && got <= want*(1+1e-10)+1e-13) {
				t.Errorf("P[Bin(%d, %g) + Bin(%d, %g) >= %d] = %.15g, want %.15g, the tail of Bin(%d, %g)", c.n, c.p, c.m, c.p, s, got, want, n, c.p)
			}
		}
	}
}

// Of two chances, the naive double sum.
func TestBinomialSumTermByTerm(t *testing.T) {
	var b BinomialSum
	for _, c := range []struct {
		n int
		p float64
		m int
		q float64
	}{{12, 0.2, 9, 0.7}, {40, 0.01, 30, 0.9}, {3, 1, 5, 0.4}, {3, 0.4, 5, 0}, {60, 0.5, 2, 0.001}} {
		for s := range c.n + c.m + 2 {
			want := 0.0
			for i := range c.n + 1 {
				for j := range c.m + 1 {
					if i+j >= s {
						want += BinomialPMF(i, c.n, c.p) * BinomialPMF(j, c.m, c.q)
					}
				}
			}
			if got := b.AtLeast(s, c.n, c.p, c.m, c.q); !(got >= want*(1-1e-12) && got <= want*(1+1e-10)+1e-13) {
				t.Errorf("%+v: P[sum >= %d] = %.15g, want %.15g term by term", c, s, got, want)
			}
		}
	}
}
