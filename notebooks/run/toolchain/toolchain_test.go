package toolchain

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/run/kernel"
)

// own is a set whose module is the folder that is given as the repository.
var own = Set{".", []string{"gonb", "goimports"}, "two programs"}

func pinned(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.org/tools\n\ngo 1.26\n", "go.sum": "sum"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The folder of the tools depends on the pinned versions and on the compiler, and counts only if it
// is complete.
func TestFind(t *testing.T) {
	modules, cache := pinned(t), t.TempDir()
	tools, ok, err := Find(own, modules, cache, Go{Version: "go1.26.8"})
	if err != nil || ok {
		t.Fatalf("found %v in an empty cache (%v)", tools, err)
	}
	for i, name := range own.Programs {
		if err := os.MkdirAll(tools.Dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tools.Dir, exe(name)), []byte("program"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, ok, _ := Find(own, modules, cache, Go{Version: "go1.26.8"}); ok != (i == len(own.Programs)-1) {
			t.Errorf("%d of %d programs: complete is %v", i+1, len(own.Programs), ok)
		}
	}
	if _, ok, _ := Find(own, modules, cache, Go{Version: "go1.27.0"}); ok {
		t.Error("tools of another compiler are taken")
	}
	if err := os.WriteFile(filepath.Join(modules, "go.sum"), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := Find(own, modules, cache, Go{Version: "go1.26.8"}); ok {
		t.Error("tools of other versions are taken")
	}
	if _, _, err := Find(own, t.TempDir(), cache, Go{}); err == nil || !strings.Contains(err.Error(), "go.mod is missing") {
		t.Errorf("error %v, want one about go.mod", err)
	}
}

func TestLocateNoGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Locate(t.Context(), ".", os.Environ()); err == nil || !strings.Contains(err.Error(), "no go command in PATH: install Go") {
		t.Errorf("error %v, want one that says what to install", err)
	}
}

func goHere(t *testing.T) Go {
	t.Helper()
	g, err := Locate(t.Context(), ".", kernel.Environ(os.Environ(), ""))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(g.Version, "go1.") {
		t.Errorf("version %q, want go1.x", g.Version)
	}
	return g
}

// A build that fails says why and leaves nothing in the cache.
func TestEnsureFails(t *testing.T) {
	g := goHere(t)
	modules, cache := pinned(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(modules, "go.mod"), []byte("module example.org/tools\n\ngo 1.26\n\ntool example.org/tools/none\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var said []string
	_, err := Ensure(t.Context(), own, modules, cache, g, func(text string) { said = append(said, text) })
	if err == nil || !strings.Contains(err.Error(), "cannot build two programs") || !strings.Contains(err.Error(), "example.org/tools/none") {
		t.Errorf("error %v, want the go command's", err)
	}
	if len(said) != 1 || !strings.Contains(said[0], "once") {
		t.Errorf("said %q, want one line before the build", said)
	}
	if left, _ := os.ReadDir(filepath.Join(cache, "tools")); len(left) != 0 {
		t.Errorf("the cache holds %v after a failed build", left)
	}
}

// With an empty build cache, compiling the standard library takes as long as compiling the tools.
// The go command finds the packages that this program was compiled with only if it is called with
// nothing that changes how packages are compiled.
func TestEnsureCompilesAsTheRunnerIsCompiled(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nenv >" + dir + "/env\necho \"$@\" >" + dir + "/args\necho program >$GOBIN/gonb\necho program >$GOBIN/goimports\n"
	program := filepath.Join(dir, "go.sh")
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("sh", "-c", "exit 0").Run(); err != nil {
		t.Skipf("no shell: %v", err)
	}
	path := "PATH=" + os.Getenv("PATH")
	tools, err := Ensure(t.Context(), own, pinned(t), t.TempDir(), Go{Path: program, Version: "go1.26.8", Env: []string{path}}, func(string) {})
	if err != nil || !tools.Built {
		t.Fatalf("built %v, error %v", tools.Built, err)
	}
	args, _ := os.ReadFile(filepath.Join(dir, "args"))
	env, _ := os.ReadFile(filepath.Join(dir, "env"))
	if got, want := strings.TrimSpace(string(args)), "install -ldflags=-s -w tool"; got != want {
		t.Errorf("go %s, want go %s", got, want)
	}
	for line := range strings.Lines(string(env)) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), "="); name {
		case "CGO_ENABLED", "GOEXPERIMENT", "GOFLAGS", "GOOS", "GOARCH", "GOAMD64":
			t.Errorf("the go command is called with %s=%s, which the runner is not compiled with", name, value)
		}
	}
}

// When the go command is canceled, what it has started ends with it: it holds the pipe that is read
// here.
func TestRunCanceled(t *testing.T) {
	dir := t.TempDir()
	program, pipe := filepath.Join(dir, "slow"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nsleep 1000 > pipe &\nwait\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Skipf("mkfifo: %v: %s", err, out)
	}
	why := errors.New("the user pressed Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		f, err := os.Open(pipe) // returns when the sleep begins
		cancel(why)
		if err == nil {
			_, err = io.ReadAll(f) // returns when the sleep ends
			f.Close()
		}
		ended <- err
	}()
	if err := (Go{Path: program}).Run(ctx, dir, nil, "build"); !errors.Is(err, why) {
		t.Fatalf("error %v, want the cause of the cancel", err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestChooseBuild(t *testing.T) {
	g := goHere(t)
	t.Setenv("GOEXPERIMENT", "") // set, to none
	t.Setenv("CGO_ENABLED", "")
	if got, want := ChooseBuild(t.Context(), g, ".").Env(), []string{"GOEXPERIMENT=", "CGO_ENABLED=0", "DPLAB_BACKEND=go"}; !reflect.DeepEqual(got, want) {
		t.Errorf("variables %q, want %q", got, want)
	}
	t.Setenv("GOEXPERIMENT", "other")
	t.Setenv("CGO_ENABLED", "1")
	if got := ChooseBuild(t.Context(), g, ".").String(); !strings.HasPrefix(got, "GOEXPERIMENT=other, CGO_ENABLED=1, ") {
		t.Errorf("%q, want what the user has set", got)
	}
	if err := os.Unsetenv("GOEXPERIMENT"); err != nil {
		t.Fatal(err)
	}
	if got, has := ChooseBuild(t.Context(), g, ".").Experiment, hasVectors(cpuInfo()); (got == Fastest) != has {
		t.Errorf("experiment %q on a processor where vectors are %v", got, has)
	}
	if got := ChooseBuild(t.Context(), Go{Path: "/none/go"}, ".").Experiment; got != "" {
		t.Errorf("experiment %q, which the go command does not know", got)
	}
}

// A program with vector instructions runs without asynchronous preemption, after which math.Exp is
// slow. A user's own settings of GODEBUG stay, and other builds change nothing.
func TestPreemptionOfVectorCode(t *testing.T) {
	const godebug = "GODEBUG="
	for _, test := range []struct{ experiment, own, want string }{
		{"simd", "", godebug + "asyncpreemptoff=1"},
		{"simd", "gctrace=1", godebug + "gctrace=1,asyncpreemptoff=1"},
		{"simd", "asyncpreemptoff=1", godebug + "asyncpreemptoff=1"},
		{"simd", "gctrace=1,asyncpreemptoff=0", godebug + "gctrace=1,asyncpreemptoff=0"},
		{"greenteagc,simd", "", godebug + "asyncpreemptoff=1"},
		{"nosimd", "gctrace=1", ""},
		{"", "", ""},
	} {
		t.Setenv("GODEBUG", test.own)
		env := Build{Experiment: test.experiment, CGO: "0"}.Env()
		got := slices.DeleteFunc(env, func(entry string) bool { return !strings.HasPrefix(entry, godebug) })
		if strings.Join(got, " ") != test.want {
			t.Errorf("GOEXPERIMENT=%s GODEBUG=%s: %q, want %q", test.experiment, test.own, got, test.want)
		}
	}
}

// A backend of XLA takes cgo and a tag beside those of the user; go takes nothing.
func TestBuildOnABackend(t *testing.T) {
	plain := Build{CGO: "0"}
	t.Setenv("GOFLAGS", "")
	if got := plain.On("go"); got.String() != plain.String() || !reflect.DeepEqual(got.Env(), plain.Env()) {
		t.Errorf("on go it is %v, %q: want what it is without", got, got.Env())
	}
	for flags, want := range map[string]string{
		"":                              "GOFLAGS=-ldflags=-s -tags=xla",
		"-trimpath --tags=a,b -mod=mod": "GOFLAGS=-trimpath --tags=a,b -ldflags=-s -tags=a,b,xla",
	} {
		t.Setenv("GOFLAGS", flags)
		got := plain.On("xla:cpu")
		if env := got.Env(); !reflect.DeepEqual(env, []string{"GOEXPERIMENT=", "CGO_ENABLED=1", "DPLAB_BACKEND=xla:cpu", want}) {
			t.Errorf("with GOFLAGS %q the variables are %q", flags, env)
		}
		if !strings.HasSuffix(got.String(), ", trained on xla:cpu") {
			t.Errorf("%q does not name the backend", got)
		}
	}
}

func TestHasVectors(t *testing.T) {
	tests := []struct {
		info string
		want bool
	}{
		{"processor\t: 0\nflags\t\t: fpu fma sse2 avx2 bmi1\nbugs\t: none\n", true},
		{"flags\t\t: fpu sse2 avx avx2x\n", false},
		{"Features\t: asimd\n", false},
		{"", false},
	}
	for _, test := range tests {
		if got := hasVectors(test.info); got != test.want {
			t.Errorf("%q: %v, want %v", test.info, got, test.want)
		}
	}
}

func TestWarm(t *testing.T) {
	g := goHere(t)
	exports, err := Warm(t.Context(), g, ".", Build{CGO: "0"}, []string{"errors"})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"errors", "internal/reflectlite"} {
		if info, err := os.Stat(exports[path]); err != nil || info.Size() == 0 {
			t.Errorf("%s: file %q (%v), want its export data", path, exports[path], err)
		}
	}
	if exports, err := Warm(t.Context(), g, ".", Build{CGO: "0"}, []string{"example.org/none"}); exports != nil || err == nil || !strings.Contains(err.Error(), "example.org/none") {
		t.Errorf("exports %v, error %v, want one that names the package", exports, err)
	}
	if got, want := Wanted([]string{"C", "fmt", "./here", "unsafe"}), []string{"fmt"}; !reflect.DeepEqual(got, want) {
		t.Errorf("wanted %q, want %q", got, want)
	}
}

// With modules that were never used on this machine, a cell of a workspace finds all that it needs,
// and fetches nothing. They come from the modules that this machine has, or else from where it gets
// them.
func TestWarmFetchesForCells(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks a module and compiles it")
	}
	g := goHere(t)
	have, err := g.output(t.Context(), ".", nil, "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(have)
	proxy := "file://" + filepath.ToSlash(filepath.Join(names[0], "cache", "download")) + "," + names[1]
	g.Env = append(g.Env, "GOMODCACHE="+t.TempDir(), "GOFLAGS=-modcacherw")
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/dplab/dplab/accounting/gdp" // needs one other
	online := g
	online.Env = append(slices.Clone(g.Env), "GOPROXY="+proxy)
	if _, err := Warm(t.Context(), online, root, Build{CGO: "0"}, []string{module}); err != nil {
		t.Fatal(err)
	}
	cell := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module cell\n\ngo 1.26\n", "main.go": "package main\n\nimport _ \"" + module + "\"\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(cell, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	offline := append([]string{"CGO_ENABLED=0"}, kernel.Offline...)
	for _, args := range [][]string{{"work", "init", ".", root}, {"build", "-n", "-o", os.DevNull, "."}} {
		if err := g.Run(t.Context(), cell, offline, args...); err != nil {
			t.Fatal(err)
		}
	}
}
