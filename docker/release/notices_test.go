package main

import (
	"archive/zip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The modules whose packages the commands import, on any system, are those whose license is named.
// A new one fails here before a release does.
func TestEveryModuleHasItsLicenseNamed(t *testing.T) {
	found := map[string]bool{standard: true}
	for _, target := range targets {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./accounting/dpcost", "./audit/dpaudit")
		list.Dir = filepath.Join("..", "..")
		list.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOOS="+target.goos, "GOARCH="+target.goarch)
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range strings.Fields(string(out)) {
			if path != ourModule {
				found[path] = true
			}
		}
	}
	for path := range found {
		if licenses[path] == nil {
			t.Errorf("%s is linked in: its license must be named", path)
		}
	}
	for path := range licenses {
		if !found[path] {
			t.Errorf("%s has its license named, and is not linked in", path)
		}
	}
}

// Licenses are found at the top of a module, next to packages and in folders of licenses, but not in
// what only tests need.
func TestLicenseFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"LICENSE", "LICENSE.md", "LICENSE-SIL", "COPYING", "NOTICE.txt", "PATENTS", "README.md", "license.go", "licensed.txt",
		"inner/UNLICENSE", "THIRD_PARTY_LICENSES/Boost-LICENSE", "licenses/any.txt", "testdata/LICENSE", "vendor/x/LICENSE", "_x/LICENSE"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("terms of "+name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := licenseFiles(linked{"example.org/x", "v1.0.0", dir})
	for i := range got {
		got[i] = filepath.ToSlash(got[i])
	}
	slices.Sort(got)
	want := []string{"COPYING", "LICENSE", "LICENSE-SIL", "LICENSE.md", "NOTICE.txt", "PATENTS", "THIRD_PARTY_LICENSES/Boost-LICENSE", "inner/UNLICENSE", "licenses/any.txt"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if _, err := notices([]linked{{"example.org/bare", "v1.0.0", t.TempDir()}}); err == nil || !strings.Contains(err.Error(), "example.org/bare v1.0.0") {
		t.Errorf("a module without a license: error %v", err)
	}
	if _, err := expression([]linked{{"example.org/x", "v1.0.0", dir}}); err == nil || !strings.Contains(err.Error(), "must be named") {
		t.Errorf("a module whose license nobody named: error %v", err)
	}
}

// carriesLicenses fails unless all that `go version -m` finds in a program has its terms next to the
// program and in the wheel.
func carriesLicenses(t *testing.T, program, beside, wheel string) {
	t.Helper()
	out, err := exec.Command("go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(beside)
	if err != nil {
		t.Fatal(err)
	}
	modules := regexp.MustCompile(`(?m)^\t(?:dep|=>)\t(\S+)\t(\S+)`).FindAllStringSubmatch(string(out), -1)
	if len(modules) < 5 {
		t.Fatalf("%s holds %d modules:\n%s", program, len(modules), out)
	}
	holdsTerms := func(where, text string) {
		for _, m := range modules {
			if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(m[1]+" "+m[2]) + `: \S+\n=+\n\n\S`).MatchString(text) {
				t.Errorf("%s: no terms of %s %s", where, m[1], m[2])
			}
		}
	}
	holdsTerms(beside, string(text))
	// One sentence of each license that the programs are under, as their authors wrote it.
	for _, want := range []string{
		"Apache License", "Copyright 2009 The Go Authors", "SIL OPEN FONT LICENSE Version 1.1", "with Reserved Font Name Liberation", "The FreeType Project LICENSE", freetypeCredit,
		"Boost Software License - Version 1.0", "Stephen L. Moshier", "The Gonum Authors", "2017 Kurt Jung", "Michael Fogleman", "Creative Commons Attribution 4.0 International Public License", "The go-latex Authors",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s does not say %q", beside, want)
		}
	}
	z, err := zip.OpenReader(wheel)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		switch filepath.Base(f.Name) {
		case noticesName:
			holdsTerms(wheel, string(content))
		case "METADATA":
			const want = "License-Expression: Apache-2.0 AND BSD-3-Clause AND BSL-1.0 AND CC-BY-4.0 AND FTL AND MIT AND OFL-1.1-RFN\n"
			if !strings.Contains(string(content), want) {
				t.Errorf("%s: %s, want %s", wheel, content, want)
			}
		}
	}
}
