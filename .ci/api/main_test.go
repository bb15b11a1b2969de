package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module writes files of a module m and returns its folder.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "go.mod"), "module example.com/m\n\ngo 1.24\n")
	for name, text := range files {
		write(t, filepath.Join(root, name), text)
	}
	return root
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const before = `package a

import "io"

// Limit and Default are a constant and a variable.
const Limit = 3

var Default = Event{}

type Event struct {
	Rate  float64
	Inner *Event
	count int
}

func (e Event) Price(delta float64) (epsilon float64, err error) { return 0, nil }
func (e *Event) Reset()                                         {}
func (e Event) hidden()                                         {}

type Accountant interface {
	EpsilonAt(delta float64) float64
}

type Law interface {
	Mean() float64
	sealed()
}

type Curve = func(order float64) float64

func Must[T any](value T, err error) T                      { return value }
func Write(w io.Writer, curves ...func(order float64) float64) {}
func unexported()                                           {}
`

func TestExported(t *testing.T) {
	root := module(t, map[string]string{
		"a/a.go":            before,
		"free/free.go":      "package free\n\nfunc Free() {}\n",
		"user/user.go":      "package user\n\nimport \"example.com/m/a\"\n\ntype Wrapped struct{ *a.Event }\n",
		"a/a_linux_test.go": "package a\n\nfunc Tested() {}\n",
	})
	got, err := exported(root, []string{"a", "user"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a, const Limit untyped int",
		"a, func Must[T any](T, error) T",
		"a, func Write(io.Writer, ...func(float64) float64)",
		"a, method (*Event) Reset()",
		"a, method (Accountant) EpsilonAt(float64) float64",
		"a, method (Event) Price(float64) (float64, error)",
		"a, method (Law) Mean() float64",
		"a, type Accountant interface {EpsilonAt}",
		"a, type Curve = func(float64) float64",
		"a, type Event struct",
		"a, type Event struct, Inner *Event",
		"a, type Event struct, Rate float64",
		"a, type Law interface {unexported methods}",
		"a, var Default Event",
		"user, method (Wrapped) Price(float64) (float64, error)",
		"user, method (Wrapped) Reset()",
		"user, type Wrapped struct",
		"user, type Wrapped struct, Event *a.Event",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Each change is made to the package of before, whose names are the last version.
func TestRun(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		next     string
		dropped  bool   // from the list of packages
		fault    string // "" if the check passes
	}{
		"no change":                          {},
		"a new function":                     {new: "\nfunc New() {}\n"},
		"a new field":                        {old: "count int", new: "count, Steps int"},
		"another name of a parameter":        {old: "Price(delta float64)", new: "Price(d float64)"},
		"another value of a constant":        {old: "Limit = 3", new: "Limit = 4"},
		"a method of a sealed interface":     {old: "sealed()", new: "sealed()\n\tVariance() float64"},
		"a function is gone":                 {old: "func Must[T any](value T, err error) T                      { return value }", fault: "gone: a, func Must[T any](T, error) T"},
		"a field has another type":           {old: "Rate  float64", new: "Rate  float32", fault: "gone: a, type Event struct, Rate float64"},
		"a method takes one argument more":   {old: "Price(delta float64)", new: "Price(delta float64, steps int)", fault: "gone: a, method (Event) Price(float64) (float64, error)"},
		"a method needs a pointer":           {old: "(e Event) Price", new: "(e *Event) Price", fault: "gone: a, method (Event) Price"},
		"a method of an open interface":      {old: "EpsilonAt(delta float64) float64\n", new: "EpsilonAt(delta float64) float64\n\tName() string\n", fault: "gone: a, type Accountant interface {EpsilonAt}"},
		"a package off the list":             {dropped: true, fault: "gone: a, type Event struct"},
		"a package off the list on purpose":  {dropped: true, next: "a # nobody imports it\n"},
		"a name of it broken before":         {dropped: true, next: "a # nobody imports it\na, const Limit untyped int # nobody\n"},
		"a package broken, but on the list":  {old: "const Limit = 3\n", next: "a # nobody imports it\n", fault: "breaks nothing: a"},
		"a deliberate break":                 {old: "const Limit = 3\n", next: "# of v0.11.0\n\na, const Limit untyped int # nobody reached it\n"},
		"a break without a reason":           {old: "const Limit = 3\n", next: "a, const Limit untyped int #\n", fault: "has no reason"},
		"a break of what is still there":     {next: "a, const Limit untyped int # nobody reached it\n", fault: "breaks nothing: a, const Limit"},
		"a break of what never was":          {next: "a, const Most untyped int # nobody reached it\n", fault: "breaks nothing: a, const Most"},
		"a deliberate break, and another":    {old: "func (e *Event) Reset()                                         {}\n", new: "", next: "a, const Limit untyped int # nobody\n", fault: "gone: a, method (*Event) Reset()"},
		"a package that does not even build": {new: "\nvar x int = \"\"\n", fault: "go list"},
	} {
		t.Run(name, func(t *testing.T) {
			text := before + c.new
			if c.old != "" {
				if text = strings.Replace(before, c.old, c.new, 1); text == before {
					t.Fatalf("%q is not in the package", c.old)
				}
			}
			root := module(t, map[string]string{"a/a.go": before, "b/b.go": "package b\n", ".ci/api/packages.txt": "# the list\nb\na\n"})
			var out strings.Builder
			if err := run(root, "v0.9.0", &out); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(root, "a/a.go"), text)
			if c.next != "" {
				write(t, filepath.Join(root, ".ci/api/next.txt"), c.next)
			}
			if c.dropped {
				write(t, filepath.Join(root, ".ci/api/packages.txt"), "b\n")
			}
			err := run(root, "", &out)
			if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
				t.Errorf("%v, want %q", err, c.fault)
			}
		})
	}
}

// An update empties the list of breaks. The next run compares with it, and prints the counts.
func TestUpdate(t *testing.T) {
	root := module(t, map[string]string{"a/a.go": before, ".ci/api/packages.txt": "a\n", ".ci/api/next.txt": "a, func Gone() # of the version before\n"})
	var out strings.Builder
	if err := run(root, "", &out); err == nil {
		t.Error("no version was written: want an error")
	}
	if err := run(root, "v0.1.0", &out); err != nil {
		t.Fatal(err)
	}
	if err := run(root, "", &out); err != nil || out.String() != "1 packages promise 14 exported names\n" {
		t.Errorf("%v, %q", err, out.String())
	}
}

// The newest version of the changelog is the last one whose names are written.
func TestChangelogAndNamesAgree(t *testing.T) {
	first := func(name, after string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut("\n"+string(text), after)
		return strings.Fields(rest + " none")[0]
	}
	if newest, last := first("../../CHANGELOG.md", "\n## v"), first("names.txt", "\n# v"); newest != last {
		t.Errorf("the changelog's newest version is v%s, that of the names v%s: run go run ./.ci/api -update v%s", newest, last, newest)
	}
}
