// Package format writes numbers and texts for people: upper bounds rounded up, lower bounds rounded
// down, and no control characters of a terminal.
package format

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dplab/dplab/accounting/numeric"
)

// Visible quotes a text of the user if a terminal would not show all of it. That is so for a
// control character, an escape sequence, a mark of the direction of writing, or a space at an end.
func Visible(text string) string {
	if text == "" || strings.TrimSpace(text) != text || strings.ContainsFunc(text, hidden) {
		return strconv.Quote(text)
	}
	return text
}

// hidden reports whether a character is not printed. A space is printed.
func hidden(r rune) bool { return !strconv.IsPrint(r) }

// Escaped replaces hidden characters of a message by their Go escapes. Line breaks stay.
func Escaped(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	var out strings.Builder
	for _, r := range text {
		if r == '\n' || !hidden(r) {
			out.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		out.WriteString(quoted[1 : len(quoted)-1])
	}
	return out.String()
}

// mostShown is the number of characters of a long mechanism that people are shown.
const mostShown = 1000

// Shortened cuts a text that would fill the screen.
func Shortened(text string) string {
	if runes := []rune(text); len(runes) > mostShown {
		return string(runes[:mostShown]) + fmt.Sprintf(" ... (cut; -json has all %d characters)", len(runes))
	}
	return text
}

// knownEvents is the list that an accountant adds to its refusal. dpcost plan -h has the complete
// list.
var knownEvents = regexp.MustCompile(` \(known: [^()]*\)`)

// accountantNames is a prefix of a line that its repetition may lack.
var accountantNames = regexp.MustCompile(`^([a-z]+: )+`)

// OnceEach drops lines that repeat an earlier one, also from another accountant.
func OnceEach(message string) string {
	var lines []string
	for _, line := range strings.Split(message, "\n") {
		line = knownEvents.ReplaceAllString(line, "")
		said := accountantNames.ReplaceAllString(line, "")
		if !slices.ContainsFunc(lines, func(earlier string) bool { return strings.HasSuffix(earlier, said) }) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Digits is the number of significant digits that are printed. MostDigits is that of a float64.
const Digits, MostDigits = 6, 17

// RoundUp writes x with six digits, never below x.
func RoundUp(x float64) string { return numeric.Significant(x, Digits, +1) }

// FourDecimals writes x with four decimals, never below x.
func FourDecimals(x float64) string {
	if math.IsInf(x, 1) || x > 1e8 {
		return RoundUp(x)
	}
	return numeric.Decimals(x, 4, +1)
}
