package main

import (
	"os"
	"testing"
)

// The commands break lines, read numbers and try files the same way. No package that all may import is right for it:
// internal packages of accounting are closed to audit, and a top-level one for so few lines is not worth it. So
// the files are there more than once, and must stay the same.
func TestFilesOfTheOtherCommands(t *testing.T) {
	for file, commands := range map[string][]string{
		"wrap.go": {"../../accounting/dpcost"}, "values.go": {"../../dptune/dpsgd/dpbench"}, "writable.go": {"../../accounting/dpcost", "../../dptune/dpsgd/dpbench"},
	} {
		ours, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range commands {
			theirs, err := os.ReadFile(command + "/" + file)
			if err != nil {
				t.Fatal(err)
			}
			if string(ours) != string(theirs) {
				t.Errorf("%s differs from that of %s: change both", file, command)
			}
		}
	}
}
