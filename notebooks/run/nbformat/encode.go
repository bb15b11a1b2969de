package nbformat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// Encode returns the notebook's JSON form, as Jupyter writes it.
func (n *Notebook) Encode() ([]byte, error) {
	f := n.other.copy()
	cells := []fields{}
	for _, c := range n.Cells {
		cells = append(cells, c.encode())
	}
	f["cells"], f["metadata"] = mustMarshal(cells), mustMarshal(n.Metadata)
	f["nbformat"], f["nbformat_minor"] = mustMarshal(4), mustMarshal(5)
	data, err := marshal(f)
	if err != nil {
		return nil, fmt.Errorf("nbformat: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, data, "", " "); err != nil {
		return nil, fmt.Errorf("nbformat: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// WriteFile writes the notebook in one step: a reader of path sees either the old file or the new
// one.
func (n *Notebook) WriteFile(path string) error {
	data, err := n.Encode()
	if err != nil {
		return err
	}
	return WriteFile(path, data)
}

// WriteFile writes data to a temporary file next to path and renames it. A link stays, and the file
// that it leads to is written.
func WriteFile(path string, data []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("nbformat: cannot write %s: %w", path, err)
	}
	defer os.Remove(f.Name()) // fails if the file already has its name
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("nbformat: cannot write %s: %w", path, err)
	}
	return nil
}

func (c *Cell) encode() fields {
	f := c.other.copy()
	f["id"], f["cell_type"] = mustMarshal(c.ID), mustMarshal(c.Type)
	f["metadata"], f["source"] = mustMarshal(orEmpty(c.Metadata)), splitLines(c.Source)
	if c.Type != "code" {
		return f
	}
	outputs := []fields{}
	for _, o := range c.Outputs {
		outputs = append(outputs, o.encode())
	}
	f["outputs"], f["execution_count"] = mustMarshal(outputs), json.RawMessage("null")
	if c.ExecutionCount > 0 {
		f["execution_count"] = mustMarshal(c.ExecutionCount)
	}
	return f
}

func (f fields) copy() fields {
	if f == nil {
		return fields{}
	}
	return maps.Clone(f)
}

func orEmpty(m map[string]json.RawMessage) map[string]json.RawMessage {
	if m == nil {
		return map[string]json.RawMessage{}
	}
	return m
}

// splitLines returns the JSON list of the lines of text, each with its line end.
func splitLines(text string) json.RawMessage {
	lines := []string{}
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	return mustMarshal(lines)
}

// marshal is json.Marshal without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}
