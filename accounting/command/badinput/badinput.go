// Package badinput tests the commands of this module with lists of bad command lines. Each must end
// with its exit code and a message that names field, value and rule. It must print nothing on
// standard output and write no file. The package is for tests.
//
// It promises nothing to other modules.
package badinput

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// least is the least number of bad inputs for each command, 797 in all. There are some more if the
// system has /dev/full and reports its free memory. A shorter list fails. After adding lines, raise
// the number here.
var least = map[string]int{
	"dpcost":  373,
	"dpaudit": 205,
	"dpbench": 144,
	"train":   42,
	"run":     33,
}

// Line is a command line, its exit code, and the parts of its message.
type Line struct {
	Args []string
	Code int
	Says []string
}

// Of splits a command line at its spaces.
func Of(code int, line string, says ...string) Line { return Line{strings.Fields(line), code, says} }

// Refused returns command lines with bad values of a flag after other arguments. The message must
// have the flag, the value as written, and the word "must".
func Refused(before []string, flag string, values ...string) (lines []Line) {
	for _, value := range values {
		lines = append(lines, Line{append(slices.Clone(before), "-"+flag+"="+value), 2, []string{"-" + flag, value, "must "}})
	}
	return lines
}

// Command is one of the counted commands.
type Command struct {
	Name   string
	Run    func(args []string) (code int, stdout, stderr string)
	Prefix string   // of every message
	Never  []string // words that no message may have: internals that the user has not written
}

// Check runs all lines in the working directory.
func (c Command) Check(t *testing.T, lines []Line) {
	t.Helper()
	if want, counted := least[c.Name]; !counted || len(lines) < want {
		t.Errorf("%s: %d bad inputs: must be at least %d", c.Name, len(lines), want)
	}
	before := written(t)
	for _, l := range lines {
		code, stdout, stderr := c.Run(l.Args)
		if code != l.Code || stdout != "" {
			t.Errorf("%s %q: exit %d, %q, %q, want exit %d and nothing on standard output", c.Name, l.Args, code, stdout, stderr, l.Code)
		}
		for _, want := range append(slices.Clone(l.Says), c.Prefix) {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s %q: message %q lacks %q", c.Name, l.Args, stderr, want)
			}
		}
		if word := Repeated(stderr); word != "" {
			t.Errorf("%s %q: message %q has %q twice", c.Name, l.Args, stderr, word)
		}
		for _, never := range append(c.Never, "parse error", "invalid syntax", "goroutine 1") {
			if strings.Contains(stderr, never) {
				t.Errorf("%s %q: message %q has %q, which the user did not write", c.Name, l.Args, stderr, never)
			}
		}
	}
	if after := written(t); !slices.Equal(after, before) {
		t.Errorf("%d refused command lines wrote: files before %q, after %q", len(lines), before, after)
	}
	t.Logf("%d bad inputs", len(lines))
}

// name is a name at the start of a message, or after another one: "accounting: ".
var name = regexp.MustCompile(`(?:^|: )([a-z][a-z0-9]*: )`)

// Repeated returns the first name of a package or a program that a line of a message has twice. An
// example is "accounting" in "dpcost: accounting: accounting: delta 3: must be in (0, 1)". It
// returns "" if no name is repeated.
func Repeated(message string) string {
	for line := range strings.SplitSeq(message, "\n") {
		seen := map[string]bool{}
		for at := 0; ; {
			m := name.FindStringSubmatchIndex(line[at:])
			if m == nil {
				break
			}
			word := line[at+m[2] : at+m[3]]
			if seen[word] {
				return word
			}
			seen[word] = true
			at += m[3] - 2 // the next one may begin at this one's colon
		}
	}
	return ""
}

// written lists the files of the working directory and below.
func written(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
