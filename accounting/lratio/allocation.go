package lratio

import (
	"math/bits"

	"github.com/dplab/dplab/accounting/numeric"
)

// builder makes laws with the same settings.
type builder struct {
	n      int     // cells of a law, about
	logTau float64 // ln of the mass of a tail that is cut off
}

// fit trims the laws, and doubles their common step until all have at most n cells. finer is 2 if
// the next average may halve the step: an average of m is narrower by √m.
func (b builder) fit(laws ...law) (fitted []law, finer int, err error) {
	longest := 0
	for _, l := range laws {
		if l = l.trim(b.logTau); l.reach() > mostLog {
			return nil, 0, errLarge
		}
		fitted = append(fitted, l)
		longest = max(longest, len(l.q))
	}
	for longest > b.n {
		longest = 0
		for i, l := range fitted {
			fitted[i] = l.regrid(2 * l.h)
			longest = max(longest, len(fitted[i].q))
		}
	}
	for _, l := range fitted {
		if err := l.check(tails); err != nil {
			return nil, 0, err
		}
	}
	finer = 1
	if float64(longest) < refineBelow*float64(b.n) {
		finer = 2
	}
	return fitted, finer, nil
}

const (
	refineBelow = 0.55
	tails       = 1e-6 // far above the tails of a law, each below 1e-9 and far below δ
)

// gaussian returns the law of one Gaussian at distance s, in standard deviations, with tails of
// mass e^logTau.
func (b builder) gaussian(s, logTau float64) (law, error) {
	return oneStep(s, b.n, logTau)
}

// allocation returns the law of Z = (X_1 + ... + X_t)/t for t independent X as in oneStep: of a
// period of t steps in which an example takes part in one, drawn uniformly.
//
// Let t = odd·2^k. The law of the average of m is A_m. The pair (A_m, A_{m+1}) is carried down the
// binary digits of odd, and then A is doubled k times.
func (b builder) allocation(s float64, t int) (law, error) {
	doublings := bits.TrailingZeros(uint(t))
	odd := t >> doublings
	first, err := b.gaussian(s, b.logTau-logOf(t))
	if err != nil || t == 1 {
		return first, err
	}
	one, m, finer := first, 1, 1
	if odd > 1 {
		fitted, _, err := b.fit(first)
		if err != nil {
			return law{}, err
		}
		pair, r, err := b.fit(fitted[0], average(fitted[0], fitted[0], 0.5, 0.5, 1))
		if err != nil {
			return law{}, err
		}
		for digit := bits.Len(uint(odd)) - 2; digit >= 0; digit-- {
			lo, hi := pair[0], pair[1]
			all := float64(2*m + 1)
			middle := average(lo, hi, float64(m)/all, float64(m+1)/all, r)
			var next []law
			switch {
			case digit == 0:
				next, m = []law{middle}, 2*m+1
			case odd>>digit&1 == 0:
				next, m = []law{average(lo, lo, 0.5, 0.5, r), middle}, 2*m
			default:
				next, m = []law{middle, average(hi, hi, 0.5, 0.5, r)}, 2*m+1
			}
			if pair, r, err = b.fit(next...); err != nil {
				return law{}, err
			}
		}
		one, finer = pair[0], r
	}
	for range doublings {
		doubled, r, err := b.fit(average(one, one, 0.5, 0.5, finer))
		if err != nil {
			return law{}, err
		}
		one, finer = doubled[0], r
	}
	return one, nil
}

// power returns the law of the product of count independent Z of law l, by binary powers.
func (b builder) power(l law, count int) (law, error) {
	var out *law
	for {
		if count&1 == 1 {
			whole := l
			if out != nil {
				var err error
				if whole, err = b.times(*out, l); err != nil {
					return law{}, err
				}
			}
			out = &whole
		}
		if count >>= 1; count == 0 {
			return *out, nil
		}
		squared, err := b.times(l, l)
		if err != nil {
			return law{}, err
		}
		l = squared
	}
}

// one returns the law of Z = 1.
func one() law { return law{h: 1, q: []float64{scale}, r: []float64{scale}} }

// join is times for a law that may be that of Z = 1.
func (b builder) join(x, y law) (law, error) {
	if len(x.q) == 1 {
		return y, nil
	}
	return b.times(x, y)
}

// times returns the law of a product, on the coarser of the two grids.
func (b builder) times(x, y law) (law, error) {
	h := max(x.h, y.h)
	same := sameLaw(x, y)
	x = x.regrid(h)
	if y = y.regrid(h); same {
		y = x
	}
	fitted, _, err := b.fit(product(x, y))
	if err != nil {
		return law{}, err
	}
	return fitted[0], nil
}

func logOf(t int) float64 { return numeric.Log(float64(t)) }
