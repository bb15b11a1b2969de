package failure

import (
	"regexp"
	"strings"
)

// hint is what to do about an error, and how the error is known.
type hint struct {
	said *regexp.Regexp
	do   string
}

var hints = []hint{
	{regexp.MustCompile(`expected declaration, found`),
		"statements stand below a line with %%; what is above it, or in a cell without it, declares"},
	{regexp.MustCompile(`assignment mismatch: 1 variable but .* returns 2 values|multiple-value .* error\)\) in `),
		"where the second value is an error, show.Must(f()) is the first alone, and ends the cell if there is an error; else take both: a, b := f()"},
	{regexp.MustCompile(`declared and not used: |" imported and not used`),
		"Go takes an unused variable or import for a mistake: use it, take it away, or write _ = NAME"},
	{regexp.MustCompile(`no required module provides package github\.com/dplab/dplab/|undefined: \w+\.\w+|unknown field \w+ in struct literal of type \w+\.|` +
		`type \*?\w+\.\w+ has no field or method|(not enough|too many) arguments in call to \w+\.`),
		"there is no such package or name here, or it takes other arguments: Tab shows what there is. Where you have not written it yourself, the " +
			"notebook, or the copy that you work on, is of another version than the checkout: delete the copy, and -lab makes one that fits"},
	{regexp.MustCompile(`module lookup disabled by GOPROXY=off|no required module provides package|cannot find module providing package|cannot query module due to -mod`),
		"a cell fetches nothing: it can import Go's own packages, those of this repository, and what the repository requires (go mod download in a terminal fetches all of that)"},
	{regexp.MustCompile(`no space left on device`), "the disk is full: cells are built below the folder for temporary files (TMPDIR)"},
	{regexp.MustCompile(`signal: killed`), "the cell's program was killed: if nobody did it, it took more memory than there is"},
}

var undefined = regexp.MustCompile(`undefined: (\w+)`)

// Hint returns what to do about an error where that can be told, else nothing. earlier are the sources of the cells that ran
// before.
func Hint(said string, earlier []string) string {
	for _, h := range hints {
		if h.said.MatchString(said) {
			return h.do
		}
	}
	for _, m := range undefined.FindAllStringSubmatch(said, -1) {
		made := regexp.MustCompile(`(?m)^\s*(\w+\s*,\s*)*` + m[1] + `(\s*,\s*\w+)*\s*:=`)
		for _, source := range earlier {
			if _, below, ok := strings.Cut("\n"+source, "\n%%"); ok && made.MatchString(below) {
				return m[1] + " was made below %% of an earlier cell, and values do not outlive their cell: make it here, or keep what took long with show.Memo"
			}
		}
	}
	return ""
}
