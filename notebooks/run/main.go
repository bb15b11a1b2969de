package main

import (
	"context"
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
	exitUsage       = 2   // nothing was run: a flag is wrong
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

// untilSignal returns a context that ends when the program is told to end: by Ctrl-C, by a closed terminal, by its starter.
func untilSignal() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// run is the whole program. Nothing is written before everything that can be checked is checked.
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
	case o.Lab:
		return r.lab(ctx, program, jobs, stdout, stderr, terminal)
	}
	defer unlock()
	results, err := r.run(ctx, jobs, stdout, terminal)
	if ctx.Err() != nil {
		defer fmt.Fprintln(stdout, "interrupted: the kernels are ended, what was done is kept in", r.relative(r.out))
	} else if err != nil {
		fmt.Fprintf(stderr, "%v\n", err)
		return exitFailed
	}
	return r.finish(ctx, results, stdout, stderr)
}

// finish writes the report and the last lines.
func (r *runner) finish(ctx context.Context, results []result, stdout, stderr io.Writer) int {
	code := exitOK
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
