package accounting

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dplab/dplab/accounting/numeric"
)

// printedDecimals is the number of digits after the point in a statement's ε.
const printedDecimals = 4

// FormatUpper writes an upper bound for a reader: with four digits after the point, or with six
// significant digits from 1e6 on. It rounds towards +Inf, so the printed number is still an upper
// bound. NaN is "NaN".
func FormatUpper(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "+Inf"
	case math.IsNaN(x):
		return "NaN"
	}
	if math.Abs(x) >= 1e6 {
		return numeric.Significant(x, 6, +1)
	}
	return numeric.Decimals(x, printedDecimals, +1)
}

// quotedEpsilon writes the ε of a sentence that may be quoted: three significant digits, rounded
// towards +Inf, such as 4.20.
func quotedEpsilon(x float64) string {
	if x < 1e-3 || x >= 1e6 {
		return numeric.Significant(x, 3, +1)
	}
	return numeric.Decimals(x, max(0, 2-int(math.Floor(math.Log10(x)))), +1)
}

// quotedDelta writes a δ as 1e-5, with three significant digits, rounded towards 1. What is below 1
// stays below.
func quotedDelta(delta float64) string {
	text := numeric.Significant(delta, 3, +1)
	if text == "1" {
		text = strconv.FormatFloat(delta, 'g', -1, 64)
	}
	return strings.Replace(text, "e-0", "e-", 1)
}

// mostDigits is the number of significant digits of a parameter in texts for people.
const mostDigits = 6

// quoted matches a quoted text, in which no number is a parameter.
const quoted = `"(?:[^"\\]|\\.)*"|`

// parameter matches a number in the text of an event or a law, after its name, or a quoted text.
var parameter = regexp.MustCompile(quoted + `(σ=|b=|γ=|ε=|ρ=|δ=|q=|mean )(\d+(?:\.\d+)?(?:e[+-]?\d+)?)`)

// RoundParameters returns the text of an event or a law with each parameter rounded to six
// significant digits, for people. Noise multipliers (σ, b), the parameter γ of a law, and the ε, ρ
// and δ of a part are rounded up. Sampling rates (q) and means are rounded down. So a mechanism
// with the printed numbers costs no more than the exact one. A part costs no more than the printed
// ε, ρ and δ. A name that a user gave to an event is quoted in the text, and stays as it is.
func RoundParameters(text string) string { return roundParameters(text, mostDigits) }

// roundParameters is RoundParameters with the given number of digits.
func roundParameters(text string, digits int) string {
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
		if rounded := numeric.Significant(x, digits, direction); len(rounded) < len(m[2]) {
			return m[1] + rounded
		}
		return found
	})
}

// ofLaw is the mean or the η of a law, behind its name, or a quoted text.
var ofLaw = regexp.MustCompile(quoted + `(mean |η=)(\d+\.\d{3,})\b`)

// describe rewrites the text of an event or a law for a statement. It rounds as RoundParameters,
// to five digits. Long means and η have three digits and the sign ≈, since they are not copied from
// a statement: "mean ≈10.0".
func describe(text string) string {
	text = ofLaw.ReplaceAllStringFunc(text, func(found string) string {
		m := ofLaw.FindStringSubmatch(found)
		x, err := strconv.ParseFloat(m[2], 64)
		if err != nil || len(strings.TrimLeft(m[2], "0.")) <= 5 {
			return found
		}
		return strings.TrimSuffix(m[1], "=") + "≈" + fmt.Sprintf("%#.3g", x)
	})
	return roundParameters(text, 5)
}
