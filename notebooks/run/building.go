package main

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/dplab/dplab/notebooks/run/kernel"
	"github.com/dplab/dplab/notebooks/run/progress"
	"github.com/dplab/dplab/notebooks/run/toolchain"
)

// makeTools builds the kernel and compiles what the notebooks import.
func (r *runner) makeTools(ctx context.Context, jobs []*job) error {
	r.goTool.Env = append(r.goTool.Env, "TMPDIR="+r.temp)
	r.build = toolchain.ChooseBuild(ctx, r.goTool, r.root)
	if err := r.openBackend(ctx); err != nil {
		return err
	}
	r.display.Line("%s, %s; cells: %s", plural(len(jobs), "notebook"), r.goTool.Version, r.build)
	if r.options.Lab && r.firstLab() {
		r.display.Line("this is the first -lab: building and compiling for JupyterLab takes minutes, once; later starts are quick")
	}
	var compiling sync.WaitGroup
	compiling.Go(func() { r.compileImports(ctx, jobs) }) // together with the kernel: each uses only one core at times
	if r.options.Lab && r.options.Completion {
		compiling.Go(func() { r.makeCompletion(ctx) })
	}
	err := r.makeKernel(ctx)
	compiling.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
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

// compileImports compiles the packages that the notebooks import. A package that does not compile
// is not an error here. The cells that import it fail and name the place.
func (r *runner) compileImports(ctx context.Context, jobs []*job) {
	var imports []string
	for _, j := range jobs {
		imports = append(imports, j.Committed.Imports()...)
	}
	slices.Sort(imports)
	compiling := r.waiting("compiling the packages of the notebooks")
	defer r.display.End(compiling)
	packages := toolchain.Wanted(slices.Compact(imports))
	err := toolchain.Warm(ctx, r.goTool, r.root, r.build, packages)
	if err == nil && !r.options.Lab {
		r.exports, err = toolchain.Exports(ctx, r.goTool, r.root, r.build, append(packages, "flag")) // GoNB's main parses flags
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		r.display.Line("%v", err)
	case time.Since(compiling.Begin) > 5*time.Second:
		r.display.Line("packages compiled after %s", progress.Short(time.Since(r.begin)))
	}
}

// waiting shows in the status line something that is not a notebook.
func (r *runner) waiting(name string) *progress.Task {
	t := &progress.Task{Name: name, Begin: time.Now()}
	r.display.Begin(t)
	return t
}
