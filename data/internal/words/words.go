// Package words cuts text into words.
package words

import (
	"strings"
	"unicode"
)

// Split cuts a text into lower-case runs of letters and digits, with inner apostrophes and hyphens.
func Split(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-'
	})
	out := list[:0]
	for _, word := range list {
		if word = strings.Trim(word, "'-"); word != "" {
			out = append(out, word)
		}
	}
	return out
}
