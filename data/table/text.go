package table

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data/internal/words"
)

// Text is a column of free text, one feature for each word of a vocabulary: 1 if the text has the
// word, and 0 if not. Other words, their order and their number are not read.
//
// Words of a text are its runs of letters and digits in lower case, with inner apostrophes and
// hyphens: "Don't!" is don't. An empty field has none.
//
// The vocabulary must be public, such as the most frequent words of a language. One that was
// counted in the records would reveal records. Each record takes 4 bytes of memory for each word of
// the vocabulary.
type Text struct {
	Column     string   // Required.
	Vocabulary []string // distinct words, as Text reads them. Required.
}

func (t Text) column() string { return t.Column }

func (t Text) names() []string {
	names := make([]string, len(t.Vocabulary))
	for k, word := range t.Vocabulary {
		names[k] = t.Column + ":" + word
	}
	return names
}

func (t Text) validate(f *check.Faults) {
	field := fmt.Sprintf("Text %q: Vocabulary", t.Column)
	f.That(len(t.Vocabulary) > 0, field, "is empty", "must have at least one word: declare a public list, since a list from the file would reveal records")
	seen, wrong := map[string]bool{}, 0
	for k, word := range t.Vocabulary {
		read := words.Split(word)
		rule := "must be one word in lower case, in UTF-8"
		if len(read) == 1 && utf8.ValidString(read[0]) {
			rule += fmt.Sprintf(", as %q", read[0])
		}
		one := slices.Equal(read, []string{word}) && utf8.ValidString(word)
		f.That(one, fmt.Sprintf("%s[%d]", field, k), quoted(word), rule)
		f.That(!seen[word], fmt.Sprintf("%s[%d]", field, k), quoted(word), "must occur once")
		if !one || seen[word] {
			wrong++
		}
		if seen[word] = true; wrong > maxFaults/2 { // each has two at most
			return
		}
	}
}

func (t Text) appender() appender {
	at := map[string]int{}
	for k, word := range t.Vocabulary {
		at[word] = k
	}
	return func(features []float32, field string) ([]float32, error) {
		start := len(features)
		features = append(features, make([]float32, len(t.Vocabulary))...)
		for _, word := range words.Split(field) {
			if k, ok := at[word]; ok {
				features[start+k] = 1
			}
		}
		return features, nil
	}
}
