package show

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/dplab/dplab/notebooks/figures"
)

// folder returns where copies go: $DPLAB_ARTIFACTS, or dplab-figures outside of a cell, or nowhere.
func folder() string {
	if dir := os.Getenv(ArtifactsEnv); dir != "" {
		return dir
	}
	if !gonbui.IsNotebook {
		return defaultFolder
	}
	return ""
}

// save writes the artifact's files, named after it with the suffixes, and lists it in the manifest of
// $DPLAB_ARTIFACTS.
func save(a figures.Artifact, files map[string][]byte, suffixes ...string) error {
	for _, s := range suffixes {
		a.Files = append(a.Files, a.Name+s)
	}
	if dir := os.Getenv(ArtifactsEnv); dir != "" {
		return figures.AddArtifact(dir, a, files)
	}
	if err := os.MkdirAll(defaultFolder, 0o755); err != nil {
		return fmt.Errorf("show: %w", err)
	}
	for _, name := range a.Files {
		if err := figures.WriteFile(filepath.Join(defaultFolder, name), files[name]); err != nil {
			return err
		}
	}
	fmt.Printf("%s %s: %s\n", a.Kind, a.Title, filepath.Join(defaultFolder, a.Files[0]))
	return nil
}

// send hands data to the kernel and waits until it has them.
func send(data *protocol.DisplayData) {
	gonbui.SendData(data)
	gonbui.Sync()
	if err := gonbui.Error(); err != nil {
		fmt.Fprintf(os.Stderr, "error: show: the kernel is not listening: %v\n", err)
		os.Exit(1)
	}
}
