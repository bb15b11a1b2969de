package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dplab/dplab/notebooks/run/check"
	"github.com/dplab/dplab/notebooks/run/kernel"
	"github.com/dplab/dplab/notebooks/run/nbformat"
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
	build     toolchain.Build

	firstFigure sync.Once
}

// prepare checks everything that can be checked before work starts, and returns the notebooks to run.
func prepare(o options) (*runner, []*job, error) {
	r := &runner{options: o, begin: time.Now(), build: toolchain.ChooseBuild()}
	var err error
	if r.cwd, err = os.Getwd(); err != nil {
		return nil, nil, err
	}
	if r.root, err = findRoot(r.cwd); err != nil {
		return nil, nil, err
	}
	if err := r.setFolders(); err != nil {
		return nil, nil, err
	}
	all, err := listNotebooks(r.dir, r.out)
	if err != nil {
		return nil, nil, err
	}
	chosen, err := selectNotebooks(all, o.Names)
	if err != nil {
		return nil, nil, err
	}
	jobs, err := r.jobs(chosen)
	if err != nil {
		return nil, nil, err
	}
	return r, jobs, prepareOut(r.out)
}

func (r *runner) setFolders() error {
	r.dir, r.out = filepath.Join(r.root, "notebooks"), filepath.Join(r.root, "notebooks", "out")
	if r.options.Notebooks != "" {
		r.dir = r.absolute(r.options.Notebooks)
		if at, err := findRoot(r.dir); err != nil || at != r.root {
			return fmt.Errorf("-notebooks %s: must be a folder inside the repository: the cells import its packages", r.options.Notebooks)
		}
	}
	if r.options.Out != "" {
		r.out = r.absolute(r.options.Out)
	}
	if r.options.Data != "" {
		r.data = r.absolute(r.options.Data)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("no folder for the notebook kernel: %w", err)
	}
	r.cache = filepath.Join(cache, "dplab")
	return nil
}

func (r *runner) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(r.cwd, path)
}

// relative shortens a path for a message.
func (r *runner) relative(path string) string {
	if short, err := filepath.Rel(r.cwd, path); err == nil && !strings.HasPrefix(short, "..") {
		return short
	}
	return path
}

// jobs reads the notebooks. Two of one name would overwrite each other's output.
func (r *runner) jobs(paths []string) ([]*job, error) {
	var jobs []*job
	seen := map[string]string{}
	for _, path := range paths {
		j, err := newJob(path, r.out, r.options)
		if err != nil {
			return nil, err
		}
		if first, twice := seen[j.Name]; twice {
			return nil, fmt.Errorf("%s and %s: must have different names, as their outputs go to one folder", r.relative(first), r.relative(path))
		}
		seen[j.Name] = path
		jobs = append(jobs, j)
	}
	return jobs, checkSettings(jobs, r.options.Set)
}

// run runs the notebooks and returns what came out, in the order of jobs. An error means that no notebook was run.
func (r *runner) run(ctx context.Context, jobs []*job, out io.Writer, terminal bool) ([]result, error) {
	var err error
	if r.temp, err = os.MkdirTemp("", "dplab-run-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(r.temp)
	r.durations = progress.LoadDurations(filepath.Join(r.cache, "durations.json"))
	defer r.durations.Save()
	r.display = progress.NewDisplay(out, terminal)
	defer r.display.Stop()
	if err := r.makeTools(ctx, jobs); err != nil {
		return nil, err
	}
	return r.runAll(ctx, jobs), nil
}

// makeTools builds the kernel and compiles what the notebooks import.
func (r *runner) makeTools(ctx context.Context, jobs []*job) error {
	env := kernel.Environ(os.Environ(), "", "TMPDIR="+r.temp)
	var err error
	if r.goTool, err = toolchain.Locate(ctx, r.root, env); err != nil {
		return err
	}
	r.display.Line("%s, %s; cells: %s", plural(len(jobs), "notebook"), r.goTool.Version, r.build)
	building := r.waiting("building the kernel")
	r.tools, err = toolchain.Ensure(ctx, filepath.Join(r.root, "notebooks", "tools"), r.cache, r.goTool, func(text string) { r.display.Line("%s", text) })
	r.display.End(building)
	if err != nil {
		return err
	}
	if r.tools.Built {
		r.display.Line("kernel built after %s", progress.Short(time.Since(r.begin)))
	}
	var imports []string
	for _, j := range jobs {
		imports = append(imports, j.Committed.Imports()...)
	}
	slices.Sort(imports)
	begin, compiling := time.Now(), r.waiting("compiling what the notebooks import")
	err = toolchain.Warm(ctx, r.goTool, r.root, r.build, toolchain.Wanted(slices.Compact(imports)))
	r.display.End(compiling)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		r.display.Line("%v", err) // the cells that import it will fail and say where
	case time.Since(begin) > 5*time.Second:
		r.display.Line("packages compiled after %s", progress.Short(time.Since(r.begin)))
	}
	return nil
}

// waiting shows something that is not a notebook in the status line.
func (r *runner) waiting(name string) *progress.Task {
	t := &progress.Task{Name: name, Begin: time.Now()}
	r.display.Begin(t)
	return t
}

// runAll runs the notebooks, those that take longest first, as many at a time as -jobs says.
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
			results[i] = r.execute(ctx, jobs[i])
			r.tell(results[i])
			<-places
		})
	}
	all.Wait()
	return results
}

func (r *runner) order(jobs []*job) []int {
	var order []int
	expected := make([]time.Duration, len(jobs))
	for i, j := range jobs {
		order = append(order, i)
		expected[i], _ = r.task(j, r.begin).Total()
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(expected[b] - expected[a]) })
	return order
}

// tell writes the line about a notebook that has ended.
func (r *runner) tell(res result) {
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

// kernelEnv is the environment of the cells of a notebook.
func (r *runner) kernelEnv(j *job) []string {
	settings := append(r.build.Env(), "DPLAB_ARTIFACTS="+j.Artifacts)
	if r.data != "" {
		settings = append(settings, "DPLAB_DATA="+r.data)
	}
	return kernel.Environ(os.Environ(), r.tools.Dir, settings...)
}

// check compares the executed notebook with the committed one.
func (r *runner) check(j *job, res *result) {
	kindsOnly := j.Made.Profile != "" && j.Made.Profile != j.Profile
	if kindsOnly {
		r.display.Line("%s: committed with -profile %s: values are not compared, only which figures, tables and texts there are", j.Name, j.Made.Profile)
	}
	mismatches, err := compareNotebooks(j, res.Notebook, kindsOnly)
	if err != nil {
		res.fail(report.StatusDiffers, err.Error())
		return
	}
	for _, m := range mismatches {
		res.fail(report.StatusDiffers, j.Name+", "+m.String())
	}
	if len(mismatches) > 0 && j.Made.Build != "" && j.Made.Build != r.build.String() {
		res.fail(report.StatusDiffers, fmt.Sprintf("the committed outputs were made with another build (%s): last digits may differ", j.Made.Build))
	}
}

// compareNotebooks returns the first mismatch of each cell.
func compareNotebooks(j *job, found *nbformat.Notebook, kindsOnly bool) ([]check.Mismatch, error) {
	committed, ours := j.Committed.Code(), ownCells(found)
	some := false
	for _, c := range committed {
		some = some || len(c.Outputs) > 0
	}
	if !some {
		return nil, fmt.Errorf("%s: is committed without outputs: run it (go run ./notebooks/run -write %s) and commit it", j.Name, stem(j.Path))
	}
	var out []check.Mismatch
	for i, c := range committed {
		if c.HasTag(check.SkipCI) {
			continue
		}
		if m := check.Outputs(i+1, c, c.Outputs, ours[i].Outputs, kindsOnly); m != nil {
			out = append(out, *m)
		}
	}
	return out, nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
