package results_test

import (
	"io/fs"
	"testing"

	"github.com/dplab/dplab/notebooks/results"
)

// The stored results are small enough for a repository: under 10 MB in all.
func TestStoredResultsAreSmall(t *testing.T) {
	const most = 10_000_000
	entries, err := fs.ReadDir(results.Stored, ".")
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d stored results, %v", len(entries), err)
	}
	var total int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total >= most {
		t.Errorf("the stored results have %d bytes: must be under %d", total, most)
	}
}
