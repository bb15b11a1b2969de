package lratio

import "math"

// product returns the law of Z_a Z_b, for independent Z_a and Z_b on grids of equal step. Indexes
// add. A mean goes to cell i+j, to the next, or, if it was beyond its own cell, to a
// later one. Each mass is a sum of fewer than 4(n_a+n_b) terms.
func product(a, b law) law {
	na, nb := len(a.q), len(b.q)
	out := law{h: a.h, first: a.first + b.first}
	terms := 4 * float64(na+nb)
	out.kappa = a.kappa + b.kappa + (terms+16)*unit
	out.eta = a.eta + b.eta + moved(a.reach(), b.reach())
	left, right, same := halved(a.q), halved(b.q), sameLaw(a, b)
	size := na + nb + spread(a, a, a.h) + spread(b, b, b.h)
	out.q, out.r = make([]float64, size), make([]float64, size)
	productPairs(a, b, left, right, out, same)
	out.eta += 2 * (terms + 16) * unit // the rounding of the two sums of a mean
	return out
}

func productPairs(a, b law, left, right []float64, out law, same bool) {
	f, g, into := means(a), means(b), mergerInto(out)
	for i, p := range left {
		if p == 0 {
			continue
		}
		from := 0
		if same {
			into.add(p*p, f[i]*f[i], 2*i)
			p, from = 2*p, i+1
		}
		fi := f[i]
		for j := from; j < len(right); j++ {
			into.add(p*right[j], fi*g[j], i+j)
		}
	}
}

// merger adds atoms to a law.
type merger struct {
	q, r []float64
	edge float64    // the right edge of a cell over its left one
	back [2]float64 // 1 and 1/edge
}

func mergerInto(out law) merger {
	return merger{out.q, out.r, math.Exp(out.h), [2]float64{1, math.Exp(-out.h)}}
}

// add merges an atom into cell k, or into a later one if its mean over the cell's left edge is
// beyond the cell. The first step has no branch, because half of the atoms take it.
func (to *merger) add(m, mean float64, k int) {
	if m < tiny {
		return
	}
	next := 0
	if mean >= to.edge {
		next = 1
	}
	k += next
	mean *= to.back[next]
	if mean >= to.edge {
		k, mean = to.farther(mean, k)
	}
	to.q[k] += m
	to.r[k] += m * mean
}

// farther is the rest of the way of an atom.
func (to *merger) farther(mean float64, k int) (int, float64) {
	for mean >= to.edge && k < len(to.q)-1 {
		mean *= to.back[1]
		k++
	}
	return k, mean
}
