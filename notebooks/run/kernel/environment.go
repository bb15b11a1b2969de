package kernel

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/dplab/dplab/notebooks/run/jupyter"
)

// unwanted are variables that could make a cell build differently from the repository.
var unwanted = []string{"GOWORK", "GOBIN", "GOOS", "GOARCH", "GO111MODULE", "GONB_DIR", "GONB_TMP_DIR", "GONB_PIPE", "GONB_PIPE_BACK"}

// unwantedFlags are flags of the go command that do not fit the workspace of a cell.
var unwantedFlags = []string{"-mod", "-modfile", "-overlay", "-C"}

// Offline are settings that keep the go command of a cell from the network, whatever the cell
// imports. What cells need has been fetched before. Anything published under this repository's path
// belongs to somebody else.
var Offline = []string{"GOPROXY=off", "GONOPROXY=none", "GOVCS=*:off", "GOSUMDB=off"}

// Environ returns environ made fit for building and running cells:
//
//   - without variables and flags of the go command that break the workspace of a kernel;
//   - with the settings (NAME=value) on top;
//   - with toolDir, if not empty, first in PATH;
//   - without folders in PATH that hold gopls but no go. GoNB would start a gopls for each kernel,
//     some 400 MB that an unattended run does not need.
func Environ(environ []string, toolDir string, settings ...string) []string {
	set := map[string]string{}
	for _, entry := range slices.Concat(environ, settings) {
		if name, value, ok := strings.Cut(entry, "="); ok {
			set[name] = value
		}
	}
	for _, name := range unwanted {
		delete(set, name)
	}
	set["GOFLAGS"] = cleanFlags(set["GOFLAGS"])
	path := withoutGopls(filepath.SplitList(set["PATH"]))
	if toolDir != "" {
		path = append([]string{toolDir}, path...)
	}
	set["PATH"] = strings.Join(path, string(os.PathListSeparator))
	var out []string
	for name, value := range set {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// cleanFlags drops unwanted flags and leaves debug tables out of the programs of the cells, unless
// the user sets other linker flags. Linking a cell with the training engine then takes two thirds
// of the time.
func cleanFlags(flags string) string {
	kept := slices.DeleteFunc(strings.Fields(flags), func(flag string) bool {
		name, _, _ := strings.Cut(flag, "=")
		name = "-" + strings.TrimLeft(name, "-")
		return slices.Contains(unwantedFlags, name)
	})
	if !strings.Contains(flags, "-ldflags") {
		kept = append(kept, "-ldflags=-s")
	}
	return strings.Join(kept, " ")
}

func withoutGopls(dirs []string) []string {
	return slices.DeleteFunc(dirs, func(dir string) bool {
		return hasProgram(dir, "gopls") && !hasProgram(dir, "go") && !hasProgram(dir, "bash")
	})
}

func hasProgram(dir, name string) bool {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && !info.IsDir()
}

// MakeWorkspace lets the cells of a kernel import the packages of the module in root, at the
// versions pinned there. It makes a workspace (go.work) of that module and of the folder in which
// GoNB builds cells. It also stops GoNB from fetching what a cell imports. Call it once, before the
// first cell. env is the environment of the kernel.
func (k *Kernel) MakeWorkspace(ctx context.Context, root string, env []string) error {
	folder, err := k.cellFolder()
	if err != nil {
		return err
	}
	k.folder = folder
	cmd := exec.CommandContext(ctx, "go", "work", "init", ".", root)
	cmd.Dir, cmd.Env = folder, append(env, "TMPDIR="+k.temp)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kernel: cannot make the workspace of the cells: %w: %s", errors.Join(context.Cause(ctx), err), strings.TrimSpace(string(out)))
	}
	reply, err := k.Run(ctx, "%noautoget", false, func(jupyter.Message) {})
	if err == nil && reply.Status != "ok" {
		err = errors.New(reply.ErrorValue)
	}
	if err != nil {
		return fmt.Errorf("kernel: cannot stop cells from fetching packages: %w", err)
	}
	return nil
}

// CellFolder returns the folder in which GoNB builds cells, after MakeWorkspace.
func (k *Kernel) CellFolder() string { return k.folder }

// cellFolder finds the folder in which GoNB builds cells. It is the one of GoNB's temporary
// folders that has a go.mod.
func (k *Kernel) cellFolder() (string, error) {
	found, _ := fs.Glob(os.DirFS(k.temp), "gonb_*/go.mod") // the pattern is valid
	for _, file := range found {
		folder := filepath.Join(k.temp, filepath.Dir(file))
		if _, err := os.Stat(filepath.Join(folder, "go.work")); err != nil {
			return folder, nil
		}
	}
	return "", fmt.Errorf("kernel: no folder gonb_* without a workspace in %s: is the kernel another version of GoNB?", k.temp)
}
