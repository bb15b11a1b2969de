package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/dplab/dplab/notebooks/run/kernel"
	"github.com/dplab/dplab/notebooks/run/progress"
	"github.com/dplab/dplab/notebooks/run/toolchain"
)

// findLab returns the path of JupyterLab's program.
func findLab() (string, error) {
	path, err := exec.LookPath("jupyter-lab")
	if err != nil {
		return "", errors.New("-lab: no jupyter-lab in PATH: install JupyterLab (pip install jupyterlab), or run the notebooks without -lab, which needs no Jupyter")
	}
	return path, nil
}

// lab builds the kernel, starts JupyterLab with it and waits for its end. Nothing is installed: Jupyter finds the
// kernel in a folder of the user's cache that the environment names.
func (r *runner) lab(ctx context.Context, program string, jobs []*job, stdout, stderr io.Writer, terminal bool) int {
	var err error
	if r.temp, err = os.MkdirTemp("", "dplab-run-"); err != nil {
		fmt.Fprintf(stderr, "%v\n", err)
		return exitFailed
	}
	defer os.RemoveAll(r.temp)
	r.display = progress.NewDisplay(stdout, terminal)
	err = r.makeTools(ctx, jobs)
	r.display.Stop()
	if err == nil {
		err = writeKernelSpec(r.labFolder(), r.tools)
	}
	if err != nil {
		fmt.Fprintf(stderr, "%v\n", err)
		if ctx.Err() != nil {
			return exitInterrupted
		}
		return exitFailed
	}
	fmt.Fprintln(stdout, "JupyterLab is starting; Ctrl-C here ends it and its kernels")
	cmd := r.labCommand(ctx, program, jobs)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return exitInterrupted
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\n", program, err)
		return exitFailed
	}
	return exitOK
}

// labFolder is named in JUPYTER_PATH.
func (r *runner) labFolder() string { return filepath.Join(r.cache, "jupyter") }

// writeKernelSpec writes what tells Jupyter how to start the kernel. What GoNB logs, a great deal, goes to a file.
func writeKernelSpec(dir string, tools toolchain.Tools) error {
	spec, err := json.MarshalIndent(map[string]any{
		"argv": []string{tools.GoNB, "-logtostderr=false", "-stderrthreshold=3", "-log_file=" + filepath.Join(dir, "gonb.log"),
			"--kernel", "{connection_file}"},
		"display_name":   "Go (gonb)",
		"language":       "go",
		"interrupt_mode": "message",
	}, "", " ")
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, "kernels", "gonb")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("-lab: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "kernel.json"), append(spec, '\n'), 0o644); err != nil {
		return fmt.Errorf("-lab: %w", err)
	}
	return nil
}

// labCommand opens the notebook if one was named, else the folder. Kernels inherit the environment.
func (r *runner) labCommand(ctx context.Context, program string, jobs []*job) *exec.Cmd {
	args := append([]string{"--notebook-dir=" + r.dir}, r.options.LabArgs...)
	if len(r.options.Names) > 0 && len(jobs) == 1 {
		args = append(args, jobs[0].Path)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = r.dir
	settings := append(r.build.Env(), "JUPYTER_PATH="+joined(r.labFolder(), os.Getenv("JUPYTER_PATH")))
	if r.data != "" {
		settings = append(settings, "DPLAB_DATA="+r.data)
	}
	cmd.Env = withGopls(kernel.Environ(os.Environ(), r.tools.Dir, settings...))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // a second one: Jupyter asks at the first
	cmd.WaitDelay = 15 * time.Second
	return cmd
}

// withGopls puts the folder of gopls, which completes names in JupyterLab, at the end of PATH.
func withGopls(env []string) []string {
	path, err := exec.LookPath("gopls")
	if err != nil {
		return env
	}
	for i, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			env[i] = "PATH=" + joined(value, filepath.Dir(path))
		}
	}
	return env
}

// joined appends a list of folders to another, either of which may be empty.
func joined(list, more string) string {
	if list == "" || more == "" {
		return list + more
	}
	return list + string(os.PathListSeparator) + more
}
