package tails

import "slices"

// BinomialSum holds the room for convolutions of two binomial laws. The zero value is ready. It
// must not be used by several goroutines at once.
type BinomialSum struct{ first, second window }

// cutShare is how far below the mode's probability a window ends.
const cutShare = 1e-18

// AtLeast returns P[X + Y >= s] for X ~ Bin(n, p) and Y ~ Bin(m, q), independent. The result is
// from above by at most 2e-18 (n+m), and by rounding, at most 1e-12 of the value:
//
//	Σ_i P[X = i] P[Y >= s-i]
//
// It is exact except for the terms left out, each below 1e-18. With their falling probabilities
// they add up to less than is added. Cost is O(√n + √m).
func (b *BinomialSum) AtLeast(s, n int, p float64, m int, q float64) float64 {
	b.first.fill(n, p)
	b.second.fill(m, q)
	below := 0.0 // P[Y >= j] for the j of each index
	for i, x := range slices.Backward(b.second.chances) {
		below += x
		b.second.chances[i] = below
	}
	sum := 0.0
	for i, x := range b.first.chances {
		switch j := s - b.first.from - i - b.second.from; {
		case j <= 0:
			sum += x
		case j < len(b.second.chances):
			sum += x * b.second.chances[j]
		}
	}
	return min(1, sum*(1+1e-12)+2*cutShare*float64(n+m))
}

// window has the probabilities of a binomial law from some number on, those around the mode.
type window struct {
	from    int
	chances []float64
}

// fill goes down from the mode and then up, by the ratios of neighbors.
func (w *window) fill(n int, p float64) {
	w.chances = w.chances[:0]
	if p <= 0 || p >= 1 {
		w.from = 0
		if p >= 1 {
			w.from = n
		}
		w.chances = append(w.chances, 1)
		return
	}
	mode := min(int(float64(n+1)*p), n)
	top, odds := BinomialPMF(mode, n, p), p/(1-p)
	least := cutShare * top
	for j, x := mode, top; j >= 0 && x >= least; j-- {
		w.chances = append(w.chances, x)
		x *= float64(j) / (float64(n-j+1) * odds)
	}
	w.from = mode + 1 - len(w.chances)
	slices.Reverse(w.chances)
	for j, x := mode+1, top*float64(n-mode)*odds/float64(mode+1); j <= n && x >= least; j++ {
		w.chances = append(w.chances, x)
		x *= float64(n-j) * odds / float64(j+1)
	}
}
