package prose

import (
	"encoding/json"
	"flag"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dplab/dplab/notebooks/run/nbformat"
)

var lower = flag.Bool("lower", false, "write the counts of today into testdata/english.json, where they have fallen")

// habits are words that STYLE asks to replace, and what a reader stumbles over. Quotations are not
// told apart.
var habits = map[string]*regexp.Regexp{
	"says":              regexp.MustCompile(`\b[Ss]ays?\b`),
	"tells":             regexp.MustCompile(`\b[Tt]ells?\b`),
	"so that":           regexp.MustCompile(`\b[Ss]o that\b`),
	"of/for/with which": regexp.MustCompile(`\b(of|for|with|by|from) which\b`),
	"alone":             regexp.MustCompile(`\balone\b`),
	"beside":            regexp.MustCompile(`\b[Bb]eside\b`),
	"stands":            regexp.MustCompile(`\bstands?\b`),
	"of its own":        regexp.MustCompile(`\bof (its|their|one's|your) own\b`),
	"is no":             regexp.MustCompile(`\b(is|are) no [a-z]`),
	"bare who":          regexp.MustCompile(`(^|[.:;,(] )[Ww]ho(ever)? [a-z]+|\b(for|of|by|to|than|if) who\b`),
}

// TestHabitsOfEnglish counts such words in doc comments, pages and notebooks, and comment lines of
// over 100 characters. A count may fall and never rise: testdata/english.json has today's.
func TestHabitsOfEnglish(t *testing.T) {
	const wide = "comment lines over 100"
	counts := map[string]int{wide: 0}
	for name := range habits {
		counts[name] = 0
	}
	count := func(text string) {
		text = strings.Join(strings.Fields(text), " ")
		for name, pattern := range habits {
			counts[name] += len(pattern.FindAllString(text, -1))
		}
	}
	const root = "../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "out" || d.Name() == "results") {
			return filepath.SkipDir
		}
		switch {
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, group := range file.Comments {
				count(group.Text())
				for _, c := range group.List {
					for line := range strings.Lines(c.Text) {
						if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 100 {
							counts[wide]++
						}
					}
				}
			}
		case strings.HasSuffix(path, ".md") && filepath.Base(path) != "CHANGELOG.md":
			data, err := os.ReadFile(path)
			count(string(data))
			return err
		case strings.HasSuffix(path, ".ipynb"):
			n, err := nbformat.ReadFile(path)
			if err != nil {
				return err
			}
			for _, cell := range n.Cells {
				if cell.Type == "markdown" {
					count(cell.Source)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const stored = "testdata/english.json"
	most := map[string]int{}
	data, err := os.ReadFile(stored)
	if err == nil {
		err = json.Unmarshal(data, &most)
	}
	if err != nil && !*lower {
		t.Fatal(err)
	}
	for name, n := range counts {
		limit, known := most[name]
		switch {
		case *lower && (!known || n < limit):
			most[name] = n
		case n > limit:
			t.Errorf("%q: %d, and %s allows %d: rewrite the new ones (STYLE: reports, lists, only, next to, is not a, anyone who; comment lines to 100)", name, n, stored, limit)
		case n < limit:
			t.Logf("%q: %d, below the %d of %s: go test ./notebooks/prose -lower", name, n, limit, stored)
		}
	}
	if *lower {
		data, err := json.MarshalIndent(most, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(stored, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
