package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// New makes a file with a first line. A file that exists is an error that wraps fs.ErrExist.
func New(path string, h Head) error {
	if err := h.validate(); err != nil {
		return err
	}
	line, err := h.line()
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("ledger: %s: must not exist: a first line is never written again: %w", path, fs.ErrExist)
	}
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	if err := write(file, 0, line); err != nil {
		return fmt.Errorf("ledger: %s: %w", path, err)
	}
	if folder, err := os.Open(filepath.Dir(path)); err == nil { // some systems cannot sync a folder
		_ = folder.Sync()
		_ = folder.Close()
	}
	return nil
}

// write cuts a file to its whole lines, writes what follows them, syncs, and closes. If that fails,
// the file keeps its whole lines.
func write(file *os.File, whole int, text []byte) error {
	err := file.Truncate(int64(whole))
	if err == nil {
		if _, err = file.WriteAt(text, int64(whole)); err == nil {
			err = file.Sync()
		}
		if err != nil {
			_ = file.Truncate(int64(whole))
		}
	}
	return errors.Join(err, file.Close())
}

// Add appends a release, and returns the file before it. It waits for other processes that append.
// The start of a line that was cut off gives way to the release.
//
// A release that does not fit into the budget is an error that wraps ErrOver, and the file stays as
// it was. If out is true, the release is public already, and is kept even so.
func Add(path string, r Release, out bool) (before *Ledger, err error) {
	unlock, err := lock(path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	l, err := Open(path)
	if err != nil {
		return nil, err
	}
	if err := l.validateRelease(r); err != nil {
		return nil, err
	}
	epsilon, err := l.EpsilonWith(r.Event, r.Delta)
	if err != nil && !out {
		return nil, err
	}
	if !(epsilon <= l.Budget.Epsilon) && !out {
		return nil, fmt.Errorf("ledger: %s: %v: %w: %s", path, r.Event, ErrOver, l.Would(epsilon))
	}
	line, err := l.lineOf(r, l.Sum)
	if err != nil {
		return nil, err
	}
	if l.unended {
		line = append([]byte("\n"), line...)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	if err := write(file, l.whole, line); err != nil {
		return nil, fmt.Errorf("ledger: %s: nothing was added: %w", path, err)
	}
	return l, nil
}

// lock waits until no other process appends. The lock is a file next to the ledger, as some systems
// keep a locked file from being read.
func lock(path string) (unlock func(), err error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	l := flock.New(filepath.Join(filepath.Dir(real), "."+filepath.Base(real)+".lock"), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	if err := l.Lock(); err != nil {
		return nil, fmt.Errorf("ledger: %s: cannot be locked: must be on a disk with locks, so that two processes do not append at once: %w", path, err)
	}
	return func() { _ = l.Unlock() }, nil
}
