package toolchain

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Build is how cells are compiled: variables of the go command's environment.
type Build struct {
	Experiment string // GOEXPERIMENT, empty for none
	CGO        string // CGO_ENABLED
}

// ChooseBuild returns the build that makes training fastest, as far as it works everywhere: no experiment
// (measured: see the package dpsgd's benchmarks) and no cgo, which also halves the time of a first build. What the user has set
// in the environment (GOEXPERIMENT, CGO_ENABLED) is kept.
func ChooseBuild() Build {
	b := Build{Experiment: os.Getenv("GOEXPERIMENT"), CGO: os.Getenv("CGO_ENABLED")}
	if b.CGO == "" {
		b.CGO = "0"
	}
	return b
}

// Env returns the variables.
func (b Build) Env() []string {
	return []string{"GOEXPERIMENT=" + b.Experiment, "CGO_ENABLED=" + b.CGO}
}

// String describes the build in one line.
func (b Build) String() string {
	experiment := "no GOEXPERIMENT"
	if b.Experiment != "" {
		experiment = "GOEXPERIMENT=" + b.Experiment
	}
	return fmt.Sprintf("%s, CGO_ENABLED=%s, %s/%s", experiment, b.CGO, runtime.GOOS, runtime.GOARCH)
}

// Warm compiles packages into the build cache, so that kernels that run at the same time do not compile them
// once each.
func Warm(ctx context.Context, goTool Go, root string, build Build, packages []string) error {
	if len(packages) == 0 {
		return nil
	}
	if err := goTool.Run(ctx, root, append(build.Env(), "GOWORK=off"), append([]string{"build"}, packages...)...); err != nil {
		return fmt.Errorf("toolchain: cannot compile what the notebooks import: %w", err)
	}
	return nil
}

// Wanted returns the packages of imports that are worth compiling beforehand: all but those that a
// cell could not import anyway.
func Wanted(imports []string) []string {
	var out []string
	for _, path := range imports {
		if path != "C" && path != "unsafe" && !strings.HasPrefix(path, ".") {
			out = append(out, path)
		}
	}
	return out
}
