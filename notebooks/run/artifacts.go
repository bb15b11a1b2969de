package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dplab/dplab/notebooks/figures"
)

// clearArtifacts removes what an earlier run showed into the folder, so that a figure that the notebook
// no longer draws is not reported as if it did. Files that no manifest lists stay.
func clearArtifacts(dir string) error {
	shown, _ := figures.ReadManifest(dir) // one that cannot be read is removed like the others
	var errs []error
	for _, artifact := range shown {
		for _, name := range artifact.Files {
			errs = append(errs, removeIfThere(filepath.Join(dir, filepath.Base(name))))
		}
	}
	return errors.Join(append(errs, removeIfThere(filepath.Join(dir, "manifest.json")))...)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("folder of figures: %w", err)
	}
	return nil
}

// newestImage returns the path of the image in dir that was written last, or the empty string.
func newestImage(dir string) string {
	entries, _ := os.ReadDir(dir) // no folder, no image
	var newest string
	var at time.Time
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && filepath.Ext(entry.Name()) == ".png" && !info.ModTime().Before(at) {
			newest, at = filepath.Join(dir, entry.Name()), info.ModTime()
		}
	}
	return newest
}
