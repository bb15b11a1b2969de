package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// isRoot reports whether this is the user that JupyterLab refuses to run as.
var isRoot = func() bool { return os.Geteuid() == 0 }

// readyLab returns an error if JupyterLab would not start. It runs before the cells' needs are
// built, which takes minutes.
func readyLab(ctx context.Context, program string, o options) error {
	if slices.ContainsFunc(o.LabArgs, asksOnly) {
		return nil
	}
	err := errors.Join(runnable(program), writable(runtimeFolder()))
	if err != nil || len(o.LabArgs) == 0 && !isRoot() {
		return err
	}
	allowed, err := allowsRoot(ctx, program, o.LabArgs)
	if err == nil && isRoot() && !allowed {
		err = fmt.Errorf("-lab: JupyterLab runs as root only with --allow-root. In a container, or on a machine that only you use:\n  go run ./notebooks/run %s", o.withRoot())
	}
	return err
}

// asksOnly reports whether an argument makes JupyterLab print something and end.
func asksOnly(arg string) bool {
	return slices.Contains([]string{"--version", "--help", "--help-all", "-h", "--show-config", "--show-config-json"}, arg)
}

// withRoot returns the command line with the flag that lets JupyterLab run as root.
func (o options) withRoot() string {
	args := slices.Concat(o.given, []string{"--"}, o.LabArgs, []string{"--allow-root"})
	for i, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$&|;<>()*?[]#~`!{}") {
			args[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(args, " ")
}

// runnable returns an error if a script names an interpreter that does not exist, as in a virtual
// environment that was moved.
func runnable(program string) error {
	text, err := os.ReadFile(program)
	if err != nil {
		return nil // not a script, or only its starter may read it
	}
	line, _, _ := strings.Cut(string(text), "\n")
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if !strings.HasPrefix(line, "#!") || len(words) == 0 {
		return nil
	}
	if _, err := os.Stat(words[0]); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("-lab: %s needs %s, which does not exist: install JupyterLab again (pip install jupyterlab)", program, words[0])
	}
	return nil
}

// runtimeFolder returns the folder in which Jupyter keeps files of running servers and kernels.
//
// Reference: jupyter_core 5, jupyter_core.paths.jupyter_runtime_dir.
func runtimeFolder() string {
	if dir := os.Getenv("JUPYTER_RUNTIME_DIR"); dir != "" {
		return dir
	}
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return filepath.Join(dir, "runtime")
	}
	home, err := os.UserHomeDir()
	switch {
	case err != nil || runtime.GOOS == "windows":
		return "" // Jupyter finds one by itself
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Jupyter", "runtime")
	case os.Getenv("XDG_DATA_HOME") != "":
		return filepath.Join(os.Getenv("XDG_DATA_HOME"), "jupyter", "runtime")
	}
	return filepath.Join(home, ".local", "share", "jupyter", "runtime")
}

// writable returns an error unless Jupyter can write into its folder. Like Jupyter, it makes a
// folder that is missing.
func writable(dir string) error {
	if dir == "" {
		return nil
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, "dplab-*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("-lab: Jupyter cannot write into %s: %w: name another folder in JUPYTER_RUNTIME_DIR", dir, err)
	}
	return nil
}

// allowsRoot asks JupyterLab for its configuration, which takes two seconds, and reports whether it
// may run as root. It returns JupyterLab's error for arguments that it refuses, and for an address
// or a port on which it cannot listen. JupyterLab takes both before it prints. If another version
// prints another form, allowsRoot reports true, and faults appear when JupyterLab starts.
func allowsRoot(ctx context.Context, program string, args []string) (bool, error) {
	cmd := exec.CommandContext(ctx, program, append(slices.Clone(args), "--show-config-json")...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		return false, fmt.Errorf("-lab: %s %s: %v: %s", program, strings.Join(args, " "), err, strings.TrimSpace(lines[len(lines)-1]))
	}
	var config struct {
		ServerApp struct {
			AllowRoot any `json:"allow_root"` // true, or "True" from --ServerApp.allow_root=True
		}
	}
	if err := json.Unmarshal(out, &config); err != nil {
		return true, nil
	}
	return strings.EqualFold(fmt.Sprint(config.ServerApp.AllowRoot), "true"), nil
}
