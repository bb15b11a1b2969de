package table

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/dplab/dplab/accounting/check"
)

// Schema declares the columns of a file, without having seen it.
type Schema struct {
	Name     string    // of the data set; "" takes that of the file
	Features []Feature // in their order in an example. Required.
	Target   Target    // what is to be predicted. Required.
	Ignore   []string  // columns that are not read, "" for one without a name. A column outside the schema is an error.
	Comma    rune      // between fields; 0 is ','
	Decimal  rune      // in numbers: ',' as in 7,4, or 0, which is '.'
	Missing  []string  // words that count as an empty field in every column, such as "NA", "nan" or "?"
	Names    []string  // of all columns in order, for a file without a first line of names
}

// Feature is a column that becomes features: a [Number], a [Date], a [Category] or a [Text].
type Feature interface {
	column() string
	names() []string // of the features
	validate(f *check.Faults)
	appender() appender
}

// appender adds the features of a field.
type appender func(features []float32, field string) ([]float32, error)

// Validate returns every fault of the schema, joined.
func (s Schema) Validate() error {
	f := check.In("table: ")
	f.That(len(s.Features) > 0, "Schema.Features", "is empty", "must name at least one column")
	for i, feature := range s.Features {
		if feature == nil {
			f.That(false, fmt.Sprintf("Schema.Features[%d]", i), "is nil", "must be a Number, a Date, a Category or a Text")
			continue
		}
		feature.validate(f)
	}
	if s.Target == nil {
		f.That(false, "Schema.Target", "is nil", "must be Classes, Real or Labels")
	} else {
		s.Target.validate(f)
	}
	f.That(s.Comma == 0 || validComma(s.Comma), "Schema.Comma", fmt.Sprintf("%q", s.Comma), "must be one character, and no quote or end of line")
	f.That(s.Decimal == 0 || s.Decimal == '.' || s.Decimal == ',', "Schema.Decimal", fmt.Sprintf("%q", s.Decimal), "must be ',' or '.'")
	s.validateNames(f)
	s.validateMissing(f)
	return f.Err()
}

func validComma(r rune) bool { return r > 0 && r != '"' && r != '\r' && r != '\n' && r != '\uFFFD' }

// validateNames adds columns that are in the schema twice, or have no name.
func (s Schema) validateNames(f *check.Faults) {
	seen := map[string]bool{}
	read := len(s.columns()) - len(s.Ignore)
	for i, name := range s.columns() {
		f.That(name != "" || i >= read, "Schema: a column's name", "is empty", "must be one of the file's first line")
		f.That(name == "" && i < read || !seen[name], "Schema: column", fmt.Sprintf("%q", name), "must be named once (as a feature, the target or in Ignore)")
		f.That(name == trimmed(name), "Schema: column", fmt.Sprintf("%q", name), "must have no spaces around it")
		seen[name] = true
	}
}

// validateMissing adds words that the schema declares both as missing and as a value.
func (s Schema) validateMissing(f *check.Faults) {
	var words []string
	for _, feature := range s.Features {
		if c, ok := feature.(Category); ok {
			words = append(words, c.Values...)
		}
	}
	switch target := s.Target.(type) {
	case Classes:
		words = append(words, target.Values...)
	case Labels:
		words = append(words, target.words()...)
	}
	for i, word := range s.Missing {
		f.That(!slices.Contains(words, word), fmt.Sprintf("Schema.Missing[%d]", i), fmt.Sprintf("%q", word), `must not be a value of a column: declare "" there, an empty field`)
		f.That(word == trimmed(word), fmt.Sprintf("Schema.Missing[%d]", i), fmt.Sprintf("%q", word), "must have no spaces around it")
	}
}

// columns returns all columns in the schema.
func (s Schema) columns() []string {
	var names []string
	for _, feature := range s.Features {
		if feature != nil {
			names = append(names, feature.column())
		}
	}
	if s.Target != nil {
		names = append(names, s.Target.columns()...)
	}
	return append(names, s.Ignore...)
}

// FeatureNames returns the meaning of each number of an example: "age", or "sector=public" for a
// word.
func (s Schema) FeatureNames() []string {
	var names []string
	for _, feature := range s.Features {
		names = append(names, feature.names()...)
	}
	return names
}

// Assumptions returns the assumptions of a guarantee for data that were read by the schema. Use
// them in dptune.Search.Assumptions.
func (s Schema) Assumptions() []string {
	return []string{"the bounds, the values and the order of the columns were chosen without looking at the data"}
}

// validateWords adds the faults of a list of words: too few, words listed twice, and words that no
// field can equal.
func validateWords(f *check.Faults, field string, words []string, least int) {
	f.That(len(words) >= least, field, fmt.Sprintf("has %d words", len(words)), fmt.Sprintf("must have at least %d: declare all that the column may hold, since a list from the file would reveal records", least))
	for i, word := range words {
		f.That(!slices.Contains(words[:i], word), field, fmt.Sprintf("has %q twice", word), "must have each word once")
		f.That(word == trimmed(word), field, fmt.Sprintf("has %q", word), "must have no spaces around a word")
		f.That(utf8.ValidString(word), field, fmt.Sprintf("has %q", word), "must be text in UTF-8, as the file")
	}
}
