package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dplab/dplab/notebooks/run/kernel"
	"github.com/dplab/dplab/notebooks/run/progress"
	"github.com/dplab/dplab/notebooks/run/report"
	"github.com/dplab/dplab/notebooks/run/toolchain"
)

// runner runs notebooks.
type runner struct {
	options   options
	root      string // of the repository
	dir       string // folder of the notebooks
	out       string
	data      string // folder of the full data sets, or empty
	cache     string // the user's cache of this program
	temp      string // removed at the end
	cwd       string
	begin     time.Time
	display   *progress.Display
	durations *progress.Durations
	goTool    toolchain.Go
	tools     toolchain.Tools
	gopls     string // its folder, empty for none
	build     toolchain.Build
	backend   string // that cells train on; auto until one is opened
	why       string // the reason why auto became go

	unreadable []error // of files that are left out

	firstFigure sync.Once
}

// run runs the notebooks and returns their results, in the order of jobs. An error means that no
// notebook was run.
func (r *runner) run(ctx context.Context, jobs []*job, out io.Writer, terminal bool) ([]result, error) {
	var end func()
	var err error
	if r.temp, end, err = newTemp(); err != nil {
		return nil, err
	}
	defer end()
	r.durations = progress.LoadDurations(filepath.Join(r.cache, "durations.json"))
	r.display = progress.NewDisplay(out, terminal)
	defer r.display.Stop()
	wait, err := r.makeTools(ctx, jobs)
	defer wait()
	if err != nil {
		return nil, err
	}
	defer r.durations.Save()
	return r.runAll(ctx, jobs), nil
}

// runAll runs the notebooks in their order, at most -jobs at a time, each when its packages are
// there.
func (r *runner) runAll(ctx context.Context, jobs []*job) []result {
	results := make([]result, len(jobs))
	places := make(chan struct{}, r.options.Jobs)
	var all sync.WaitGroup
	for _, i := range r.order(jobs) {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			results[i] = result{Job: jobs[i], Status: report.StatusSkipped, Error: jobs[i].Name + ": not run: interrupted"}
			continue
		}
		all.Go(func() {
			<-jobs[i].Packages.ready
			results[i] = r.execute(ctx, jobs[i])
			r.writeLine(results[i])
			<-places
		})
	}
	all.Wait()
	return results
}

// usualCell is the assumed time of a cell that no earlier run has timed.
const usualCell = 6 * time.Second

// firstNotebook goes before all others. A new user reads it first.
const firstNotebook = "quickstart.ipynb"

// order returns the notebooks by their expected time, the longest first, so no long one
// runs last by itself. Only firstNotebook goes before them.
func (r *runner) order(jobs []*job) []int {
	var order []int
	expected := make([]time.Duration, len(jobs))
	for i, j := range jobs {
		order = append(order, i)
		for _, cell := range r.task(j, r.begin).Expected {
			if cell < 0 {
				cell = usualCell
			}
			expected[i] += cell
		}
		if j.Name == firstNotebook {
			expected[i] = math.MaxInt64
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(expected[b], expected[a]) })
	return order
}

// writeLine writes the line about a notebook that has ended.
func (r *runner) writeLine(res result) {
	took := progress.Short(res.Elapsed)
	if res.Status == report.StatusOK {
		r.display.Line("%s: ok, %s in %s", res.Job.Name, plural(res.Done, "cell"), took)
		return
	}
	r.display.Line("%s: %s after %s\n  %s", res.Job.Name, strings.ToUpper(res.Status), took, strings.ReplaceAll(res.Error, "\n", "\n  "))
}

// task describes a notebook to the display.
func (r *runner) task(j *job, begin time.Time) *progress.Task {
	t := &progress.Task{Name: stem(j.Path), Cells: len(j.Steps), Begin: begin, CellBegin: begin}
	for _, s := range j.Steps {
		expected, ok := r.durations.Get(j.Name, j.Profile, s.Cell.Source)
		if !ok {
			expected = -1
		}
		t.Expected = append(t.Expected, expected)
	}
	return t
}

// kernelEnv returns the environment of a notebook's cells. Nothing comes from earlier runs.
func (r *runner) kernelEnv(j *job, temp string) []string {
	settings := append(r.settings(), kernel.Offline...)
	settings = append(settings, "DPLAB_ARTIFACTS="+j.Artifacts, "DPLAB_MEMO=off", "JUPYTER_DATA_DIR="+filepath.Join(temp, "jupyter"))
	return kernel.Environ(os.Environ(), r.tools.Dir, settings...)
}

// settings returns the variables for building and running cells.
func (r *runner) settings() []string {
	settings := r.build.Env()
	if r.data != "" {
		settings = append(settings, "DPLAB_DATA="+r.data)
	}
	return settings
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
