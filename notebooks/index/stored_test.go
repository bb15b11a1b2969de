package index

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/run/nbformat"
)

// fromNotebooks reads the committed outputs of the papers' notebooks in a folder.
func fromNotebooks(dir string) (Stored, error) {
	stored := Stored{}
	for _, p := range Papers {
		data, err := os.ReadFile(filepath.Join(dir, p.Name+".ipynb"))
		if err != nil {
			return nil, fmt.Errorf("index: %w", err)
		}
		outputs, err := fromNotebook(data)
		if err != nil {
			return nil, fmt.Errorf("index: %s.ipynb: %w", p.Name, err)
		}
		stored[p.Name] = outputs
	}
	return stored, nil
}

func fromNotebook(data []byte) (Outputs, error) {
	nb, err := nbformat.Decode(data)
	if err != nil {
		return Outputs{}, err
	}
	var made struct{ Profile, Day string }
	if raw := nb.Metadata["dplab"]; raw != nil {
		if err := json.Unmarshal(raw, &made); err != nil {
			return Outputs{}, fmt.Errorf("metadata dplab: %w", err)
		}
	}
	out := Outputs{made.Profile, made.Day, map[string]Artifact{}}
	for _, cell := range nb.Code() {
		for _, o := range cell.Outputs {
			for _, mime := range []string{figures.ChartMIME, figures.TableMIME} {
				text, ok := o.DataText(mime)
				if !ok {
					continue
				}
				name, a, err := decode([]byte(text))
				if err != nil {
					return Outputs{}, fmt.Errorf("cell %s: %w", cell.ID, err)
				}
				out.Artifacts[name] = a
			}
		}
	}
	return out, nil
}
