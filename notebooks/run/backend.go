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

// These are as in package dpsgd, which takes longer to compile than this program.
const (
	backendVariable = "DPLAB_BACKEND"
	autoBackend     = "auto"
	goBackend       = "go"
)

// backends are what -backend may name.
var backends = []string{autoBackend, goBackend, plugin.CPU, plugin.CUDA}

// findBackend checks, before anything is compiled, what can be: that there is a C compiler and a plugin. It turns auto
// into go where there is none, and says why.
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

// canLoad returns why a backend of XLA cannot be had; for auto, if none can.
func (r *runner) canLoad(ctx context.Context, backend string) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("XLA runs on Linux only, this is %s", runtime.GOOS)
	}
	if os.Getenv("CGO_ENABLED") == "0" {
		return errors.New("CGO_ENABLED=0 is set: must be 1 or not set, as XLA needs cgo")
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

// openBackend has a program built like the cells open the backend, and settles the build. Auto becomes what opened.
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
	r.display.Line("backend %s: it is compiled with cgo, once, and its plugin tried out", r.backend)
	begin := time.Now()
	name, err := r.goTool.Output(ctx, r.root, append(r.build.On(plugin.CPU).Env(), "GOWORK=off", backendVariable+"="+r.backend), "./notebooks/run/opens")
	if err != nil {
		return fmt.Errorf("-backend %s: %w", r.backend, err)
	}
	r.build = r.build.On(strings.TrimSpace(name))
	r.display.Line("backend %s answered after %s", strings.TrimSpace(name), progress.Short(time.Since(begin)))
	return nil
}
