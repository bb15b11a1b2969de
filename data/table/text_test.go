package table

import (
	"slices"
	"strings"
	"testing"
)

// By hand: words are found in any case, among signs, and no part of a word is one.
func TestText(t *testing.T) {
	s := Schema{
		Features: []Feature{Text{Column: "review", Vocabulary: []string{"good", "don't", "well-made", "9", "été"}}, Number{Column: "stars", High: 10}},
		Target:   Classes{Column: "liked", Values: []string{"no", "yes"}},
	}
	d := read(t, s, "review,stars,liked\n"+
		"\"GOOD, good ('good')!\nDon't\",5,yes\n"+
		"goodness - well-made; 99,5,no\n"+
		",5,no\n"+
		"--9-- Été,5,yes\n")
	want := []float32{
		1, 1, 0, 0, 0, 0,
		0, 0, 1, 0, 0, 0,
		0, 0, 0, 0, 0, 0,
		0, 0, 0, 1, 1, 0,
	}
	if !slices.Equal(d.Features, want) || !slices.Equal(d.Shape, []int{6}) {
		t.Errorf("features %v of shape %v, want %v", d.Features, d.Shape, want)
	}
	names := []string{"review:good", "review:don't", "review:well-made", "review:9", "review:été", "stars"}
	if got := s.FeatureNames(); !slices.Equal(got, names) {
		t.Errorf("features %q, want %q", got, names)
	}
}

func TestBadVocabularies(t *testing.T) {
	for want, words := range map[string][]string{
		`Text "x": Vocabulary is empty: must have at least one word: declare a public list`: nil,
		`Text "x": Vocabulary[1] "a": must occur once`:                                      {"a", "a"},
		`Vocabulary[0] "Good": must be one word in lower case, in UTF-8, as "good"`:         {"Good"},
		`Vocabulary[0] "very good": must be one word in lower case`:                         {"very good"},
		`Vocabulary[0] "": must be one word`:                                                {""},
		`Vocabulary[0] "priv\xe9": must be one word in lower case, in UTF-8`:                {"priv\xe9"},
	} {
		s := Schema{Features: []Feature{Text{Column: "x", Vocabulary: words}}, Target: Classes{Column: "y", Values: []string{"a", "b"}}}
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	s := Schema{Features: []Feature{Text{Column: "x", Vocabulary: slices.Repeat([]string{"A"}, 1000)}}}
	if err := s.Validate(); err == nil || strings.Count(err.Error(), "\n") > 20 {
		t.Errorf("a thousand faults: %.200v", err)
	}
}
