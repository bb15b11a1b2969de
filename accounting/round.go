package accounting

import (
	"math"
	"regexp"
	"strconv"
)

// printedDecimals is how many digits after the point a statement's ε has.
const printedDecimals = 4

// FormatUpper writes an upper bound for a reader: four digits after the point, or six significant
// digits where that is longer, rounded towards +Inf, so that a printed upper bound is
// still one. NaN is "NaN".
func FormatUpper(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "+Inf"
	case math.IsNaN(x):
		return "NaN"
	}
	if math.Abs(x) >= 1e6 {
		return significant(x, 6, +1)
	}
	return fixed(x)
}

// fixed writes x with printedDecimals digits, rounded towards +Inf.
func fixed(x float64) string {
	unit := math.Pow10(-printedDecimals)
	for up := x; ; up += unit {
		text := strconv.FormatFloat(up, 'f', printedDecimals, 64)
		if printed, err := strconv.ParseFloat(text, 64); err != nil || printed >= x {
			return text
		}
	}
}

// significant writes x with at most the given number of significant digits, rounded
// towards +Inf for direction +1 and towards -Inf for -1.
func significant(x float64, digits int, direction float64) string {
	text := strconv.FormatFloat(x, 'g', digits, 64)
	printed, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || (printed-x)*direction >= 0 {
		return text
	}
	// One unit in the last place, the place being read from the exponent form.
	unit := math.Pow10(int(math.Floor(math.Log10(math.Abs(printed)))) - digits + 1)
	next := strconv.FormatFloat(printed+direction*unit, 'g', digits, 64)
	if value, err := strconv.ParseFloat(next, 64); err != nil || (value-x)*direction < 0 {
		return strconv.FormatFloat(x, 'g', -1, 64) // all digits are right in any case
	}
	return next
}

// mostDigits is how many significant digits a parameter has in what people read.
const mostDigits = 6

// parameter is a number of an event's or a law's text, behind its name.
var parameter = regexp.MustCompile(`(σ=|b=|γ=|ε=|ρ=|δ=|q=|mean )(\d+(?:\.\d+)?(?:e[+-]?\d+)?)`)

// RoundParameters rewrites what an event or a law writes about itself for people: six significant
// digits of each parameter, where it has more. Noise multipliers (σ, b), the parameter γ of a law,
// and the ε, ρ and δ of a part are rounded up; sampling rates (q) and means down. So a mechanism
// with the printed numbers costs no more than the one with the exact ones. A part costs no more
// than is printed.
func RoundParameters(text string) string {
	return parameter.ReplaceAllStringFunc(text, func(found string) string {
		m := parameter.FindStringSubmatch(found)
		x, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return found
		}
		direction := +1.0
		if m[1] == "q=" || m[1] == "mean " {
			direction = -1
		}
		if rounded := significant(x, mostDigits, direction); len(rounded) < len(m[2]) {
			return m[1] + rounded
		}
		return found
	})
}
