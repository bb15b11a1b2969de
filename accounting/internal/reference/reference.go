// Package reference reads the numbers in testdata for tests.
package reference

import (
	"encoding/csv"
	"strconv"
	"strings"
	"testing"
)

// Rows returns the numbers of a CSV text. Its first line must be a comment that names the script
// and the tools that made it, and its second line a header. A text of another form fails the test.
func Rows(t *testing.T, text string) (source string, rows [][]float64) {
	t.Helper()
	source, _, _ = strings.Cut(text, "\n")
	if !strings.HasPrefix(source, "#") {
		t.Fatalf("reference: first line %q: must be a comment that names the source", source)
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	records, err := r.ReadAll()
	if err != nil || len(records) < 2 {
		t.Fatalf("reference: %d records, %v: must be a header and rows", len(records), err)
	}
	for _, record := range records[1:] {
		row := make([]float64, len(record))
		for i, field := range record {
			if row[i], err = strconv.ParseFloat(field, 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row)
	}
	return source, rows
}
