package kernel

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dplab/dplab/notebooks/run/jupyter"
)

// MakeWorkspace lets the cells of a kernel import the packages of the module in root, at the versions that are pinned there:
// it makes a workspace (go.work) of that module and the folder in which GoNB builds cells, and turns off that GoNB fetches
// what a cell imports. It is done once, before the first cell; env is the environment of the kernel.
func (k *Kernel) MakeWorkspace(ctx context.Context, root string, env []string) error {
	folder, err := k.cellFolder()
	if err != nil {
		return err
	}
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
		return fmt.Errorf("kernel: cannot turn off that cells fetch packages: %w", err)
	}
	return nil
}

// cellFolder returns the folder in which GoNB builds cells: that with a go.mod among its temporary files.
func (k *Kernel) cellFolder() (string, error) {
	found, _ := fs.Glob(os.DirFS(k.temp), "gonb_*/go.mod") // the pattern is right
	for _, file := range found {
		folder := filepath.Join(k.temp, filepath.Dir(file))
		if _, err := os.Stat(filepath.Join(folder, "go.work")); err != nil {
			return folder, nil
		}
	}
	return "", fmt.Errorf("kernel: no folder gonb_* without a workspace in %s: is the kernel another version of GoNB?", k.temp)
}
