package experiments

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// tempFile is a file that is written before it gets its name.
type tempFile interface {
	io.WriteCloser
	Name() string
	Chmod(fs.FileMode) error
	Sync() error
}

// createTemp makes a file in a folder. Tests replace it by a full disk.
var createTemp = func(dir string) (tempFile, error) { return os.CreateTemp(dir, ".dplab-*") }

// writeFile writes a file in one step: a reader of path finds either all of it or what was there
// before. The data are on disk before the file gets its name. It makes the folder. After an error
// nothing remains.
func writeFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("experiments: folder of %s: %w", path, err)
	}
	f, err := createTemp(dir)
	if err != nil {
		return fmt.Errorf("experiments: %s cannot be written: %w", path, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("experiments: %s cannot be written: %w", path, err)
	}
	return nil
}

// Temporary reports whether trying again may help: the disk was full, or another program was
// writing the same store.
func Temporary(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, ErrLocked)
}
