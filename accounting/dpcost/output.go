package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/dplab/dplab/accounting/command"
)

// output is what a flag asks to write.
type output struct {
	flag, path string
	text       []byte
}

// checkFiles returns an error unless all files whose flags were given can be written.
func checkFiles(files ...output) error {
	var errs []error
	for _, f := range files {
		if f.path == "" {
			continue
		}
		if err := command.CheckWritable(f.path); err != nil {
			errs = append(errs, fmt.Errorf("-%s: %w: must be a file that can be written", f.flag, err))
		}
	}
	return errors.Join(errs...)
}

// writeAll writes all files. Where one fails, those that are new are removed.
func writeAll(files []output) error {
	var made []string
	for _, f := range files {
		if _, err := os.Lstat(f.path); errors.Is(err, fs.ErrNotExist) {
			made = append(made, f.path)
		}
		if err := os.WriteFile(f.path, f.text, 0o644); err != nil {
			for _, path := range made {
				_ = os.Remove(path) // the error that counts is the first one
			}
			return fmt.Errorf("-%s: %w", f.flag, err)
		}
	}
	return nil
}
