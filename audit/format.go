package audit

import (
	"math"
	"strconv"
	"strings"
)

// FormatLower writes x, at least 0, with four digits after the point, or below 1e-4 with three significant ones, rounded towards zero, so that a
// printed lower bound is still one.
func FormatLower(x float64) string {
	if x > 0 && x < 1e-4 {
		return significant(x, 3)
	}
	return decimals(x, 4, -1)
}

// decimals writes x with so many digits after the point, rounded up for direction +1 and down for -1.
func decimals(x float64, digits int, direction float64) string {
	unit := math.Pow10(-digits)
	for at := x; ; at += direction * unit {
		text := strconv.FormatFloat(at, 'f', digits, 64)
		if printed, err := strconv.ParseFloat(text, 64); err != nil || (printed-x)*direction >= 0 || math.IsInf(x, 0) || math.IsNaN(x) {
			return text
		}
	}
}

// FormatDelta writes a δ with at most six digits, as people do ("1e-5"), rounded down: what is shown at a δ is shown at every smaller one.
func FormatDelta(delta float64) string { return significant(delta, 6) }

// significant writes x >= 0 with at most so many significant digits, rounded down.
func significant(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'g', digits, 64)
	if printed, err := strconv.ParseFloat(text, 64); err == nil && printed > x {
		unit := math.Pow10(int(math.Floor(math.Log10(x))) - digits + 1)
		text = strconv.FormatFloat(printed-unit, 'g', digits, 64)
		if printed, err = strconv.ParseFloat(text, 64); err != nil || printed > x {
			text = strconv.FormatFloat(x, 'g', -1, 64) // all digits are right in any case
		}
	}
	for _, zero := range []string{"e-0", "e+0"} {
		text = strings.Replace(text, zero, zero[:2], 1)
	}
	return strings.Replace(text, "e+", "e", 1)
}

// formatConfidence writes a confidence, rounded down, to four digits of what is left to 1.
func formatConfidence(confidence float64) string {
	if confidence < 0.5 {
		return significant(confidence, 4)
	}
	return roundConfidence(confidence, -1, 3)
}

// roundConfidence writes a confidence to 1 + more digits of what is left to 1, rounded up for direction +1 and down for -1.
func roundConfidence(confidence, direction float64, more int) string {
	left := 1 - confidence
	if !(left > 1e-12) || left >= 1 { // no rounding could be told
		return strconv.FormatFloat(confidence, 'g', -1, 64)
	}
	text := decimals(confidence, more-int(math.Floor(math.Log10(left)+1e-9)), direction)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// formatP writes a p-value to three significant digits, rounded up.
func formatP(p float64) string {
	text := strconv.FormatFloat(p, 'g', 3, 64)
	printed, err := strconv.ParseFloat(text, 64)
	if err == nil && printed < p {
		unit := math.Pow10(int(math.Floor(math.Log10(p))) - 2)
		text = strconv.FormatFloat(printed+unit, 'g', 3, 64)
	}
	return text
}

// formatInterval writes an estimate to four digits, between ends that are rounded outwards.
func formatInterval(lower, estimate, upper float64) string {
	return strconv.FormatFloat(estimate, 'f', 4, 64) + " [" + decimals(lower, 4, -1) + ", " + decimals(upper, 4, +1) + "]"
}
