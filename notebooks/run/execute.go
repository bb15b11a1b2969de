package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/run/check"
	"github.com/dplab/dplab/notebooks/run/jupyter"
	"github.com/dplab/dplab/notebooks/run/kernel"
	"github.com/dplab/dplab/notebooks/run/nbformat"
	"github.com/dplab/dplab/notebooks/run/outputs"
	"github.com/dplab/dplab/notebooks/run/progress"
	"github.com/dplab/dplab/notebooks/run/report"
)

// result is the result of one notebook.
type result struct {
	Job      *job
	Status   string // one of report's
	Error    string
	Elapsed  time.Duration
	Done     int // code cells that ran to their end
	Notebook *nbformat.Notebook
	Prose    []report.Prose
}

// execute runs one notebook in its own kernel and writes the executed notebook, even if a cell
// fails.
func (r *runner) execute(ctx context.Context, j *job) result {
	res := result{Job: j, Status: report.StatusOK}
	begin := time.Now()
	task := r.task(j, begin)
	r.display.Begin(task)
	defer r.display.End(task)
	collected := r.runSteps(ctx, j, task, &res)
	res.Elapsed = time.Since(begin)
	res.Notebook, res.Prose = withOutputs(j, collected, r.build.String(), begin.UTC().Format(time.DateOnly)), prose(j, collected)
	if err := res.Notebook.WriteFile(j.Executed); err != nil {
		res.fail(report.StatusFailed, err.Error())
	}
	if r.options.Check && res.Status == report.StatusOK {
		r.check(j, &res)
	}
	if r.options.Write && res.Status == report.StatusOK {
		if err := res.Notebook.WriteFile(j.Path); err != nil {
			res.fail(report.StatusFailed, err.Error())
		}
	}
	return res
}

func (res *result) fail(status, text string) {
	if res.Error != "" {
		text = res.Error + "\n" + text
	}
	res.Status, res.Error = status, text
}

// ran is what one step has shown.
type ran struct {
	outputs []nbformat.Output
	count   int
	saved   int // artifacts that the notebook had saved when it was done
}

// kernelCommand returns the command that starts GoNB with errors of cells as text. The path of the
// connection file is appended.
func kernelCommand(gonb string) []string { return []string{gonb, "-raw_error", "--kernel"} }

// startKernel starts a kernel for the cells of a notebook. Its temporary files go to temp.
func (r *runner) startKernel(ctx context.Context, j *job, temp string, env []string) (*kernel.Kernel, error) {
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return nil, err
	}
	k, err := kernel.Start(ctx, kernel.Config{Command: kernelCommand(r.tools.GoNB), Dir: filepath.Dir(j.Path), Temp: temp, Env: env})
	if err != nil {
		return nil, err
	}
	if err := k.MakeWorkspace(ctx, r.root, env); err != nil {
		k.Stop()
		return nil, err
	}
	return k, nil
}

// runSteps starts the kernel and runs the steps until one fails. It returns what each started step
// has shown.
func (r *runner) runSteps(ctx context.Context, j *job, task *progress.Task, res *result) []ran {
	temp := filepath.Join(r.temp, stem(j.Path))
	if err := errors.Join(os.MkdirAll(temp, 0o700), clearArtifacts(j.Artifacts, 0)); err != nil {
		res.fail(report.StatusFailed, err.Error())
		return nil
	}
	cells, err := r.joinCells(ctx, j, temp)
	var k *kernel.Kernel
	if err == nil {
		k, err = r.startKernel(ctx, j, temp, cells.inPath(r.kernelEnv(j, temp)))
	}
	if err != nil {
		res.stop(ctx, err, j.Name+": ")
		return nil
	}
	defer k.Stop()
	collector := outputs.New(temp, "$TMPDIR", r.root, "$REPOSITORY")
	var all []ran
	for i, s := range j.Steps {
		r.display.Update(func() {
			task.Cell, task.CellBegin = i+1, time.Now()
		})
		reply, err := r.runStep(ctx, k, j, i, collector, cells)
		saved, _ := figures.ReadManifest(j.Artifacts) // the report names what cannot be read
		all = append(all, ran{count: reply.ExecutionCount, saved: len(saved)})
		if err != nil || reply.Status != "ok" && !s.Cell.HasTag(check.RaisesException) {
			res.stepFailed(ctx, j, s, collector.Outputs(i), reply, err)
			break
		}
		if s.Number > 0 && !s.Skip {
			res.Done++
		}
	}
	k.Stop() // before the outputs are read, so late ones are included
	for i := range all {
		all[i].outputs = collector.Outputs(i)
	}
	return all
}

// runStep runs the cell of step i and remembers how long it took. If the joint program ran it and
// failed, the cell's program runs. Only what that one shows is kept.
func (r *runner) runStep(ctx context.Context, k cellKernel, j *job, i int, collector *outputs.Collector, cells jointCells) (jupyter.Reply, error) {
	s := j.Steps[i]
	code := s.Cell.Source
	if s.Skip {
		code = "" // it still counts, so the cells keep their numbers
	}
	saved, _ := figures.ReadManifest(j.Artifacts) // as in runSteps
	run := func(count bool) (reply jupyter.Reply, forget func(), err error) {
		var forgotten atomic.Bool
		begin := time.Now()
		reply, err = runCell(ctx, k, code, count, r.options.Timeout, func(m jupyter.Message) {
			if !forgotten.Load() {
				collector.Add(i, m)
				r.announce(j, s, m)
			}
		})
		if err == nil && reply.Status == "ok" && !s.Skip {
			r.durations.Put(j.Name, j.Profile, code, time.Since(begin))
		}
		return reply, func() {
			forgotten.Store(true)
			collector.Forget(i)
		}, err
	}
	if err := cells.expect(s); err != nil {
		return jupyter.Reply{}, err
	}
	reply, forget, err := run(s.Number > 0)
	if !cells.took(s) || err != nil || reply.Status == "ok" {
		return reply, err
	}
	forget()
	if err := clearArtifacts(j.Artifacts, len(saved)); err != nil {
		return reply, err
	}
	count := reply.ExecutionCount
	reply, _, err = run(false) // it has its number
	reply.ExecutionCount = count
	return reply, err
}

func (res *result) stepFailed(ctx context.Context, j *job, s step, shown []nbformat.Output, reply jupyter.Reply, err error) {
	switch {
	case ctx.Err() != nil:
		res.fail(report.StatusInterrupted, fmt.Sprintf("%s, cell [%d]: interrupted", j.Name, s.Number))
	case errors.Is(err, errTimeout):
		res.fail(report.StatusTimeout, describeFailure(j, s, shown, err.Error()))
	case err != nil:
		res.fail(report.StatusFailed, describeFailure(j, s, shown, err.Error()))
	default:
		res.fail(report.StatusFailed, describeFailure(j, s, shown, causeOf(shown, reply.ErrorValue)))
	}
}

// stop records an error before the first cell.
func (res *result) stop(ctx context.Context, err error, prefix string) {
	if ctx.Err() != nil {
		res.fail(report.StatusInterrupted, prefix+"interrupted")
		return
	}
	res.fail(report.StatusFailed, prefix+err.Error())
}

// announce reports the first figure of the run, once.
func (r *runner) announce(j *job, s step, m jupyter.Message) {
	if m.Header.Type != "display_data" && m.Header.Type != "execute_result" {
		return
	}
	var content struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	if json.Unmarshal(m.Content, &content) != nil || content.Data["image/svg+xml"] == nil && content.Data["image/png"] == nil {
		return
	}
	r.firstFigure.Do(func() {
		where := fmt.Sprintf("%s, cell [%d]", j.Name, s.Number)
		if file := newestImage(j.Artifacts); file != "" {
			where += ": " + r.relative(file)
		}
		r.display.Line("first figure after %s: %s", progress.Short(time.Since(r.begin)), where)
	})
}

// clearArtifacts removes what an earlier run showed into the folder, except for the first
// artifacts. Otherwise the report would list figures that the notebook no longer draws. Files that
// no manifest lists stay.
func clearArtifacts(dir string, keep int) error {
	shown, _ := figures.ReadManifest(dir) // an unreadable one is removed like the others
	keep = min(keep, len(shown))
	var errs []error
	for _, artifact := range shown[keep:] {
		for _, name := range artifact.Files {
			errs = append(errs, removeIfThere(filepath.Join(dir, filepath.Base(name))))
		}
	}
	manifest := filepath.Join(dir, "manifest.json")
	if keep == 0 {
		return errors.Join(append(errs, removeIfThere(manifest))...)
	}
	data, err := json.MarshalIndent(shown[:keep], "", "  ")
	return errors.Join(append(errs, err, figures.WriteFile(manifest, append(data, '\n')))...)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("folder of figures: %w", err)
	}
	return nil
}

// newestImage returns the path of the newest image in dir, or the empty string.
func newestImage(dir string) string {
	entries, _ := os.ReadDir(dir) // no folder, no image
	var newest string
	var at time.Time
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && filepath.Ext(entry.Name()) == ".png" && !info.ModTime().Before(at) {
			newest, at = filepath.Join(dir, entry.Name()), info.ModTime()
		}
	}
	return newest
}
