package main

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit"
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
	programs := []string{program, program}
	for _, target := range targets {
		w := wheel{target: target, version: "1.2.3", made: time.Unix(1.7e9, 0).UTC(), license: []byte("a license\n"), notices: []byte("others\n"), spdx: "Apache-2.0 AND MIT"}
		path, err := w.write(folder, programs)
		if err != nil {
			t.Fatal(err)
		}
		first, _ := os.ReadFile(path)
		if _, err := w.write(folder, programs); err != nil {
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

// Keywords are the flags of the programs, and other libraries' names for them. Python finds the
// programs in the folder bin next to the package.
func TestKeywordsAreFlags(t *testing.T) {
	python, folder := python3(t), t.TempDir()
	list, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "dpcost"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if err := os.WriteFile(filepath.Join(folder, f.name), f.content, f.mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range commands {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(folder, "bin")+string(filepath.Separator), "../../"+c.pkg).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	check := exec.Command(python, "testdata/keywords.py")
	check.Env = append(os.Environ(), "PYTHONPATH="+folder, "PYTHONUTF8=1", "PYTHONDONTWRITEBYTECODE=1")
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// Released programs share no compiled package with the tests. With an empty build cache the
// standard library is compiled once more: half a minute of two cores. go test ./docker/release
// -released
var released = flag.Bool("released", false, "compile programs as they are released, with -trimpath")

// The functions are compared with other people's packages where they are installed.
var peers = flag.String("peers", "python3", "interpreter with opacus, dp-accounting, numpy, pandas, mypy and jedi, or some of them")

// The wheel installs from its file into a clean environment. The commands print there what the
// static programs print, and the functions return what the packages compute.
func TestWheelInstalls(t *testing.T) {
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
	paths := strings.Fields(written.String())
	if len(paths) != 2*len(commands)+1 {
		t.Fatalf("release names %q, want each program with its notices, and a wheel", paths)
	}
	wheel := paths[len(paths)-1]
	installed := install(t, python, filepath.Join(folder, "venv"), wheel)
	version := strings.Split(filepath.Base(wheel), "-")[1]
	for i, args := range [][]string{
		{"gaussian", "-noise", "1", "-count", "3", "-delta", "1e-5", "-json"},
		{"plan", "-mu", "1", "-epsilon", "3"},
	} {
		program := paths[2*i]
		static(t, program)
		carriesLicenses(t, program, paths[2*i+1], wheel)
		got, err := exec.Command(filepath.Join(filepath.Dir(installed), commands[i].name), args...).Output()
		if err != nil {
			t.Fatalf("%s %v, installed: %v", commands[i].name, args, err)
		}
		want, err := exec.Command(program, args...).Output()
		if err != nil || !bytes.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s %v, installed, says %q, and the program %q, %v", commands[i].name, args, got, want, err)
		}
		if got, err := exec.Command(program, "version").Output(); err != nil || !strings.HasPrefix(string(got), commands[i].name+" "+version+", go") {
			t.Errorf("%s version says %q, %v, and its wheel is %s", commands[i].name, got, err, version)
		}
	}
	checkFunctions(t, installed, version)
	moved := filepath.Join(folder, "moved")
	if out, err := exec.Command(installed, "-m", "pip", "install", "--no-index", "--target", moved, wheel).CombinedOutput(); err != nil {
		t.Fatalf("pip --target: %v: %s", err, out)
	}
	alone := exec.Command(python, "-c", "import dpcost; print(dpcost.gaussian(noise=1).delta)")
	alone.Env = append(os.Environ(), "PYTHONPATH="+moved)
	if out, err := alone.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "1e-05" {
		t.Errorf("from a folder of pip --target: %v: %s", err, out)
	}
	compare := func(name string) ([]byte, error) {
		check := exec.Command(*peers, "testdata/peers.py", name)
		check.Env = append(os.Environ(), "PYTHONPATH="+moved, "PYTHONUTF8=1", "PYTHONDONTWRITEBYTECODE=1")
		return check.CombinedOutput()
	}
	if out, err := compare("nunpy"); err == nil || !bytes.Contains(out, []byte("nunpy: must be one of opacus, ")) {
		t.Errorf("a package that is not compared: %v: %s", err, out)
	}
	for _, name := range []string{"opacus", "dp_accounting", "numpy", "pandas", "mypy", "jedi"} {
		t.Run(name, func(t *testing.T) {
			out, err := compare(name)
			if err != nil {
				t.Errorf("%v: %s", err, out)
			} else if bytes.HasPrefix(out, []byte("SKIP")) {
				t.Skipf("-peers %s: %s", *peers, out)
			}
		})
	}
}

// install makes a virtual environment with the wheel only, and returns its interpreter.
func install(t *testing.T, python, venv, wheel string) string {
	t.Helper()
	if out, err := exec.Command(python, "-m", "venv", venv).CombinedOutput(); err != nil {
		t.Skipf("no virtual environment can be made (%v): %s", err, out)
	}
	installed := filepath.Join(venv, "bin", "python")
	if runtime.GOOS == "windows" {
		installed = filepath.Join(venv, "Scripts", "python.exe")
	}
	if out, err := exec.Command(installed, "-m", "pip", "install", "--no-index", wheel).CombinedOutput(); err != nil {
		t.Fatalf("pip: %v: %s", err, out)
	}
	return installed
}

// checkFunctions compares the answers of the Python functions with those of the packages, to the
// bit.
func checkFunctions(t *testing.T, python, version string) {
	t.Helper()
	var scores audit.Scores
	var values []float64
	var members []int
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		score := rng.NormFloat64()
		if member := i % 2; member == 1 {
			scores.Member = append(scores.Member, score+2)
			values, members = append(values, score+2), append(members, 1)
		} else {
			scores.NonMember = append(scores.NonMember, score)
			values, members = append(values, score), append(members, 0)
		}
	}
	argument, err := json.Marshal([]any{values, members})
	if err != nil {
		t.Fatal(err)
	}
	script := exec.Command(python, "testdata/functions.py", string(argument))
	script.Env = append(os.Environ(), "PYTHONUTF8=1", "PYTHONDONTWRITEBYTECODE=1")
	var said bytes.Buffer
	script.Stderr = &said
	out, err := script.Output()
	if err != nil {
		t.Fatalf("functions.py: %v: %s%s", err, out, said.String())
	}
	type price struct {
		Epsilon struct{ Lower, Upper *float64 }
	}
	var got struct {
		Version   string
		SGD, Tune price
		Rows      []price
		Audit     struct {
			Epsilon, Delta, Confidence float64
			Method                     string
		}
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got.Version != version {
		t.Errorf("version %q, want %q", got.Version, version)
	}
	gaussian := accounting.Gaussian{NoiseMultiplier: 2}
	runs, err := law.Logarithmic(10)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		event accounting.Event
		got   price
	}{
		"sgd":  {accounting.SelfComposed{Count: 2344, Event: accounting.PoissonSampled{SamplingRate: 256. / 60000, Event: accounting.Gaussian{NoiseMultiplier: 1.1}}}, got.SGD},
		"tune": {selection.BestOf{Law: runs, Base: gaussian}, got.Tune},
		"row":  {gaussian, got.Rows[1]},
	} {
		want, err := auto.NewAccountant().EpsilonAt(c.event, 1e-5)
		if err != nil || c.got.Epsilon.Upper == nil || *c.got.Epsilon.Upper != want.Epsilon.Upper || name != "tune" && *c.got.Epsilon.Lower != want.Epsilon.Lower {
			t.Errorf("%s: %s, want %v, %v", name, out, want.Epsilon, err)
		}
	}
	report, err := audit.Bounds(scores, audit.Config{Delta: 1e-5, Confidence: 0.95, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	if want, ok := report.Headline(); !ok || got.Audit.Epsilon != want.Epsilon || got.Audit.Method != want.Name || got.Audit.Confidence != 0.95 || got.Audit.Delta != 1e-5 || want.Epsilon < 1 {
		t.Errorf("audit: %+v, want %+v", got.Audit, want)
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
