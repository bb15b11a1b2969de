package worstorder

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/check"
)

// Pair has the laws of one run's output on two neighboring data sets: the chances of finitely many
// outputs.
type Pair struct {
	With, Without []float64 // of equal length, >= 0, each with sum 1 within 1e-9
}

// Validate returns every fault, joined.
func (p Pair) Validate() error {
	if len(p.With) == 0 || len(p.With) != len(p.Without) || len(p.With) > mostOutputs {
		return fmt.Errorf("worstorder: Pair.With, Without have %d and %d entries: must be equal, from 1 to %d", len(p.With), len(p.Without), mostOutputs)
	}
	return errors.Join(check.Probabilities("worstorder: Pair.With", p.With, 1e-9), check.Probabilities("worstorder: Pair.Without", p.Without, 1e-9))
}

// mostOutputs is the largest number of outputs. The tables grow with its square, to some hundred
// MB.
const mostOutputs = 4000

// Gaussian returns N(mu, 1) and N(0, 1) on cells of equal width, from 9 standard deviations below 0
// to 9 above mu. The cells at both ends include the tails. mu is >= 0, cells at least 2.
func Gaussian(mu float64, cells int) Pair {
	at := func(i int) float64 { return -9 + (mu+18)*float64(i)/float64(cells) }
	mass := func(shift float64, i int) float64 {
		lo, hi := at(i)-shift, at(i+1)-shift
		if i == 0 {
			lo = math.Inf(-1)
		}
		if i == cells-1 {
			hi = math.Inf(1)
		}
		return normalMass(lo, hi)
	}
	var p Pair
	for i := range cells {
		p.With, p.Without = append(p.With, mass(mu, i)), append(p.Without, mass(0, i))
	}
	return p
}

// normalMass returns Φ(hi) - Φ(lo), computed in the tail where it keeps its digits.
func normalMass(lo, hi float64) float64 {
	if lo > 0 {
		lo, hi = -hi, -lo
	}
	return (math.Erfc(-hi/math.Sqrt2) - math.Erfc(-lo/math.Sqrt2)) / 2
}

// swapped returns the other direction of the neighboring relation.
func (p Pair) swapped() Pair { return Pair{With: p.Without, Without: p.With} }

// mirrored reports whether the other direction is this one with the outputs in reverse, up to
// rounding. Then both directions leak the same.
func (p Pair) mirrored() bool {
	n := len(p.With)
	for i, a := range p.With {
		if b := p.Without[n-1-i]; math.Abs(a-b) > 1e-12*(a+b) {
			return false
		}
	}
	return true
}

// byRatio lists the outputs by falling With/Without.
func (p Pair) byRatio() []int {
	order := make([]int, len(p.With))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := p.With[i]*p.Without[j], p.With[j]*p.Without[i]
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	return order
}
