package main

import (
	"bytes"
	"context"
	"debug/elf"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// git's output becomes a version of Python's packages. The pattern is that of PEP 440, appendix B,
// without epochs and pre-releases.
func TestVersions(t *testing.T) {
	pattern := regexp.MustCompile(`^\d+(\.\d+)*(\.post\d+)?(\.dev\d+)?(\+[a-z0-9]+(\.[a-z0-9]+)*)?$`)
	for _, c := range []struct {
		described string
		dirty     bool
		want      string
	}{
		{"v1.2.3-0-gabc", false, "1.2.3"},
		{"v1.2.3-0-gabc", true, "1.2.3+gabc.dirty"},
		{"v1.2.3-4-gabc", false, "1.2.3.post4+gabc"},
		{"", false, "0.0.0.dev500+gabc"},
		{"v1-beta-4-gabc", true, "0.0.0.dev500+gabc.dirty"},
	} {
		got := pythonVersion(c.described, "abc", "500", c.dirty)
		if got != c.want || !pattern.MatchString(got) {
			t.Errorf("described %q, dirty %v: version %q, want %q", c.described, c.dirty, got, c.want)
		}
	}
}

func TestBadTargets(t *testing.T) {
	for _, list := range []string{"", "linux", "plan9/amd64", "linux/amd64,", "linux/amd64, darwin/arm64"} {
		if chosen, err := targetsOf(list); err == nil || !strings.Contains(err.Error(), "windows/amd64") {
			t.Errorf("-targets %q: %v, error %v, want one that lists the targets", list, chosen, err)
		}
	}
	if err := run(context.Background(), []string{"dpcost"}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "flags only") {
		t.Errorf("an argument: error %v", err)
	}
}

// Wheels of all systems are well formed for Python's own readers of them, and the same files give the same bytes.
func TestWheelsByPython(t *testing.T) {
	python := python3(t)
	folder, program := t.TempDir(), filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, bytes.Repeat([]byte("program"), 1000), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		for _, target := range targets {
			w := wheel{command: c, target: target, version: "1.2.3", made: time.Unix(1.7e9, 0).UTC(), license: []byte("a license\n"), notices: []byte("others\n"), spdx: "Apache-2.0 AND MIT"}
			path, err := w.write(folder, program)
			if err != nil {
				t.Fatal(err)
			}
			first, _ := os.ReadFile(path)
			if _, err := w.write(folder, program); err != nil {
				t.Fatal(err)
			}
			if second, _ := os.ReadFile(path); !bytes.Equal(first, second) {
				t.Errorf("%s: written twice, it differs", path)
			}
			if out, err := exec.Command(python, "testdata/wheel.py", path).CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", filepath.Base(path), err, out)
			}
		}
	}
}

// Released programs share no compiled package with the tests. With an empty build cache the
// standard library is compiled once more: half a minute of two cores. go test ./docker/release
// -released
var released = flag.Bool("released", false, "compile programs as they are released, with -trimpath")

// The wheels install from files into a clean environment. The commands print there what the static
// programs print.
func TestWheelsInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs and makes a virtual environment")
	}
	if _, err := targetsOf(runtime.GOOS + "/" + runtime.GOARCH); err != nil {
		t.Skip(err)
	}
	if !*released {
		saved := noPaths
		noPaths = nil
		defer func() { noPaths = saved }()
	}
	python, folder := python3(t), t.TempDir()
	var written bytes.Buffer
	if err := run(context.Background(), []string{"-out", folder}, &written, io.Discard); err != nil {
		t.Fatal(err)
	}
	venv := filepath.Join(folder, "venv")
	if out, err := exec.Command(python, "-m", "venv", venv).CombinedOutput(); err != nil {
		t.Skipf("no virtual environment can be made (%v): %s", err, out)
	}
	paths := strings.Fields(written.String())
	if len(paths) != 3*len(commands) {
		t.Fatalf("release names %q, want a program, its notices and a wheel of each command", paths)
	}
	for i, args := range [][]string{
		{"gaussian", "-noise", "1", "-count", "3", "-delta", "1e-5", "-json"},
		{"plan", "-mu", "1", "-epsilon", "3"},
	} {
		program, wheel := paths[3*i], paths[3*i+2]
		static(t, program)
		carriesLicenses(t, program, paths[3*i+1], wheel)
		install := exec.Command(filepath.Join(venv, "bin", "python"), "-m", "pip", "install", "--no-index", "--no-deps", wheel)
		if runtime.GOOS == "windows" {
			install.Path = filepath.Join(venv, "Scripts", "python.exe")
		}
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("pip: %v: %s", err, out)
		}
		got, err := exec.Command(filepath.Join(filepath.Dir(install.Path), commands[i].name), args...).Output()
		if err != nil {
			t.Fatalf("%s %v, installed: %v", commands[i].name, args, err)
		}
		want, err := exec.Command(program, args...).Output()
		if err != nil || !bytes.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s %v, installed, says %q, and the program %q, %v", commands[i].name, args, got, want, err)
		}
		version := strings.Split(filepath.Base(wheel), "-")[1]
		if got, err := exec.Command(program, "version").Output(); err != nil || !strings.HasPrefix(string(got), commands[i].name+" "+version+", go") {
			t.Errorf("%s version says %q, %v, and its wheel is %s", commands[i].name, got, err, version)
		}
	}
}

// static fails if a program for Linux asks for another to load its libraries.
func static(t *testing.T, program string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, part := range f.Progs {
		if part.Type == elf.PT_INTERP {
			t.Errorf("%s is not static: it names a loader", program)
		}
	}
}

// python3 returns an interpreter, or skips the test.
func python3(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3: wheels are not tried: ", err)
	}
	return path
}
