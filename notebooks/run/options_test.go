package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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
	tests := []struct {
		args string
		want []string
	}{
		{"-profile big", []string{`-profile "big": must be quick or full`}},
		{"-timeout 0s", []string{"-timeout 0s: must be > 0"}},
		{"-timeout -1m", []string{"-timeout -1m0s: must be > 0"}},
		{"-timeout soon", []string{`"soon" for flag -timeout: must be a number with its unit, such as 90s`}},
		{"-timeout 10", []string{`"10" for flag -timeout: must be a number with its unit, such as 90s`}},
		{"-jobs x", []string{`"x" for flag -jobs: must be a whole number`}},
		{"-jobs 1.5", []string{`"1.5" for flag -jobs: must be a whole number`}},
		{"-check=maybe", []string{`"maybe" for -check: must be true or false`}},
		{"-profile=", []string{`-profile "": must be quick or full`}},
		{"-out= -data= -notebooks=", []string{`-out "": must be a folder`, `-data "": must be a folder`, `-notebooks "": must be a folder`}},
		{"-completion=false quickstart", []string{"-completion=false: only with -lab"}},
		{"-lab -completion=no", []string{`"no" for -completion: must be true or false`}},
		{"-in-place quickstart", []string{"-in-place: only with -lab"}},
		{"-lab -in-place -out o", []string{"-in-place and -out: must not"}},
		{"-jobs 0", []string{"-jobs 0: must be >= 1"}},
		{"-set seeds", []string{"must be name=value"}},
		{"-set =3", []string{"must be name=value"}},
		{"-set a=1 -set a=2", []string{"a is set twice"}},
		{"-set profile=full", []string{"-set profile=full: is set by -profile full"}},
		{"-check -write", []string{"-check and -write: must not"}},
		{"-check -set a=1", []string{"-check and -set: must not"}},
		{"-lab -check", []string{"-lab: must not be given with -check"}},
		{"-lab -profile full", []string{"-lab: must not be given with"}},
		{"quickstart -- --allow-root", []string{`"--allow-root" behind --: only with -lab`}},
		{"-data /none/such", []string{"-data /none/such: must be a folder that exists"}},
		{"-data " + file, []string{"must be a folder"}},
		{"-backend tpu", []string{`-backend "tpu": must be one of auto, go, xla:cpu, xla:cuda`}},
		{"-backend=", []string{`-backend "": must be one of`}},
		{"-backend auto -write", []string{"-write and -backend auto: must not be given together"}},
		{"-none", []string{"not defined: -none\nAll flags: go run ./notebooks/run -h"}},
		{"quickstart -jobs 0", []string{"-jobs 0: must be >= 1"}},
		{"[", []string{`"[": must be the name of a notebook`, "syntax error"}},
		{"-profile big -jobs 0", []string{"-profile", "-jobs"}},
	}
	for _, test := range tests {
		var printed strings.Builder
		_, _, err := parseOptions(strings.Fields(test.args), &printed)
		if printed.Len() > 0 {
			t.Errorf("%s: printed %s, want only the error", test.args, &printed)
		}
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want one with %q", test.args, err, want)
			}
		}
	}
}
