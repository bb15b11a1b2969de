// Package digits writes the numbers of an audit, each rounded to its safe side.
package digits

import (
	"math"
	"strconv"
	"strings"

	"github.com/dplab/dplab/accounting/numeric"
)

// Lower writes x >= 0 with four digits after the point, or below 1e-4 with three Significant ones.
// It rounds towards zero: a printed lower bound is still a lower bound.
func Lower(x float64) string {
	if x > 0 && x < 1e-4 {
		return Significant(x, 3)
	}
	return numeric.Decimals(x, 4, -1)
}

// Delta writes a δ with at most six digits, as "1e-5". It rounds down: a bound that holds at a δ
// holds at every smaller one.
func Delta(delta float64) string { return Significant(delta, 6) }

// Significant writes x >= 0 with at most so many Significant digits, rounded down.
func Significant(x float64, digits int) string {
	text := numeric.Significant(x, digits, -1)
	for _, zero := range []string{"e-0", "e+0"} {
		text = strings.Replace(text, zero, zero[:2], 1)
	}
	return strings.Replace(text, "e+", "e", 1)
}

// Confidence writes a confidence, rounded down, to four digits of its distance from 1.
func Confidence(confidence float64) string {
	if confidence < 0.5 {
		return Significant(confidence, 4)
	}
	return RoundConfidence(confidence, -1, 3)
}

// RoundConfidence writes a confidence to 1 + more digits of its distance from 1, rounded up for
// direction +1 and down for -1.
func RoundConfidence(confidence, direction float64, more int) string {
	left := 1 - confidence
	if !(left > 1e-12) || left >= 1 { // rounding would not show
		return strconv.FormatFloat(confidence, 'g', -1, 64)
	}
	text := numeric.Decimals(confidence, more-int(math.Floor(math.Log10(left)+1e-9)), direction)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// P writes a p-value to three Significant digits, rounded up.
func P(p float64) string { return numeric.Significant(p, 3, +1) }

// Interval writes an estimate to four digits, between ends that are rounded outwards.
func Interval(lower, estimate, upper float64) string {
	return strconv.FormatFloat(estimate, 'f', 4, 64) + " [" + numeric.Decimals(lower, 4, -1) + ", " + numeric.Decimals(upper, 4, +1) + "]"
}
