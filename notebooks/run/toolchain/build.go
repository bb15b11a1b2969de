// Package toolchain builds what a cell needs before it can run. That is the GoNB kernel and
// goimports, and gopls for JupyterLab, at the versions pinned in notebooks/tools. They are kept in
// the user's cache. It also compiles the packages that the notebooks import.
//
// It promises nothing to other modules.
package toolchain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/dplab/dplab/notebooks/run/kernel"
)

// Build describes how cells are compiled: variables of the go command's environment.
type Build struct {
	Experiment string // GOEXPERIMENT, empty for none
	CGO        string // CGO_ENABLED
	Backend    string // that cells train on, as in backend.Names; empty for go
	Flags      string // GOFLAGS, empty to keep them
}

// Fastest is the GOEXPERIMENT that makes training fastest. With it, one DP-SGD step of an MLP
// 784-120-120-10 at batch 256 takes 19 ms of processor time instead of 48. A step of an MLP
// 64-64-10 at batch 128 takes 2.2 ms instead of 3.2. (One replica, go1.26.8, AVX2, a busy machine;
// BenchmarkStep in dptune/dpsgd.)
const Fastest = "simd"

// ChooseBuild returns the build that makes training fastest on this machine. It uses Fastest if the
// processor has the instructions and the go command knows it. It does not use cgo, which doubles
// the time of the first build. It keeps GOEXPERIMENT and CGO_ENABLED if the user has set them.
func ChooseBuild(ctx context.Context, goTool Go, dir string) Build {
	b := Build{Experiment: os.Getenv("GOEXPERIMENT"), CGO: os.Getenv("CGO_ENABLED")}
	if b.CGO == "" {
		b.CGO = "0"
	}
	if _, set := os.LookupEnv("GOEXPERIMENT"); !set && hasVectors(cpuInfo()) && goTool.Run(ctx, dir, []string{"GOEXPERIMENT=" + Fastest}, "env", "GOEXPERIMENT") == nil {
		b.Experiment = Fastest
	}
	return b
}

// cpuInfo returns Linux's description of the processors, or the empty string elsewhere.
func cpuInfo() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || runtime.GOARCH != "amd64" {
		return ""
	}
	return string(data)
}

// hasVectors reports whether the processor has the vector instructions that the training engine's
// kernels use.
func hasVectors(cpuInfo string) bool {
	for line := range strings.Lines(cpuInfo) {
		if name, flags, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "flags" {
			fields := strings.Fields(flags)
			return slices.Contains(fields, "avx2") && slices.Contains(fields, "fma")
		}
	}
	return false
}

// On returns the build for cells that train on a backend. An XLA backend needs cgo, and the build
// tag that makes package show link it.
func (b Build) On(backend string) Build {
	if b.Backend = backend; strings.HasPrefix(backend, "xla:") {
		b.CGO, b.Flags = "1", withTag(goFlags(), "xla")
	}
	return b
}

// goFlags returns the user's GOFLAGS, adapted for cells.
func goFlags() string {
	for _, entry := range kernel.Environ(os.Environ(), "") {
		if flags, ok := strings.CutPrefix(entry, "GOFLAGS="); ok {
			return flags
		}
	}
	return ""
}

// withTag returns flags of the go command with one more build tag. If -tags occurs twice, the go
// command uses the last.
func withTag(flags, tag string) string {
	fields, tags := strings.Fields(flags), []string{tag}
	for _, field := range fields {
		if list, ok := strings.CutPrefix("-"+strings.TrimLeft(field, "-"), "-tags="); ok {
			tags = append(strings.Split(list, ","), tag)
		}
	}
	return strings.Join(append(fields, "-tags="+strings.Join(tags, ",")), " ")
}

// Env returns the variables.
func (b Build) Env() []string {
	env := []string{"GOEXPERIMENT=" + b.Experiment, "CGO_ENABLED=" + b.CGO, "DPLAB_BACKEND=" + b.backend()}
	if b.Flags != "" {
		env = append(env, "GOFLAGS="+b.Flags)
	}
	if slices.Contains(strings.Split(b.Experiment, ","), Fastest) {
		env = append(env, "GODEBUG="+withoutPreemption(os.Getenv("GODEBUG")))
	}
	return env
}

// withoutPreemption adds asyncpreemptoff=1 to a user's GODEBUG, unless it has that setting. If a
// program with vector instructions is preempted at any instruction, go1.26 leaves the upper halves
// of the vector registers in use. The legacy SSE instructions in math.Exp then take 30 times as
// long, until the program clears them.
func withoutPreemption(debug string) string {
	switch {
	case debug == "":
		return "asyncpreemptoff=1"
	case strings.Contains(","+debug, ",asyncpreemptoff="):
		return debug
	default:
		return debug + ",asyncpreemptoff=1"
	}
}

func (b Build) backend() string { return cmp.Or(b.Backend, "go") }

// String describes the build in one line.
func (b Build) String() string {
	experiment := "no GOEXPERIMENT"
	if b.Experiment != "" {
		experiment = "GOEXPERIMENT=" + b.Experiment
	}
	text := fmt.Sprintf("%s, CGO_ENABLED=%s, %s/%s", experiment, b.CGO, runtime.GOOS, runtime.GOARCH)
	if b.backend() != "go" {
		text += ", trained on " + b.Backend
	}
	return text
}

// Warm fetches what cells need to know of modules, because they fetch nothing themselves. It also
// compiles packages into the build cache. Otherwise kernels that run at the same time would each
// compile them. It returns the files of export data of the packages and of all that they import, by
// path.
func Warm(ctx context.Context, goTool Go, root string, build Build, packages []string) (map[string]string, error) {
	// Cells are built in a workspace. A workspace reads the go.mod of every module of the graph, and
	// building packages in root does not.
	env := append(build.Env(), "GOWORK=off")
	fetched := goTool.Run(ctx, root, env, "mod", "graph")
	if fetched != nil {
		fetched = fmt.Errorf("toolchain: cannot fetch the modules that cells need: %w", fetched)
	}
	out, err := goTool.output(ctx, root, env, append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, packages...)...)
	if err != nil {
		return nil, errors.Join(fetched, fmt.Errorf("toolchain: cannot compile the packages that the notebooks import: %w", err))
	}
	exports := map[string]string{}
	for line := range strings.Lines(out) {
		if path, file, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			exports[path] = file
		}
	}
	return exports, fetched
}

// Wanted returns the packages of imports that are worth compiling beforehand. It leaves out those
// that a cell could not import anyway.
func Wanted(imports []string) []string {
	var out []string
	for _, path := range imports {
		if path != "C" && path != "unsafe" && !strings.HasPrefix(path, ".") {
			out = append(out, path)
		}
	}
	return out
}
