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
		r.display.Line("this is the first -lab: what JupyterLab's notebooks need is built and compiled, once, which takes minutes; later ones start at once")
	}
	var compiling sync.WaitGroup
	compiling.Go(func() { r.compileImports(ctx, jobs) }) // beside the kernel: each has stretches with one core only
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

// findGo finds what cells are built with.
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

// compileImports compiles what the notebooks import. A package that does not compile is no error here: the cells that
// import it fail and say where.
func (r *runner) compileImports(ctx context.Context, jobs []*job) {
	var imports []string
	for _, j := range jobs {
		imports = append(imports, j.Committed.Imports()...)
	}
	slices.Sort(imports)
	compiling := r.waiting("compiling what the notebooks import")
	defer r.display.End(compiling)
	err := toolchain.Warm(ctx, r.goTool, r.root, r.build, toolchain.Wanted(slices.Compact(imports)))
	switch {
	case ctx.Err() != nil:
	case err != nil:
		r.display.Line("%v", err)
	case time.Since(compiling.Begin) > 5*time.Second:
		r.display.Line("packages compiled after %s", progress.Short(time.Since(r.begin)))
	}
}

// waiting shows something that is not a notebook in the status line.
func (r *runner) waiting(name string) *progress.Task {
	t := &progress.Task{Name: name, Begin: time.Now()}
	r.display.Begin(t)
	return t
}
