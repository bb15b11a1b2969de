package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// visible quotes a text of the user if a terminal would do something else than show it: a control
// character, an escape sequence, a mark that turns the direction of writing, a space at an end.
func visible(text string) string {
	if text == "" || strings.TrimSpace(text) != text || strings.ContainsFunc(text, hidden) {
		return strconv.Quote(text)
	}
	return text
}

// hidden reports whether a character has no shape. A space has one.
func hidden(r rune) bool { return !strconv.IsPrint(r) }

// escaped replaces hidden characters of a message by their Go escapes, but for its line breaks.
func escaped(text string) string {
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

// mostShown is how much of a long mechanism is shown to people, in characters.
const mostShown = 1000

// shortened cuts a text that would fill the screen.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > mostShown {
		return string(runes[:mostShown]) + fmt.Sprintf(" ... (%d characters in all; -json has them)", len(runes))
	}
	return text
}

// knownEvents is the list that an accountant adds to its refusal; dpcost plan -h has the whole.
var knownEvents = regexp.MustCompile(` \(known: [^()]*\)`)

// accountantNames are what a line may start with that others say without it.
var accountantNames = regexp.MustCompile(`^([a-z]+: )+`)

// onceEach drops lines that say what an earlier one said, whichever accountant says it.
func onceEach(message string) string {
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
