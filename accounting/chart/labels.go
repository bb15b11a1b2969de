package chart

import (
	"math"
	"strconv"
	"strings"
)

// Exact returns the shortest text that reads back as v, with "+Inf", "-Inf" and "NaN".
func Exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Format writes v for a reader. With a finite error err > 0 it has one decimal place more than the
// error, and at most nine significant digits. Otherwise it has at most six significant digits,
// without trailing zeros.
func Format(v, err float64) string {
	switch {
	case math.IsNaN(v):
		return "not a number"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	case v == 0:
		return "0"
	}
	size := math.Floor(math.Log10(math.Abs(v)))
	plain := size >= -4 && size < 7
	if !(err > 0) || math.IsInf(err, 0) {
		if plain {
			return Minus(strconv.FormatFloat(Round(v, 6), 'f', -1, 64))
		}
		return shortExponent(strconv.FormatFloat(Round(v, 6), 'e', -1, 64))
	}
	places := 1 - math.Floor(math.Log10(err)) // after the point
	digits := int(math.Min(math.Max(size+places+1, 2), 9))
	if plain {
		return Minus(strconv.FormatFloat(v, 'f', max(digits-1-int(size), 0), 64))
	}
	return shortExponent(strconv.FormatFloat(v, 'e', digits-1, 64))
}

// shortExponent writes 1e-06 as 1e-6.
func shortExponent(s string) string {
	mantissa, exponent, _ := strings.Cut(s, "e")
	sign := strings.TrimPrefix(exponent[:1], "+")
	return Minus(mantissa) + "e" + sign + strings.TrimLeft(exponent[1:], "0")
}

// Minus replaces the hyphen of a negative number by a minus sign.
func Minus(s string) string {
	if strings.HasPrefix(s, "-") {
		return "−" + s[1:]
	}
	return s
}

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

// WithError writes a number and its error: 0.861 ± 0.04.
func WithError(value, err float64) string {
	return Format(value, err) + " ± " + Format(Round(err, 2), 0)
}

// Places writes a number with the given number of decimal places. NaN is "".
func Places(x float64, places int) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', places, 64)
}

// Scientific writes v for an axis label, a title or a sentence, with all its digits: 1e-5 is "10⁻⁵"
// and 2e-5 is "2·10⁻⁵". From 0.01 up to 100,000 it uses no power. Tables use Format, whose text
// programs can read too.
func Scientific(v float64) string {
	size := math.Abs(v)
	if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 || size >= 0.01 && size < 1e5 {
		return Format(v, 0)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	e, _ := strconv.Atoi(exponent) // FormatFloat writes one
	switch mantissa {
	case "1":
		return Power(e)
	case "-1":
		return "−" + Power(e)
	}
	return Minus(mantissa) + "·" + Power(e)
}

// Power writes 10 to the power e.
func Power(e int) string {
	return "10" + strings.Map(func(r rune) rune { return []rune("⁻?/⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'-'] }, strconv.Itoa(e))
}
