package lratio

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// profile bounds δ of a law in both directions.
type profile struct {
	q, p           []float64 // masses of the atoms under Q and P, times scale
	zero, infinite float64   // times scale
	kappa, eta     float64
	isUpper        bool
	loss           func(k int) float64 // log Z of atom k
}

func (l law) profile() profile {
	loss := l.at
	if !l.upper() {
		loss = l.mean
	}
	return profile{l.q, l.likelihood(), l.zero, l.infinite, l.kappa + float64(len(l.q)+8)*unit, l.eta + moved(l.reach()), l.upper(), loss}
}

// direction is who has the example: remove compares P with Q, add compares Q with P.
type direction int

const (
	remove direction = iota
	add
)

// logDelta returns a bound of ln δ at ε: an upper one of an upper law, a lower one of a lower law.
//
//	remove: E(Z - e^ε)₊ + infinite          add: E(1 - e^ε Z)₊ + zero
//
// The factor e^{±eta} on Z is the same as a shift of ε and, in the first, a factor on δ.
func (f profile) logDelta(to direction, epsilon float64) float64 {
	eta := f.eta + moved(epsilon)
	shift, kappa := -eta, f.kappa
	if !f.isUpper {
		shift, kappa = eta, -f.kappa
	}
	c := math.Exp(epsilon + shift)
	sum := 0.0
	switch to {
	case remove:
		for k, p := range f.p {
			if d := p - c*f.q[k]; d > 0 && (f.isUpper || p > tiny) {
				sum += d
			}
		}
		sum += f.infinite
		kappa -= shift
	case add:
		rounding := 0.0
		if !f.isUpper {
			rounding = lost // of a p that underflows
		}
		for k, q := range f.q {
			if d := q - c*(f.p[k]+rounding); d > 0 && (f.isUpper || q > tiny) {
				sum += d
			}
		}
		sum += f.zero
	}
	if !(sum > 0) {
		return math.Inf(-1)
	}
	log := numeric.Log(sum) - scaleBits*math.Ln2 + kappa
	if f.isUpper {
		return math.Min(0, log+moved(log))
	}
	return log - moved(log)
}

// epsilon brackets the ε at which the bound is logDelta: the bound is at most that at above, and
// more at below, unless below is 0. above is +Inf if no ε on the grid is enough.
func (f profile) epsilon(to direction, logDelta float64) (below, above float64) {
	private := func(epsilon float64) bool { return f.logDelta(to, epsilon) <= logDelta }
	if private(0) {
		return 0, 0
	}
	lo, hi := 0.0, 1.0
	for !private(hi) {
		if lo = hi; lo > 600 {
			return lo, math.Inf(1)
		}
		hi *= 2
	}
	for range 60 {
		mid := lo + (hi-lo)/2
		if hi-lo <= 1e-13*hi || mid <= lo || mid >= hi {
			break
		}
		if private(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo, hi
}
