package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/dplab/dplab/dptune/dpsgd/xla/plugin"
	"github.com/dplab/dplab/notebooks/run/progress"
)

// These are the names in package dpsgd. Importing it would make this program slow to compile.
const (
	backendVariable = "DPLAB_BACKEND"
	autoBackend     = "auto"
	goBackend       = "go"
)

// backends are the values of -backend.
var backends = []string{autoBackend, goBackend, plugin.CPU, plugin.CUDA}

// findBackend looks for a C compiler and a plugin before anything is compiled. If there is none, it
// turns auto into go and keeps the reason.
func (r *runner) findBackend(ctx context.Context) error {
	r.backend = r.options.Backend
	if r.backend == goBackend {
		return nil
	}
	err := r.canLoad(ctx, r.backend)
	if err != nil && r.backend == autoBackend {
		r.backend, r.why = goBackend, fmt.Sprintf("cells train on go: %v", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("-backend %s: %w", r.backend, err)
	}
	return nil
}

// canLoad returns the reason why an XLA backend is not available. For auto it returns an error only
// if none is.
func (r *runner) canLoad(ctx context.Context, backend string) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("XLA runs only on Linux, and this is %s", runtime.GOOS)
	}
	if os.Getenv("CGO_ENABLED") == "0" {
		return errors.New("CGO_ENABLED=0 is set: must be 1 or not set, because XLA needs cgo")
	}
	if _, err := r.goTool.Compiler(ctx, r.root); err != nil {
		return err
	}
	if backend != autoBackend {
		_, _, err := plugin.Find(backend)
		return err
	}
	_, _, cuda := plugin.Find(plugin.CUDA)
	_, _, cpu := plugin.Find(plugin.CPU)
	if cuda != nil && cpu != nil {
		return errors.Join(cuda, cpu)
	}
	return nil
}

// openBackend runs a program that is built like the cells and opens the backend. It then sets the
// build. Auto becomes the backend that opened.
func (r *runner) openBackend(ctx context.Context) error {
	if r.why != "" {
		r.display.Line("%s", r.why)
	}
	if r.backend == goBackend {
		r.build = r.build.On(goBackend)
		return nil
	}
	opening := r.waiting("opening backend " + r.backend)
	defer r.display.End(opening)
	r.display.Line("backend %s: compiling it with cgo, once, and trying its plugin", r.backend)
	begin := time.Now()
	name, err := r.goTool.Output(ctx, r.root, append(r.build.On(plugin.CPU).Env(), "GOWORK=off", backendVariable+"="+r.backend), "./notebooks/run/opens")
	if err != nil {
		return fmt.Errorf("-backend %s: %w", r.backend, err)
	}
	r.build = r.build.On(strings.TrimSpace(name))
	r.display.Line("backend %s answered after %s", strings.TrimSpace(name), progress.Short(time.Since(begin)))
	return nil
}
