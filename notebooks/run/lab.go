package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dplab/dplab/notebooks/run/kernel"
	"github.com/dplab/dplab/notebooks/run/progress"
)

// labPatience is the time that JupyterLab gets to end itself and its kernels. It gives a busy
// kernel 5 s.
var labPatience = 15 * time.Second

// findLab returns the path of JupyterLab's program.
func findLab() (string, error) {
	program, err := exec.LookPath("jupyter-lab")
	if err != nil {
		return "", errors.New("-lab: no jupyter-lab in PATH: install JupyterLab (pip install jupyterlab), or run the notebooks without -lab, which needs no Jupyter")
	}
	if version := labVersion(program); version != "" && labMajor(version) < oldestLab {
		return "", fmt.Errorf("-lab: JupyterLab %s in %s: must be %d or later: pip install --upgrade jupyterlab", version, filepath.Dir(program), oldestLab)
	}
	return program, nil
}

// oldestLab is the oldest JupyterLab that was tried.
const oldestLab = 4

// labVersion returns the version of a JupyterLab that pip has installed next to its program, or the
// empty string if it is unknown. Asking the program would take a second.
func labVersion(program string) string {
	if target, err := filepath.EvalSymlinks(program); err == nil {
		program = target
	}
	root := os.DirFS(filepath.Dir(filepath.Dir(program)))
	found, _ := fs.Glob(root, "lib/python3*/site-packages/jupyterlab-*.dist-info") // the pattern is valid
	if len(found) != 1 {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(path.Base(found[0]), "jupyterlab-"), ".dist-info")
}

// labMajor returns the number before the first point. It is very large if there is none.
func labMajor(version string) int {
	text, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return math.MaxInt
}

// lab builds the kernel, starts JupyterLab with it and waits for its end. Nothing is installed:
// Jupyter finds the kernel in a temporary folder that the environment names.
func (r *runner) lab(ctx context.Context, program string, jobs []*job, stdout, stderr io.Writer, terminal bool) int {
	dir, kept := r.dir, []string(nil)
	var end func()
	var err error
	if !r.options.InPlace {
		dir = r.labDir()
		if kept, err = r.copyForLab(jobs); err != nil {
			fmt.Fprintf(stderr, "%v\n", err)
			return exitUsage
		}
	}
	if r.temp, end, err = newTemp(); err != nil {
		fmt.Fprintf(stderr, "%v\n", err)
		return exitFailed
	}
	defer end()
	r.display = progress.NewDisplay(stdout, terminal)
	wait, err := r.makeTools(ctx, jobs)
	wait()
	r.display.Stop()
	if err != nil {
		fmt.Fprintf(stderr, "%v\n", err)
		if ctx.Err() != nil {
			return exitInterrupted
		}
		return exitFailed
	}
	for _, line := range kept {
		fmt.Fprintln(stdout, line)
	}
	if !r.options.InPlace {
		fmt.Fprintf(stdout, "you work on copies in %s; the notebooks do not change (-in-place opens them)\n", r.relative(dir))
	}
	if !r.options.InPlace {
		if err := r.trust(ctx, program, jobs); err != nil {
			fmt.Fprintf(stdout, "stored pictures appear after Trust Notebook (Ctrl+Shift+C): %v\n", err)
		}
	}
	fmt.Fprintln(stdout, r.completionNote())
	fmt.Fprintln(stdout, "JupyterLab is starting. If no browser opens, open the address that it prints. Ctrl-C here ends it and its kernels.")
	return r.serve(ctx, program, r.labArgs(dir, jobs), dir, stdout, stderr)
}

// labArgs opens the notebook if one was named, or else the folder.
func (r *runner) labArgs(dir string, jobs []*job) []string {
	args := append([]string{"--notebook-dir=" + dir}, r.options.LabArgs...)
	if len(r.options.Names) > 0 && len(jobs) == 1 {
		args = append(args, r.below(dir, jobs[0].Path))
	}
	return args
}

// serve runs JupyterLab until it ends or ctx is canceled. It then ends everything that JupyterLab
// has started, except the browser.
//
// JupyterLab has its own process group, so the terminal's Ctrl-C does not reach it. At SIGINT it
// asks back, and goes on if nobody answers. At SIGTERM it ends its kernels and itself. Kernels have
// their own sessions and outlive a JupyterLab that is killed. The caller's newTemp ends them.
func (r *runner) serve(ctx context.Context, program string, args []string, dir string, stdout, stderr io.Writer) int {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, r.labEnv(), kernel.OwnGroup()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = time.Second // for processes that still hold the output after its end
	runtime.LockOSThread()      // it gets SIGTERM when this thread ends: see kernel.OwnGroup
	defer runtime.UnlockOSThread()
	err := errors.Join(r.writeKernelSpec(cmd.Env), r.writeLabSettings())
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintf(stderr, "-lab: %v\n", err)
		return exitFailed
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
		kernel.EndGroup(cmd.Process.Pid, labPatience)
	case <-ctx.Done():
		kernel.EndGroup(cmd.Process.Pid, labPatience)
		err = <-ended
	}
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v: see the reason above; if its port is in use, choose another with -- --port=NUMBER\n", program, err)
		return exitFailed
	}
	return exitOK
}

// labFolder is named in JUPYTER_PATH. It belongs to this run, so two checkouts do not share a
// kernel.
func (r *runner) labFolder() string { return filepath.Join(r.temp, "jupyter") }

// labEnv is the environment of JupyterLab and its terminals, which kernels inherit.
func (r *runner) labEnv() []string {
	settings := append(r.settings(), "JUPYTER_PATH="+joined(r.labFolder(), os.Getenv("JUPYTER_PATH")),
		"JUPYTER_CONFIG_PATH="+joined(filepath.Join(r.labFolder(), "config"), os.Getenv("JUPYTER_CONFIG_PATH")))
	return withGopls(kernel.Environ(os.Environ(), r.tools.Dir, settings...), r.gopls)
}

// kernelVariables are variables that cells need. The kernel's specification has them too.
var kernelVariables = []string{"GOEXPERIMENT", "GODEBUG", "CGO_ENABLED", "GOFLAGS", "GOPROXY", "GONOPROXY", "GOVCS", "GOSUMDB", "PATH", "DPLAB_DATA", "DPLAB_BACKEND", "TMPDIR"}

// writeKernelSpec writes the file from which Jupyter learns how to start the kernel: as this
// program, see serveKernel. The kernel's TMPDIR is the run's temporary folder. So its files are
// removed, and kernel.EndMarked finds its processes.
func (r *runner) writeKernelSpec(env []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program's path: %w", err)
	}
	own := map[string]string{}
	for _, entry := range append(append(slices.Clone(env), kernel.Offline...), "TMPDIR="+r.temp) { // the last one wins
		if name, value, _ := strings.Cut(entry, "="); slices.Contains(kernelVariables, name) {
			own[name] = strings.ReplaceAll(value, "$", "$$") // Jupyter replaces $NAME by variables
		}
	}
	spec, err := json.MarshalIndent(map[string]any{
		"argv":           []string{self, asKernel, r.root, r.tools.GoNB, "{connection_file}"},
		"display_name":   "Go (gonb)",
		"language":       "go",
		"interrupt_mode": "message",
		"env":            own,
	}, "", " ")
	if err != nil {
		return err
	}
	folder := filepath.Join(r.labFolder(), "kernels", "gonb")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "kernel.json"), append(spec, '\n'), 0o644)
}

// labSettings are defaults of JupyterLab, which the user's settings override. By default it
// silently drops completions that take longer than a second. gopls takes longer the first time that
// it reads a package.
const labSettings = `{"@jupyterlab/completer-extension:manager": {"providerTimeout": 5000}}
`

// writeLabSettings writes labSettings to the folder that JUPYTER_CONFIG_PATH names.
func (r *runner) writeLabSettings() error {
	folder := filepath.Join(r.labFolder(), "config", "labconfig")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "default_setting_overrides.json"), []byte(labSettings), 0o644)
}

// joined joins two lists of folders. Either may be empty.
func joined(list, more string) string {
	if list == "" || more == "" {
		return list + more
	}
	return list + string(os.PathListSeparator) + more
}
