package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each command and each plan of the page has an answer.
func TestEveryPriceOfThePage(t *testing.T) {
	page, err := os.ReadFile("../WHICH.md")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, row := range strings.Split(string(page), "\n") {
		for _, span := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row, -1) {
			line, isCommand := strings.CutPrefix(span[1], "dpcost ")
			switch {
			case strings.HasPrefix(span[1], "{"):
				line = "plan " + filepath.Join(t.TempDir(), "plan.json")
				if err := os.WriteFile(strings.Fields(line)[1], []byte(span[1]), 0o644); err != nil {
					t.Fatal(err)
				}
			case !isCommand || strings.HasSuffix(line, "FILE"):
				continue
			}
			asked++
			if stdout, stderr, code := call(t, line); code != 0 || stderr != "" || !regexp.MustCompile(`epsilon|ε ≤`).MatchString(stdout) {
				t.Errorf("%s: code %d, %s%s", span[1], code, stderr, stdout)
			}
		}
	}
	if asked < 40 {
		t.Errorf("%d questions", asked)
	}
}
