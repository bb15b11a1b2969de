package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/dplab/dplab/notebooks/run/kernel"
)

const (
	tempPrefix = "dplab-run-"
	ownerFile  = "owner" // in a temporary folder: locked as long as its run lives
)

// newTemp makes a folder for the temporary files of this run, and removes those of runs that were
// killed. end kills the processes that still use the folder, and removes it.
func newTemp() (dir string, end func(), err error) {
	removeOrphans()
	if dir, err = os.MkdirTemp("", tempPrefix); err != nil {
		return "", nil, fmt.Errorf("folder for temporary files: %w: TMPDIR must name a folder that can be written to", err)
	}
	owner := filepath.Join(dir, ownerFile)
	lock := flock.New(owner + ".new")
	if ok, err := lock.TryLock(); ok && err == nil {
		_ = os.Rename(owner+".new", owner) // it is locked before it gets its name; a folder without it is never removed as an orphan
	}
	return dir, func() {
		kernel.EndMarked(dir)
		_ = os.RemoveAll(dir) // leftovers do no harm
		_ = lock.Unlock()
	}, nil
}

// removeOrphans removes the temporary folders of runs that were killed, and ends the processes that
// these left running.
func removeOrphans() {
	owners, _ := filepath.Glob(filepath.Join(os.TempDir(), tempPrefix+"*", ownerFile)) // the pattern is valid
	for _, owner := range owners {
		if info, err := os.Lstat(owner); err != nil || !info.Mode().IsRegular() {
			continue
		}
		lock := flock.New(owner, flock.SetFlag(os.O_RDWR))
		if ok, err := lock.TryLock(); err != nil || !ok {
			continue // its run lives, or belongs to another user
		}
		kernel.EndMarked(filepath.Dir(owner))
		_ = os.RemoveAll(filepath.Dir(owner))
		_ = lock.Unlock()
	}
}

// lockOut keeps other runs from writing into the folder until unlock is called or this program
// ends. On a file system without locks it does nothing.
func lockOut(dir string) (unlock func(), err error) {
	path := filepath.Join(dir, ".lock")
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	ok, err := lock.TryLock()
	switch {
	case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK):
		return func() {}, nil
	case err != nil:
		return nil, fmt.Errorf("-out %s: cannot be locked: %w", dir, err)
	case !ok:
		who := "another run"
		if pid, err := os.ReadFile(path); err == nil && len(pid) > 0 {
			who += fmt.Sprintf(" (pid %s)", pid)
		}
		return nil, fmt.Errorf("%s is writing into -out %s: wait until it ends, or give another folder", who, dir)
	}
	_ = os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), 0o644) // only for the message
	return func() {
		_ = os.Truncate(path, 0)
		_ = lock.Unlock()
	}, nil
}
