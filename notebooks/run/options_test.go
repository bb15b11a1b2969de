package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting/command/badinput"
)

func TestParseOptions(t *testing.T) {
	dir := t.TempDir()
	o, help, err := parseOptions([]string{"-profile", "full", "-set", "seeds=3", "-set", "name=a=b", "-timeout", "90s", "-out", "o", "-data", dir, "quick*", "-jobs", "3", "b.ipynb"}, io.Discard)
	if err != nil || help {
		t.Fatalf("%v, help %v", err, help)
	}
	if o.Profile != full || o.Set["seeds"] != "3" || o.Set["name"] != "a=b" || o.Timeout != 90*time.Second || o.Out != "o" || o.Data != dir || o.Jobs != 3 ||
		!slices.Equal(o.Names, []string{"quick*", "b.ipynb"}) {
		t.Errorf("options %+v", o)
	}
	if _, help, _ := parseOptions([]string{"-h"}, io.Discard); !help {
		t.Error("-h is not a call for help")
	}
}

// Each wrong flag is an error that names it, its value and the rule.
func TestParseOptionsRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	line := func(line string, says ...string) badinput.Line {
		return badinput.Of(exitUsage, line, says...)
	}
	badinput.Command{Name: "run", Run: func(args []string) (int, string, string) {
		var printed strings.Builder
		if _, _, err := parseOptions(args, &printed); err != nil {
			return exitUsage, printed.String(), err.Error()
		}
		return exitOK, printed.String(), ""
	}}.Check(t, []badinput.Line{
		line("-profile big", `-profile "big": must be quick or full`),
		line("-timeout 0s", "-timeout 0s: must be > 0"),
		line("-timeout -1m", "-timeout -1m0s: must be > 0"),
		line("-timeout soon", `"soon" for flag -timeout: must be a number with its unit, such as 90s`),
		line("-timeout 10", `"10" for flag -timeout: must be a number with its unit, such as 90s`),
		line("-jobs x", `"x" for flag -jobs: must be a whole number`),
		line("-jobs 1.5", `"1.5" for flag -jobs: must be a whole number`),
		line("-check=maybe", `"maybe" for -check: must be true or false`),
		line("-profile=", `-profile "": must be quick or full`),
		line("-out= -data= -notebooks=", `-out "": must be a folder`, `-data "": must be a folder`, `-notebooks "": must be a folder`),
		line("-completion=false quickstart", "-completion=false: only with -lab"),
		line("-lab -completion=no", `"no" for -completion: must be true or false`),
		line("-in-place quickstart", "-in-place: only with -lab"),
		line("-lab -in-place -out o", "-in-place and -out: must not"),
		line("-jobs 0", "-jobs 0: must be >= 1"),
		line("-set seeds", "must be name=value"),
		line("-set =3", "must be name=value"),
		line("-set a=1 -set a=2", "a is set twice"),
		line("-set profile=full", "-set profile=full: is set by -profile full"),
		line("-check -write", "-check and -write: must not"),
		line("-check -set a=1", "-check and -set: must not"),
		line("-lab -check", "-lab: must not be given with -check"),
		line("-lab -profile full", "-lab: must not be given with"),
		line("quickstart -- --allow-root", `"--allow-root" after --: only with -lab`),
		line("-data /none/such", "-data /none/such: must be a folder that exists"),
		line("-data "+file, "must be a folder"),
		line("-backend tpu", `-backend "tpu": must be one of auto, go, xla:cpu, xla:cuda`),
		line("-backend=", `-backend "": must be one of`),
		line("-backend auto -write", "-write and -backend auto: must not be given together"),
		line("-none", "not defined: -none\nAll flags: go run ./notebooks/run -h"),
		line("quickstart -jobs 0", "-jobs 0: must be >= 1"),
		line("[", `"[": must be the name of a notebook`, "syntax error"),
		line("-profile big -jobs 0", "-profile", "-jobs"),
	})
}
