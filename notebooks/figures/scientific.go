package figures

import (
	"math"
	"strconv"
	"strings"
)

// Scientific writes v for an axis label, a title or a sentence, with all its digits: 1e-5 is "10⁻⁵" and 2e-5 is
// "2·10⁻⁵". From 0.01 up to 100,000 it is written plainly. Tables have the form of Format, which programs read too.
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
