package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dplab/dplab/notebooks/run/kernel"
	"github.com/dplab/dplab/notebooks/run/progress"
	"github.com/dplab/dplab/notebooks/run/toolchain"
)

// makeTools builds the kernel and compiles what the notebooks import. A run's notebooks start when
// the kernel and their own packages are there, so those of the first are compiled first. wait waits
// for the others.
func (r *runner) makeTools(ctx context.Context, jobs []*job) (wait func(), err error) {
	r.goTool.Env = append(r.goTool.Env, "TMPDIR="+r.temp)
	r.build = toolchain.ChooseBuild(ctx, r.goTool, r.root)
	if err := r.openBackend(ctx); err != nil {
		return func() {}, err
	}
	r.display.Line("%s, %s; cells: %s", plural(len(jobs), "notebook"), r.goTool.Version, r.build)
	if r.options.Lab && r.firstLab() {
		r.display.Line("this is the first -lab: building and compiling for JupyterLab takes minutes, once; later starts are quick")
	}
	var compiling sync.WaitGroup
	groups := [][]*job{jobs}
	if !r.options.Lab && len(jobs) > 1 {
		first := r.order(jobs)[0]
		groups = [][]*job{{jobs[first]}, slices.Delete(slices.Clone(jobs), first, first+1)}
	}
	for _, group := range groups {
		p := &packages{ready: make(chan struct{})}
		for _, j := range group {
			j.Packages = p
		}
	}
	compiling.Go(func() { // together with the kernel: each uses only one core at times
		for _, group := range groups {
			r.compileImports(ctx, group)
		}
	})
	if r.options.Lab && r.options.Completion {
		compiling.Go(func() { r.makeCompletion(ctx) })
	}
	err = r.makeKernel(ctx)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return compiling.Wait, err
}

// findGo finds the go command that builds the cells.
func (r *runner) findGo(ctx context.Context) error {
	var err error
	r.goTool, err = toolchain.Locate(ctx, r.root, kernel.Environ(os.Environ(), ""))
	return err
}

func (r *runner) makeKernel(ctx context.Context) (err error) {
	building := r.waiting("building the kernel")
	defer r.display.End(building)
	r.tools, err = toolchain.Ensure(ctx, toolchain.Kernel, r.root, r.cache, r.goTool, func(text string) { r.display.Line("%s", text) })
	if err == nil && r.tools.Built {
		r.display.Line("kernel built after %s", progress.Short(time.Since(r.begin)))
	}
	return err
}

// packages are what some notebooks import.
type packages struct {
	ready   chan struct{}     // closed when they are compiled, or cannot be
	exports map[string]string // export data, see package joint; nil if unknown
}

// compileImports compiles the packages that notebooks import. A package that does not compile is
// not an error here. The cells that import it fail and name the place.
func (r *runner) compileImports(ctx context.Context, jobs []*job) {
	into := jobs[0].Packages
	defer close(into.ready)
	var imports, names []string
	for _, j := range jobs {
		imports, names = append(imports, j.Committed.Imports()...), append(names, stem(j.Path))
	}
	slices.Sort(imports)
	compiling := r.waiting("compiling the packages of " + strings.Join(names, ", "))
	defer r.display.End(compiling)
	wanted := append(toolchain.Wanted(slices.Compact(imports)), "flag") // GoNB's main parses flags
	var err error
	into.exports, err = toolchain.Warm(ctx, r.goTool, r.root, r.build, wanted)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		r.display.Line("%v", err)
	case time.Since(compiling.Begin) > 5*time.Second:
		r.display.Line("packages of %s compiled after %s", strings.Join(names, ", "), progress.Short(time.Since(r.begin)))
	}
}

// waiting shows in the status line something that is not a notebook.
func (r *runner) waiting(name string) *progress.Task {
	t := &progress.Task{Name: name, Begin: time.Now()}
	r.display.Begin(t)
	return t
}
