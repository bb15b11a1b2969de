package figures

import (
	"math"
	"strconv"
	"strings"
)

// Grouped writes a number with commas between thousands: 1,000,000.
func Grouped(x float64) string {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

// About writes a number with the given significant digits, and commas between thousands.
func About(x float64, digits int) string { return Grouped(Round(x, digits)) }

// WithError writes a number beside its error: 0.861 ± 0.04.
func WithError(value, err float64) string {
	return Format(value, err) + " ± " + Format(Round(err, 2), 0)
}

// Places writes a number with so many decimal places, NaN as nothing.
func Places(x float64, places int) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', places, 64)
}
