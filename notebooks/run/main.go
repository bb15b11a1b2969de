// Command run executes the notebooks of this repository without Jupyter, Python or a browser:
//
//	go run ./notebooks/run                       # all notebooks, quick profile
//	go run ./notebooks/run quickstart            # one, by name
//	go run ./notebooks/run -profile full 'papernot*'
//	go run ./notebooks/run -set seeds=3 quickstart
//	go run ./notebooks/run -check                # compare with what is committed
//	go run ./notebooks/run -lab quickstart       # open a copy in JupyterLab, if that is installed
//
// The first run builds the pinned GoNB kernel and goimports into the user's cache. Each notebook
// runs in its own kernel when its packages are compiled, as many at a time as there are cores. The
// quickstart and its packages go first. The cells of a notebook are compiled into one program, and
// each runs in its own process. Everything is written below notebooks/out (-out): the executed
// notebooks, report.html, and for each notebook a folder of figures (PNG, SVG, PDF) with their data
// (CSV, JSON). The report shows our figures and tables next to the papers' numbers.
//
// A notebook has parameters if a code cell tagged "parameters" declares them, each by itself with a
// plain value. -profile sets the one named profile, and -set sets any. The runner inserts a cell
// after that one, which declares them again. The committed notebook does not change.
//
// Tags of cells:
//
//	skip-ci           not run under -check
//	nondeterministic  compared by the kinds of its outputs
//	tolerance:0.02    compared with that relative tolerance
//	raises-exception  expected to fail
//
// A cell that fails or takes longer than -timeout ends its notebook. The other notebooks go on,
// finished work is kept, and the exit code is 1. Ctrl-C ends everything and keeps finished work.
// The exit code is then 130. If a flag is refused, nothing is written. Only one run at a time
// writes into a folder. A shell command (!cmd) that fails does not fail its cell, as always in
// GoNB.
//
// The packages below:
//
//	jupyter    the messaging protocol
//	kernel     a kernel process and its workspace
//	relay      between JupyterLab and a kernel
//	joint      one program of a notebook's cells
//	nbformat   notebook files
//	outputs    from messages to outputs
//	failure    explains a cell's error
//	params     a notebook's parameters
//	check      compares outputs
//	progress   the status line, and the estimate of the time left
//	toolchain  builds what cells need
//	report     the page of results
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dplab/dplab/notebooks/run/progress"
	"github.com/dplab/dplab/notebooks/run/report"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1   // a notebook failed, or differs from what is committed
	exitUsage       = 2   // a flag is wrong, and nothing was run
	exitInterrupted = 130 // Ctrl-C, as a shell reports it
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == asKernel {
		os.Exit(runKernel(os.Args[2:]))
	}
	ctx, stop := untilSignal()
	ctx, cancel := context.WithCancelCause(ctx)
	go watchParent(ctx, cancel)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr, progress.IsTerminal(os.Stdout))
	stop()
	os.Exit(code)
}

// untilSignal returns a context that ends at a signal to end: from Ctrl-C, a closed terminal, or
// the starter.
func untilSignal() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// run is the whole program. It checks everything that can be checked before it writes anything.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, terminal bool) int {
	o, help, err := parseOptions(args, stderr)
	if help {
		return exitOK
	}
	var r *runner
	var jobs []*job
	if err == nil {
		r, jobs, err = prepare(o)
	}
	var program string
	if err == nil && o.Lab {
		if program, err = findLab(); err == nil {
			err = readyLab(ctx, program, o)
		}
	}
	if err == nil {
		err = r.findGo(ctx)
	}
	if err == nil {
		err = r.findBackend(ctx)
	}
	if err == nil && o.Write {
		err = prepareWrite(jobs)
	}
	unlock := func() {}
	if err == nil && !o.Lab {
		if err = prepareOut(r.out); err == nil {
			unlock, err = lockOut(r.out)
		}
	}
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case err != nil:
		fmt.Fprintf(stderr, "%v\n", err)
		return exitUsage
	}
	for _, err := range r.unreadable {
		fmt.Fprintf(stderr, "left out: %v\n", err)
	}
	if o.Lab {
		return r.lab(ctx, program, jobs, stdout, stderr, terminal)
	}
	defer unlock()
	results, err := r.run(ctx, jobs, stdout, terminal)
	if ctx.Err() != nil {
		defer fmt.Fprintln(stdout, "interrupted: the kernels were ended; finished work is in", r.relative(r.out))
	} else if err != nil {
		fmt.Fprintf(stderr, "%v\n", err)
		return exitFailed
	}
	return r.finish(ctx, results, stdout, stderr)
}

// finish writes the report and the last lines.
func (r *runner) finish(ctx context.Context, results []result, stdout, stderr io.Writer) int {
	code := exitOK
	if n := len(r.unreadable); n > 0 {
		fmt.Fprintf(stderr, "%s could not be read: the first lines give the reasons\n", plural(n, "notebook"))
		code = exitFailed
	}
	for _, res := range results {
		if res.Status != report.StatusOK {
			code = exitFailed
		}
	}
	if len(results) > 0 {
		path := filepath.Join(r.out, "report.html")
		if err := report.Write(path, r.reportRuns(results)); err != nil {
			fmt.Fprintf(stderr, "%v\n", err)
			code = exitFailed
		} else {
			size := ""
			if info, err := os.Stat(path); err == nil {
				size = fmt.Sprintf(", %.1f MB", float64(info.Size())/1e6)
			}
			fmt.Fprintf(stdout, "report: %s%s (%s)\n", r.relative(path), size, progress.Short(time.Since(r.begin)))
		}
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return code
}

func (r *runner) reportRuns(results []result) []report.Run {
	var runs []report.Run
	for _, res := range results {
		j := res.Job
		runs = append(runs, report.Run{
			Notebook: j.Name, Path: j.Path, Title: j.Committed.Title(), Prose: res.Prose, Artifacts: j.Artifacts, Executed: r.relative(j.Executed),
			Elapsed: res.Elapsed, Cells: len(j.Committed.Code()), Done: res.Done, Status: res.Status, Error: res.Error,
			Profile: j.Profile, Build: r.goTool.Version + ", " + r.build.String(),
		})
	}
	return runs
}

// watchParent cancels the run when the go command that started this program (go run) was killed.
// The go command passes on no signal. Without this, the program would go on with nobody watching.
func watchParent(ctx context.Context, cancel context.CancelCauseFunc) {
	parent, ok := goRun()
	if !ok {
		return // the user may want it to outlive its parent
	}
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if os.Getppid() != parent {
				cancel(errors.New("the go command that started the run has ended"))
				return
			}
		}
	}
}
