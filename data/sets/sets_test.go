package sets

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/data/internal/rawfile"

	"github.com/dplab/dplab/data"
)

var update = flag.Bool("update", false, "write the table of data/README.md")

// Each data set has a name that is a folder, files that can be verified and downloaded, an error
// with the way to get them, and two parts of one shape that pass Validate.
func TestSets(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range All() {
		t.Run(s.Name, func(t *testing.T) {
			if !regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`).MatchString(s.Name) || seen[s.Name] || s.About == "" || s.Load == nil {
				t.Fatalf("%+v: must have a name of its own of lower-case letters, digits and hyphens, About and Load", s)
			}
			seen[s.Name] = true
			checkFiles(t, s)
			if len(s.Files) > 0 {
				checkMissing(t, s)
			}
			train, test, err := s.Load("")
			if errors.Is(err, data.ErrNotFound) {
				t.Skipf("not on this machine: set %s", data.DirVariable)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(train.Validate(), test.Validate()); err != nil {
				t.Error(err)
			}
			if train.Len() == 0 || test.Len() == 0 || train.Classes != test.Classes || !slices.Equal(train.Shape, test.Shape) {
				t.Errorf("parts of %d and %d examples of %v and %v, %d and %d classes: must be of one kind",
					train.Len(), test.Len(), train.Shape, test.Shape, train.Classes, test.Classes)
			}
		})
	}
}

func checkFiles(t *testing.T, s Set) {
	t.Helper()
	for _, f := range s.Files {
		var other *rawfile.ChecksumError
		if err := f.Sum.Verify(f.Name, nil); !errors.As(err, &other) {
			t.Errorf("%s: checksum %v: %v, want one that an empty file does not have", f.Name, f.Sum, err)
		}
		if len(f.URLs) == 0 {
			t.Errorf("%s: no URL: must have a place to download it from", f.Name)
		}
	}
}

func checkMissing(t *testing.T, s Set) {
	t.Helper()
	_, _, err := s.Load(t.TempDir())
	if !errors.Is(err, data.ErrNotFound) {
		t.Fatalf("in an empty folder: error %v, want one that wraps data.ErrNotFound (rawfile.Locate)", err)
	}
	for _, f := range s.Files {
		if !strings.Contains(err.Error(), f.Name) || !strings.Contains(err.Error(), " "+s.Name+" ") {
			t.Errorf("%v: must name the file %s and the data set %s", err, f.Name, s.Name)
		}
	}
}

// The table of data/README.md is All, written by -update.
func TestREADME(t *testing.T) {
	const path, begin, end = "../README.md", "<!-- sets: written by go test ./data/sets -update -->\n", "<!-- end -->"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no table of data sets between %q and %q", path, begin, end)
	}
	table := "\n| name | what |\n|---|---|\n"
	for _, s := range All() {
		table += fmt.Sprintf("| `%s` | %s |\n", s.Name, s.About)
	}
	want := before + begin + table + "\n" + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(page) != want {
		t.Errorf("the table of %s is out of date: run go test ./data/sets -update", path)
	}
}
