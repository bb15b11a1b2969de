package command

import (
	"errors"
	"io/fs"
	"os"
)

// CheckWritable returns an error unless a file can be written at path. It leaves no trace. Pipes
// and devices are not tried.
func CheckWritable(path string) error {
	mode := os.O_WRONLY
	info, err := os.Stat(path)
	isNew := errors.Is(err, fs.ErrNotExist)
	switch {
	case isNew:
		mode |= os.O_CREATE | os.O_EXCL
	case err == nil && !info.Mode().IsRegular() && !info.IsDir():
		return nil
	}
	file, err := os.OpenFile(path, mode, 0o644)
	if err != nil {
		return err
	}
	err = file.Close()
	if isNew {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// SameFile reports whether two paths lead to one file, which exists.
func SameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(first, second)
}
