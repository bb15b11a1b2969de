package failure

import (
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Cells are the cells around a failure.
type Cells struct {
	Failed  string   // source of the cell that failed
	Earlier []Ran    // the cells that ran before it, in the same kernel
	Saved   []string // sources of all code cells of the notebook, as saved; nil if unknown
	Root    string   // folder of the repository; empty if unknown
}

// Ran is a cell that ran.
type Ran struct {
	Number int // in the notebook's margin
	Source string
}

// Hint returns what to do about an error, or the empty string.
func Hint(said string, c Cells) string {
	if do := c.python(said); do != "" {
		return do
	}
	if do := c.redeclared(said); do != "" {
		return do
	}
	for _, h := range hints {
		if h.of.MatchString(said) {
			return h.do
		}
	}
	if m := unknown.FindStringSubmatch(said); m != nil {
		return c.unknownName(m)
	}
	if m := noPackage.FindStringSubmatch(said); m != nil {
		return c.unknownPackage(m[1])
	}
	if arguments.MatchString(said) {
		return "Shift-Tab shows the arguments. " + oldCopy
	}
	for _, h := range late {
		if h.of.MatchString(said) {
			return h.do
		}
	}
	for _, m := range undefined.FindAllStringSubmatch(said, -1) {
		if do := c.undefined(m[1]); do != "" {
			return do
		}
	}
	switch { // what hides behind other errors comes last
	case strings.Contains(said, "undefined: "):
	case strings.Contains(said, "(no value) used as value"):
		return "this function returns nothing: call it first, and use what it changed, as in slices.Sort(xs), which sorts xs itself"
	case strings.Contains(said, "declared and not used: "), strings.Contains(said, "\" imported and not used"):
		return "Go refuses unused variables and imports: use it, remove it, or write _ = NAME"
	}
	return ""
}

// hint is the advice for an error, with the pattern that recognizes it.
type hint struct {
	of *regexp.Regexp
	do string
}

// hints come before the names that do not exist.
var hints = []hint{
	{regexp.MustCompile(`expected declaration, found`),
		"put statements below a line with %%; above it, and in a cell without it, only declarations are allowed"},
	{regexp.MustCompile(`expected '}', found 'EOF'`), "a { in this cell has no matching }"},
	{regexp.MustCompile(`assignment mismatch: 1 variable but .* returns 2 values|multiple-value .* error\)\) in `),
		"if the second value is an error, write show.Must(f()): it returns the first value, and ends the cell if there is an error; else take both values: a, b := f()"},
	{regexp.MustCompile(`assignment mismatch: ([2-9] variables .* returns [2-9]|1 variable .* returns [3-9])`),
		"take every value, as in a, b, err := f(), and _ for one that you do not need; then show.Check(err), if the last is an error"},
	{regexp.MustCompile(`\) is not used(\n|$)`),
		"a cell shows only its last value, and not that of a call: print or show it, as in fmt.Println(x), show.Table(x) or show.Plot(x)"},
	{regexp.MustCompile(`, but does have (field|method) \w+\)`), "Go distinguishes capital letters: write the name as the message gives it"},
}

// late come after the names that do not exist.
var late = []hint{
	{regexp.MustCompile(`module lookup disabled by GOPROXY=off|no required module provides package|cannot find module providing package|cannot query module due to -mod`),
		"a cell fetches no packages: it can import Go's own, those of this repository, and those that the repository requires (go mod download in a terminal fetches all of these)"},
	{regexp.MustCompile(`no space left on device`), "the disk is full: cells are built in the folder for temporary files (TMPDIR)"},
	{regexp.MustCompile(`signal: killed`), "the cell's program was killed: if nobody killed it, it needed more memory than there is"},
}

var (
	// unknown matches a name that a package or a type does not have: package and name, or field,
	// package and type, or package, type and member.
	unknown = regexp.MustCompile(`undefined: (\w+)\.(\w+)|unknown field (\w+) in struct literal of type (\w+)\.(\w+)|` +
		`type \*?(\w+)\.(\w+)(?:\[.*\])? has no field or method (\w+)\)`)
	noPackage = regexp.MustCompile(`no required module provides package (github\.com/dplab/dplab/[\w/]+)`)
	arguments = regexp.MustCompile(`(not enough|too many) arguments in call to \w+\.`)
	undefined = regexp.MustCompile(`undefined: (\w+)(?:\n|$)`)
)

// oldCopy is for names that nobody has misspelt.
const oldCopy = "If you did not write this, the notebook is older than the checkout: delete the copy, and -lab makes a new one."

// unknownName is the hint for a match of unknown.
func (c Cells) unknownName(m []string) string {
	pkg, typ, name, what := m[1], "", m[2], "name"
	if m[3] != "" {
		pkg, typ, name, what = m[4], m[5], m[3], "field"
	} else if m[6] != "" {
		pkg, typ, name, what = m[6], m[7], m[8], "field or method"
	}
	names, old := c.exported(pkg, typ), " "+oldCopy
	if c.packages()[pkg] == nil {
		if folders := goPackages()[pkg]; folders != nil {
			names, old = exportedIn(folders, typ), ""
		}
	}
	of, full := pkg, func(found string) string { return pkg + "." + found }
	if typ != "" {
		of, full = pkg+"."+typ, func(found string) string { return found }
	}
	text := of + " has no " + what + " " + name
	if near := nearest(name, names); len(near) > 0 {
		for i := range near {
			near[i] = full(near[i])
		}
		return text + ": did you mean " + strings.Join(near, " or ") + "?" + old
	}
	return text + ": Tab shows what it has." + old
}

// unknownPackage is the hint for a package of the repository that does not exist.
func (c Cells) unknownPackage(pkg string) string {
	packages := c.packages()
	near := nearest(path.Base(pkg), slices.Collect(maps.Keys(packages)))
	if len(near) == 0 {
		return "this repository has no such package. " + oldCopy
	}
	var paths []string
	for _, name := range near {
		for _, folder := range packages[name] {
			if relative, err := filepath.Rel(c.Root, folder); err == nil {
				paths = append(paths, "github.com/dplab/dplab/"+filepath.ToSlash(relative))
			}
		}
	}
	return "did you mean " + strings.Join(paths, " or ") + "? " + oldCopy
}

// undefined is the hint for a name without a package, or the empty string.
func (c Cells) undefined(name string) string {
	made := regexp.MustCompile(`(?m)^\s*(\w+\s*,\s*)*` + name + `(\s*,\s*\w+)*\s*:=`)
	known := declared(c.Failed)
	for _, ran := range c.Earlier {
		if _, below, ok := strings.Cut("\n"+ran.Source, "\n%%"); ok && made.MatchString(below) {
			return name + " was made below %% of an earlier cell, and values do not outlive their cell: make it here again, or cache it with show.Memo"
		}
		for own, line := range declared(ran.Source) {
			known[own] = line
		}
	}
	if known[name] == "" {
		for _, source := range c.Saved {
			if line := declared(source)[name]; line != "" {
				return name + " is declared in a cell that has not run since the kernel started: first run the cell with “" + line + "”"
			}
		}
	}
	if m := regexp.MustCompile(`\b` + name + `\.(\w+)`).FindStringSubmatch(c.Failed); m != nil {
		packages := c.packages()
		if packages[name] != nil || goPackages()[name] != nil {
			return c.unknownName([]string{"", name, m[1], "", "", "", "", "", ""})
		}
		for pkg := range packages {
			known[pkg] = pkg
		}
	}
	delete(known, name)
	if near := nearest(name, slices.Collect(maps.Keys(known))); len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}
