package numeric

import (
	"math"
	"strconv"
)

// Decimals writes x with so many digits after the point, rounded towards +Inf for direction +1 and
// towards -Inf for -1.
func Decimals(x float64, decimals int, direction float64) string {
	unit := math.Pow10(-decimals)
	for at := x; ; at += direction * unit {
		text := strconv.FormatFloat(at, 'f', decimals, 64)
		if printed, err := strconv.ParseFloat(text, 64); err != nil || (printed-x)*direction >= 0 || math.IsInf(x, 0) || math.IsNaN(x) {
			return text
		}
	}
}

// Significant writes x with at most the given number of significant digits, rounded towards +Inf
// for direction +1 and towards -Inf for -1.
func Significant(x float64, digits int, direction float64) string {
	text := strconv.FormatFloat(x, 'g', digits, 64)
	printed, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || (printed-x)*direction >= 0 {
		return text
	}
	// One unit in the last place, which the exponent gives.
	unit := math.Pow10(int(math.Floor(math.Log10(math.Min(math.Abs(x), math.Abs(printed))))) - digits + 1)
	next := strconv.FormatFloat(printed+direction*unit, 'g', digits, 64)
	if value, err := strconv.ParseFloat(next, 64); err != nil || (value-x)*direction < 0 {
		return strconv.FormatFloat(x, 'g', -1, 64) // all digits are right in any case
	}
	return next
}
