package lratio

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// profile bounds δ from below in both directions.
type profile struct {
	q, p       []float64 // masses of the atoms under Q and P, times scale
	kappa, eta float64
	loss       func(k int) float64 // log Z of atom k
}

func (l law) profile() profile {
	return profile{l.q, l.likelihood(), l.kappa + float64(len(l.q)+8)*unit, l.eta + moved(l.reach()), l.mean}
}

// direction is who has the example: remove compares P with Q, add compares Q with P.
type direction int

const (
	remove direction = iota
	add
)

// logDelta returns a lower bound of ln δ at ε, from E(Z - e^ε)₊ to remove and E(1 - e^ε Z)₊ to add.
// The factor e^{±eta} on Z is the same as a shift of ε and, in the first, a factor on δ.
func (f profile) logDelta(to direction, epsilon float64) float64 {
	shift, kappa := f.eta+moved(epsilon), -f.kappa
	c := math.Exp(epsilon + shift)
	sum := 0.0
	switch to {
	case remove:
		for k, p := range f.p {
			if d := p - c*f.q[k]; d > 0 && p > tiny {
				sum += d
			}
		}
		kappa -= shift
	case add:
		for k, q := range f.q { // a p may underflow
			if d := q - c*(f.p[k]+lost); d > 0 && q > tiny {
				sum += d
			}
		}
	}
	if !(sum > 0) {
		return math.Inf(-1)
	}
	log := numeric.Log(sum) - scaleBits*math.Ln2 + kappa
	return log - moved(log)
}

// mostEpsilon returns the larger lower end of ε in the two directions.
func (f profile) mostEpsilon(logDelta float64) float64 {
	return math.Max(f.epsilon(remove, logDelta), f.epsilon(add, logDelta))
}

// mostDelta returns the larger lower bound of ln δ in the two directions.
func (f profile) mostDelta(epsilon float64) float64 {
	return math.Max(f.logDelta(remove, epsilon), f.logDelta(add, epsilon))
}

// epsilon returns an ε of at most 600 at which δ is above e^logDelta in a direction, and 0 if none
// is found.
func (f profile) epsilon(to direction, logDelta float64) float64 {
	lower, _ := numeric.Bracket(1e-13, func(e float64) bool { return e > 600 || f.logDelta(to, e) <= logDelta })
	return lower
}
