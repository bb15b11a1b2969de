package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/dplab/dplab/accounting/command"
)

// File is a file that a flag names.
type File struct {
	Flag, Path string
	text       []byte
}

// CheckFiles returns an error unless all files whose flags were given can be written.
func CheckFiles(files ...File) error {
	var errs []error
	for _, f := range files {
		if f.Path == "" {
			continue
		}
		if err := command.CheckWritable(f.Path); err != nil {
			errs = append(errs, fmt.Errorf("-%s: %w: must be a file that can be written", f.Flag, err))
		}
	}
	return errors.Join(errs...)
}

// writeAll writes all files. If one fails, the new ones are removed.
func writeAll(files []File) error {
	var made []string
	for _, f := range files {
		if _, err := os.Lstat(f.Path); errors.Is(err, fs.ErrNotExist) {
			made = append(made, f.Path)
		}
		if err := os.WriteFile(f.Path, f.text, 0o644); err != nil {
			for _, path := range made {
				_ = os.Remove(path) // the first error is reported
			}
			return fmt.Errorf("-%s: %w", f.Flag, err)
		}
	}
	return nil
}
