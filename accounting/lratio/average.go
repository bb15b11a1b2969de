package lratio

import (
	"math"
)

// average returns the law of wa Z_a + wb Z_b, for independent Z_a and Z_b on grids of equal step h.
// The weights have sum 1. finer is 1 or 2: the result has the step h/finer.
//
// On a geometric grid wa z_i + wb z_j = z_i (wa + wb e^{h(j-i)}). So the place of the sum, in steps
// from i, depends on j-i only: one table, then one multiplication for each pair (i, j).
//
// A mass is a sum of at most 4(n_a+n_b) terms.
// For a fixed place each i has one value of the table, different for different i, and all values
// have n_a+n_b-1 entries in total.
func average(a, b law, wa, wb float64, finer int) law {
	na, nb := len(a.q), len(b.q)
	h := a.h / float64(finer)
	offset := b.first - a.first
	// places[d+na-1] is the cell of the sum for j-i = d, in steps of h from i.
	places := make([]int, na+nb-1)
	for d := range places {
		places[d] = cellOf(logAverage(wa, wb, a.h*float64(d-(na-1)+offset)), h)
	}
	const margin = 3
	lo := places[na-1] - margin // of i = j = 0
	hi := finer*(na-1) + places[nb-1] + margin + spread(a, b, h)
	out := law{h: h, first: finer*a.first + lo, q: make([]float64, hi-lo+2), r: make([]float64, hi-lo+2)}
	for d := range places {
		places[d] -= lo
	}
	left, right, same := halved(a.q), halved(b.q), sameLaw(a, b) && wa == wb
	averagePairs(a, b, left, right, wa, wb, places, finer, lo, out, same)
	terms := 5 * float64(na+nb)
	out.kappa = a.kappa + b.kappa + (terms+16)*unit
	out.eta = math.Max(a.eta, b.eta) + moved(a.reach(), b.reach(), a.h*float64(na+nb+offset))
	out.eta += 2 * (terms + 16) * unit // the rounding of the two sums of a mean
	return out
}

func sameLaw(a, b law) bool { return len(a.q) == len(b.q) && &a.q[0] == &b.q[0] }

// halved returns the masses times half: products of two of them have one scale.
func halved(q []float64) []float64 {
	out := make([]float64, len(q))
	for k, m := range q {
		out[k] = m * half
	}
	return out
}

// averagePairs adds all pairs of atoms to out. places count from out's first cell. If the laws are
// the same, the pairs (i, j) and (j, i) are added at once. The mean of an atom over the left edge
// of its cell is f = r/q, and that of the sum over the edge of cell i+k is
//
//	wa f_i e^{-hk} + wb f_j e^{h(j-i-k)},
//
// two tables. If it is beyond the cell, the sum goes to a later one. Any cell is right.
func averagePairs(a, b law, left, right []float64, wa, wb float64, places []int, finer, lo int, out law, same bool) {
	na, nb := len(left), len(right)
	fromA, fromB := make([]float64, len(places)), make([]float64, len(places))
	for d, at := range places {
		k := float64(at + lo)
		fromA[d] = wa * math.Exp(-out.h*k)
		fromB[d] = wb * math.Exp(a.h*float64(d-(na-1)+b.first-a.first)-out.h*k)
	}
	f, g, into := means(a), means(b), mergerInto(out)
	for i, p := range left {
		if p == 0 {
			continue
		}
		d0, from := na-1-i, 0
		if same {
			into.add(p*p, fromA[na-1]*f[i]+fromB[na-1]*g[i], finer*i+places[na-1])
			p, from = 2*p, i+1
		}
		fi := f[i]
		ra, rb, row := fromA[d0:d0+nb], fromB[d0:d0+nb], places[d0:d0+nb]
		for j := from; j < nb; j++ {
			into.add(p*right[j], ra[j]*fi+rb[j]*g[j], finer*i+row[j])
		}
	}
}

// means returns the mean of Z in each cell over the left edge, 1 in an empty cell.
func means(l law) []float64 {
	f := make([]float64, len(l.q))
	for k, m := range l.q {
		f[k] = 1
		if m > tiny && l.r[k] > tiny {
			f[k] = l.r[k] / m
		}
	}
	return f
}

// spread is how many cells of step h the means in the last cells may be beyond their cells.
func spread(a, b law, h float64) int {
	beyond := math.Max(a.mean(len(a.q)-1)-a.at(len(a.q)-1), b.mean(len(b.q)-1)-b.at(len(b.q)-1))
	return int(math.Max(0, beyond)/h) + 2
}
