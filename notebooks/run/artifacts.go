package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// manifest is the file that show keeps in a folder of artifacts. A folder without it is not ours to clear.
const manifest = "manifest.json"

// clearArtifacts makes the folder and removes what an earlier run showed into it, so that a figure that the notebook
// no longer draws is not reported as if it did.
func clearArtifacts(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("folder of figures: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, manifest)); err != nil {
		return nil
	}
	files, err := filesIn(dir, ".png", ".svg", ".pdf", ".csv", ".json")
	errs := []error{err}
	for _, file := range files {
		errs = append(errs, os.Remove(file))
	}
	return errors.Join(errs...)
}

// newestImage returns the path of the image in dir that was written last, or the empty string.
func newestImage(dir string) string {
	files, _ := filesIn(dir, ".png") // no folder, no image
	var newest string
	var at time.Time
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && !info.ModTime().Before(at) {
			newest, at = file, info.ModTime()
		}
	}
	return newest
}

// filesIn returns the paths of the files in dir with one of the extensions.
func filesIn(dir string, extensions ...string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("folder of figures: %w", err)
	}
	var files []string
	for _, entry := range entries {
		if entry.Type().IsRegular() && slices.Contains(extensions, filepath.Ext(entry.Name())) {
			files = append(files, filepath.Join(dir, entry.Name()))
		}
	}
	return files, nil
}
