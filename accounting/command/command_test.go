package command

import (
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// A flag that cannot be read says the rule, and one that can has its value.
func TestFlagsSayTheRule(t *testing.T) {
	var whole int
	var number float64
	var on bool
	parse := func(args ...string) error {
		set := flag.NewFlagSet("x", flag.ContinueOnError)
		set.SetOutput(io.Discard)
		WholeVar(set, &whole, "whole", "")
		NumberVar(set, &number, "number", "")
		SwitchVar(set, &on, "on", "")
		return set.Parse(args)
	}
	if err := parse("-whole", "7", "-number", "1e-5", "-on"); err != nil || whole != 7 || number != 1e-5 || !on {
		t.Errorf("%v: %d, %g, %v", err, whole, number, on)
	}
	for arg, rule := range map[string]string{"-whole=1.5": "must be a whole number", "-number=x": "must be a finite number", "-number=1_0": "in decimal digits", "-number=0x1p3": "in decimal digits", "-number=1e-400": "is too near 0", "-whole=1_0": "must be a whole number", "-on=maybe": "must be true or false"} {
		if err := parse(arg); err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("%s: error %v, want one with %q", arg, err, rule)
		}
	}
}

// Package flag reads 0x10 and 1_0 as whole numbers, 010 as 8, and hexadecimal floats: no flag of
// this module is of its kinds, and no number is read in the base that its digits name. Flags of
// other kinds say their rule.
func TestNoFlagReadsOtherDigitsThanDecimal(t *testing.T) {
	loose := regexp.MustCompile(`\.(Int|Int64|Uint|Uint64|Float64)(Var)?\((&[\w.]+, )?"|strconv\.Parse(Int|Uint)\([^()]*(\([^()]*\))?[^()]*, 0, `)
	files := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir() && entry.Name() == "testdata":
			return err
		case entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		for _, found := range loose.FindAllString(string(text), -1) {
			if object := strings.Contains(string(text), "eventjson.Object") || filepath.Base(filepath.Dir(path)) == "eventjson"; !object || !strings.HasPrefix(found, ".Int(") {
				t.Errorf("%s: %s: must be WholeVar, NumberVar, or base 10", path, found)
			}
		}
		return err
	})
	if err != nil || files < 300 {
		t.Errorf("%d files were read, %v", files, err)
	}
}

// A flag that nobody defined names those that are; other errors stay as they are.
func TestUnknownFlagNamesTheOthers(t *testing.T) {
	set := flag.NewFlagSet("x", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	var number float64
	NumberVar(set, &number, "target-epsilon", "")
	NumberVar(set, &number, "noise", "")
	if err := Known(set, set.Parse([]string{"-epsilon", "3"})); err == nil || err.Error() != "flag provided but not defined: -epsilon: it is called -target-epsilon here" {
		t.Errorf("error %v", err)
	}
	bad := set.Parse([]string{"-noise", "x"})
	if err := Known(set, bad); bad == nil || err != bad || Known(set, nil) != nil {
		t.Errorf("error %v became %v", bad, err)
	}
}

func TestLinesFitATerminal(t *testing.T) {
	long := "name  " + strings.Repeat("ε word ", 40)
	for i, line := range strings.Split(Wrap(long), "\n") {
		if n := utf8.RuneCountInString(line); n > 80 || i > 0 && !strings.HasPrefix(line, "      ") {
			t.Errorf("line %d has %d columns: %q", i, n, line)
		}
	}
	if short := "a  b\nc"; Wrap(short) != short {
		t.Errorf("short lines became %q", Wrap(short))
	}
}

// What is tried is left as it was: a file keeps its text, and none is made.
func TestCheckWritableLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	fresh, old := filepath.Join(dir, "fresh"), filepath.Join(dir, "old")
	if err := os.WriteFile(old, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fresh, old} {
		if err := CheckWritable(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(fresh); err == nil {
		t.Error("a file was made")
	}
	if text, err := os.ReadFile(old); err != nil || string(text) != "text" {
		t.Errorf("a file became %q (%v)", text, err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "none", "file")} {
		if CheckWritable(path) == nil {
			t.Errorf("%s: no error", path)
		}
	}
}
