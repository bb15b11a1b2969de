package figures

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/dplab/dplab/accounting/chart"
)

// The kinds of artifacts.
const (
	KindChart      = "chart" // a Chart, Panels, or a picture without numbers
	KindTable      = "table"
	KindComparison = "comparison"
	KindText       = "text"     // in Text, as it is written
	KindMarkdown   = "markdown" // in Text
)

// The MIME types under which a notebook keeps the numbers of a figure, and those of a table or
// comparison. The content is a string that holds JSON: a kernel would have to know the types of a
// nested value.
const (
	ChartMIME = "application/vnd.dplab.chart+json"
	TableMIME = "application/vnd.dplab.table+json"
)

// Artifact is one thing that a notebook showed and that was saved into a folder. Files are relative
// to it.
type Artifact struct {
	Name  string   `json:"name"`
	Kind  string   `json:"kind"`
	Title string   `json:"title,omitempty"`
	Files []string `json:"files,omitempty"`
	Text  string   `json:"text,omitempty"`
	Tally *Tally   `json:"tally,omitempty"` // of a comparison
}

const manifestName = "manifest.json"

var manifestLock sync.Mutex

// AddArtifact writes the files into the folder, which is made if it is not there, and then lists
// the artifact in the folder's manifest.json. Each file appears whole or not at all. A name that
// the manifest has already is an error: two cells would overwrite each other's figure. An empty
// name becomes the kind and a number. A file that is only an ending has the name before it.
func AddArtifact(dir string, a Artifact, files map[string][]byte) error {
	manifestLock.Lock()
	defer manifestLock.Unlock()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("figures: artifacts: %w", err)
	}
	list, err := ReadManifest(dir)
	if err != nil {
		return err
	}
	if a.Name == "" {
		a.Name = fmt.Sprintf("%s-%d", a.Kind, len(list)+1)
	}
	if err := chart.CheckName("artifact", a.Name); err != nil {
		return fmt.Errorf("figures: %w", err)
	}
	for _, b := range list {
		if b.Name == a.Name {
			return fmt.Errorf("figures: artifact name %q: must be used once in %s, and a %s has it already", a.Name, dir, b.Kind)
		}
	}
	for i, file := range a.Files {
		if strings.HasPrefix(file, ".") {
			a.Files[i] = a.Name + file
		}
		if err := WriteFile(filepath.Join(dir, a.Files[i]), files[file]); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(append(list, a), "", "  ")
	if err != nil {
		return fmt.Errorf("figures: manifest: %w", err)
	}
	return WriteFile(filepath.Join(dir, manifestName), append(data, '\n'))
}

// ReadManifest returns what was saved into the folder, in the order in which it was shown. A folder
// without a manifest, or that is not there, has nothing.
func ReadManifest(dir string) ([]Artifact, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("figures: manifest: %w", err)
	}
	var list []Artifact
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("figures: manifest %s: %w", filepath.Join(dir, manifestName), err)
	}
	return list, nil
}

// WriteFile writes data to a temporary file next to path and renames it. Path is never half
// written.
func WriteFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".dplab-*")
	if err != nil {
		return fmt.Errorf("figures: write: %w", err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("figures: write: %w", err), os.Remove(f.Name()))
	}
	return nil
}
