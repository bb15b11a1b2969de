package papernot2022

import (
	"strconv"
	"strings"

	"github.com/dplab/dplab/notebooks/figures"
)

// short writes a number without padding in its exponent: 1e-6.
func short(x float64) string {
	return strings.Replace(strconv.FormatFloat(x, 'g', -1, 64), "e-0", "e-", 1)
}

// grouped writes a number with commas between thousands: 1,000,000.
func grouped(x float64) string {
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

// withError writes a number beside its error: 0.86 ± 0.04.
func withError(value, err float64) string {
	return figures.Format(value, err) + " ± " + figures.Format(figures.Round(err, 2), 0)
}

// about writes a number with the given significant digits, and commas between thousands.
func about(x float64, digits int) string { return grouped(figures.Round(x, digits)) }
