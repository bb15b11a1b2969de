package layercheck

import (
	"fmt"
	"math"
	"slices"
)

// How closely numbers are compared. Nothing here depends on the data.
//
// If only another example was replaced, the same program computes the same numbers from the same
// numbers. They should have the same bits, but not every backend promises that: sameRounding is for
// those. At another place of the batch another kernel may run, and a norm and a gradient are
// computed in two ways. These differ by the rounding of sums of n terms. In float32 it is at most n
// 2⁻²⁴ of the sum of their sizes. For terms without a pattern, as here, it is about √n 2⁻²⁴: 4e-4
// for 5e7 terms (Higham (2002), Accuracy and Stability of Numerical Algorithms, 2nd ed., sections
// 3.1 and 2.8).
const (
	sameRounding  = 1e-5 // relative, of a row
	otherRounding = 1e-3 // relative, of a row or a square
	tooLarge      = 0.02 // relative, of a square: a norm may be raised by a bound on its rounding
	tiny          = 1e-30
)

// compare returns a fault unless all rows, except skipped ones, are as before.
func (t *tester[T]) compare(got, want observed, skip func(row int) bool, relative float64, what, rule string) error {
	norms := func(values []float64) [][]float64 { return slices.Collect(slices.Chunk(values, 1)) }
	for _, c := range []struct {
		name      string
		got, want [][]float64
	}{
		{"output", got.y, want.y},
		{"gradient at the inputs", got.atInput, want.atInput},
		{"squared norm", norms(got.norms), norms(want.norms)},
		{"per-sample gradient", got.each, want.each},
	} {
		least := relative / 100 * longest(c.want) // a row may be the rounding of terms that cancel
		for i := range c.got {
			if skip(i) {
				continue
			}
			if off, ok := within(c.got[i], c.want[i], relative, least+tiny); !ok {
				return fmt.Errorf("an example's %s, of size %.3g, moves by %.3g %s: %s", c.name, norm(c.want[i]), off, what, rule)
			}
		}
	}
	return nil
}

// longest returns the largest finite norm of the rows.
func longest(rows [][]float64) float64 {
	most := 0.0
	for _, row := range rows {
		if n := norm(row); n > most && !math.IsInf(n, 1) {
			most = n
		}
	}
	return most
}

// within reports whether got equals want, up to a share of its norm or an absolute distance, and
// how far it is off. It is true if want is not finite.
func within(got, want []float64, relative, absolute float64) (off float64, ok bool) {
	if length := norm(want); !math.IsNaN(length) && !math.IsInf(length, 1) {
		sum := 0.0
		for i := range want {
			sum += (got[i] - want[i]) * (got[i] - want[i])
		}
		off = math.Sqrt(sum)
		return off, off <= relative*length+absolute
	}
	return 0, true
}

// compareNorm returns a fault if a squared norm is not that of a gradient, or too small, so
// clipping does not bound the example. ordinary reports that nothing can overflow.
func compareNorm(squared float64, gradient []float64, ordinary bool) error {
	length := norm(gradient)
	want := length * length
	finite := !math.IsNaN(squared) && !math.IsInf(squared, 0)
	said := fmt.Sprintf("SquaredNorms is %.4g and the gradient's squared norm %.4g", squared, want)
	switch {
	case !finite:
		if ordinary && want < 1/tiny {
			return fmt.Errorf("%s: must be equal; the example would be left out", said)
		}
		return nil // the example adds zero
	case math.IsNaN(want) || squared < want*(1-otherRounding)-tiny:
		return fmt.Errorf("%s: must be equal; clipping would not bound the example", said)
	case ordinary && squared > want*(1+tooLarge)+1e-6:
		return fmt.Errorf("%s: must be equal; the example would be clipped too much", said)
	}
	return nil
}
