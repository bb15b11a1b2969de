// Package format writes numbers and texts for people: upper bounds rounded up, lower bounds rounded
// down, and nothing that a terminal would obey.
package format

import (
	"fmt"
	"math"
	"strconv"
)

// Digits is how many significant digits are printed, and MostDigits how many a float64 has.
const Digits, MostDigits = 6, 17

// RoundUp writes x with six digits, never below x.
func RoundUp(x float64) string { return Rounded(x, Digits, 1) }

// Rounded writes x with some significant digits, never below x in direction 1 and never above in
// -1.
func Rounded(x float64, digits int, direction float64) string {
	if math.IsInf(x, 1) {
		return "+Inf"
	}
	text := strconv.FormatFloat(x, 'g', digits, 64)
	printed, err := strconv.ParseFloat(text, 64)
	if err != nil || (printed-x)*direction >= 0 {
		return text
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-float64(digits)+1)
	return strconv.FormatFloat(printed+direction*unit, 'g', digits, 64)
}

// FourDecimals writes x with four decimals, never below x.
func FourDecimals(x float64) string {
	if math.IsInf(x, 1) || x > 1e8 {
		return RoundUp(x)
	}
	return fmt.Sprintf("%.4f", math.Ceil(x*1e4)/1e4)
}
