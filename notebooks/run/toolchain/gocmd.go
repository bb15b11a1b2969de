package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/dplab/dplab/notebooks/run/kernel"
)

// Go is the go command that builds tools and cells.
type Go struct {
	Path    string
	Version string   // such as "go1.26.8"
	Env     []string // environment of its calls
}

// Locate finds the go command in PATH and asks for the version that it uses in dir. That may differ
// from its own version, if it switches toolchains.
func Locate(ctx context.Context, dir string, env []string) (Go, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return Go{}, errors.New("toolchain: no go command in PATH: install Go 1.26.5 or later from https://go.dev/dl")
	}
	g := Go{Path: path, Env: env}
	out, err := g.output(ctx, dir, nil, "env", "GOVERSION")
	if err != nil {
		return Go{}, fmt.Errorf("toolchain: the go command does not work: %w", err)
	}
	g.Version = strings.TrimSpace(out)
	return g, nil
}

// Compiler returns the C compiler that cgo would call, or the reason why there is none.
func (g Go) Compiler(ctx context.Context, dir string) (string, error) {
	out, err := g.output(ctx, dir, nil, "env", "CC")
	fields := strings.Fields(out)
	if err != nil || len(fields) == 0 {
		return "", fmt.Errorf("toolchain: go env CC: %q, %w", out, err)
	}
	path, err := exec.LookPath(fields[0])
	if err != nil {
		return "", fmt.Errorf("toolchain: no C compiler (%s), which cgo needs", fields[0])
	}
	return path, nil
}

// Output builds a program from a package, runs it with additional variables, and returns what it
// prints.
func (g Go) Output(ctx context.Context, dir string, env []string, pkg string) (string, error) {
	return g.output(ctx, dir, env, "run", pkg)
}

// Run runs the go command in dir with additional variables. The error holds the end of what it
// printed. When ctx is canceled, Run ends the command and what it started.
func (g Go) Run(ctx context.Context, dir string, env []string, args ...string) error {
	_, err := g.output(ctx, dir, env, args...)
	return err
}

func (g Go) output(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, g.Path, args...)
	cmd.Dir, cmd.Env = dir, append(append([]string{}, g.Env...), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = kernel.OwnGroup()
	cmd.Cancel = func() error {
		kernel.KillGroup(cmd.Process.Pid)
		return os.ErrProcessDone
	}
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", fmt.Errorf("go %s: %w%s", strings.Join(args, " "), err, tail(stderr.String()+stdout.String()))
	}
	return stdout.String(), nil
}

// tail returns the last lines of text, indented.
func tail(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	return "\n  " + strings.Join(lines[max(0, len(lines)-15):], "\n  ")
}
