package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/dplab/dplab/data"
)

// A wrong command line is told by field, value and rule before anything is trained or written.
func TestBadInputs(t *testing.T) {
	t.Setenv(data.DirVariable, "")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		line string
		says []string
	}{
		{"mnist", []string{`"mnist"`, "must be a flag"}}, {"-speed 3", []string{"not defined: -speed"}}, {"-chunk", []string{"needs an argument: -chunk"}},
		{"-backend=", []string{`-backend ""`, "must be one of go"}}, {"-backend abacus", []string{`-backend "abacus"`, "must be one of go"}},
		{"-out=", []string{`-out ""`, "must be the file"}}, {"-out .", []string{"-out .", "must be the file"}},
		{"-parts=", []string{`-parts ""`, "must be a folder"}}, {"-parts file", []string{"-parts file", "must be a folder"}},
	}
	for _, value := range []string{"", "abc", "NaN", "1.5", "1e3", "-1", "0", "5001", "99999999999999999999"} {
		cases = append(cases, struct {
			line string
			says []string
		}{"-chunk=" + value, []string{"-chunk", value, "must be a whole number in [1, 5000]"}})
	}
	for _, c := range cases {
		var stdout, stderr bytes.Buffer
		if code := run(strings.Fields(c.line), &stdout, &stderr); code != 2 || stdout.Len() > 0 {
			t.Errorf("train %s: exit code %d, %q, %q: want 2 and nothing on standard output", c.line, code, &stdout, &stderr)
		}
		for _, want := range append(c.says, "train: ") {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("train %s: %q does not say %q", c.line, &stderr, want)
			}
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 1 {
		t.Errorf("refused command lines wrote: %v, %v", entries, err)
	}
	var stdout bytes.Buffer
	if code := run([]string{"-h"}, &stdout, &stdout); code != 0 || !strings.Contains(stdout.String(), "-parts folder") {
		t.Errorf("-h: exit code %d, %q", code, &stdout)
	}
}
