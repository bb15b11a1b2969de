// Package nbformat reads and writes Jupyter notebooks of format 4.5.
//
// It keeps what it does not know as it was read: metadata of other tools, attachments, new fields.
// It writes files as Jupyter does, with sorted keys and an indent of one space. So a notebook that
// was executed again differs only where its outputs do. Formats 4.0 to 4.4 are read and brought to
// 4.5, which adds an id to each cell.
//
// Left out on purpose: format 3 and older.
//
// Reference: "The Jupyter Notebook Format" and nbformat's JSON schema, version 4.5.
//
// It promises nothing to other modules.
package nbformat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Notebook is one notebook.
type Notebook struct {
	Cells    []*Cell
	Metadata map[string]json.RawMessage
	other    fields
}

// Cell is one cell.
type Cell struct {
	ID             string
	Type           string // "code", "markdown" or "raw"
	Source         string
	Metadata       map[string]json.RawMessage
	Outputs        []Output // of a code cell
	ExecutionCount int      // of a code cell; 0 is "not executed"
	other          fields
}

// fields are fields that the package does not know.
type fields map[string]json.RawMessage

// Tags returns the cell's tags.
func (c *Cell) Tags() []string {
	var tags []string
	if json.Unmarshal(c.Metadata["tags"], &tags) != nil {
		return nil
	}
	return tags
}

// HasTag reports whether the cell has the tag.
func (c *Cell) HasTag(tag string) bool { return slices.Contains(c.Tags(), tag) }

// NewCode returns a code cell.
func NewCode(id, source string, tags ...string) *Cell {
	c := &Cell{ID: id, Type: "code", Source: source, Metadata: map[string]json.RawMessage{}}
	if len(tags) > 0 {
		c.Metadata["tags"] = mustMarshal(tags)
	}
	return c
}

// Code returns the code cells.
func (n *Notebook) Code() []*Cell {
	return slices.DeleteFunc(slices.Clone(n.Cells), func(c *Cell) bool { return c.Type != "code" })
}

// Kernel returns the name of the notebook's kernel and its language, or empty strings for what the
// metadata do not have.
func (n *Notebook) Kernel() (name, language string) {
	var spec, info struct{ Name, Language string }
	for key, value := range map[string]any{"kernelspec": &spec, "language_info": &info} {
		if raw, ok := n.Metadata[key]; ok && json.Unmarshal(raw, value) != nil {
			return "", ""
		}
	}
	return spec.Name, cmp.Or(spec.Language, info.Name)
}

// Title returns the first Markdown heading, or the empty string.
func (n *Notebook) Title() string {
	for _, c := range n.Cells {
		if c.Type != "markdown" {
			continue
		}
		for line := range strings.Lines(c.Source) {
			if text, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
				return strings.TrimSpace(strings.TrimLeft(text, "#"))
			}
		}
	}
	return ""
}

// Clone returns a deep copy.
func (n *Notebook) Clone() *Notebook {
	data, err := n.Encode()
	if err != nil {
		panic(err) // what was read or built from valid parts can be written
	}
	twin, err := Decode(data)
	if err != nil {
		panic(err)
	}
	return twin
}

// SetMetadata stores a value in the notebook's metadata.
func (n *Notebook) SetMetadata(key string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("nbformat: metadata %s: %w", key, err)
	}
	n.Metadata[key] = data
	return nil
}

func mustMarshal(v any) json.RawMessage {
	data, err := marshal(v)
	if err != nil {
		panic(err) // only for strings, numbers and lists of them
	}
	return data
}

// Imports returns the import paths that the code cells declare, in order.
func (n *Notebook) Imports() []string {
	paths := map[string]bool{}
	for _, c := range n.Code() {
		for _, path := range importsOf(c.Source) {
			paths[path] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// importsOf finds import declarations. A cell need not be a Go file: it may start with statements
// or with commands to GoNB. So importsOf reads it token by token and skips what is not Go.
func importsOf(source string) []string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(source)), []byte(source), func(token.Position, string) {}, 0)
	var paths []string
	inside, group := false, false
	for {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return paths
		case tok == token.IMPORT:
			inside, group = true, false
		case inside && tok == token.LPAREN:
			group = true
		case inside && tok == token.STRING:
			if path, err := strconv.Unquote(text); err == nil && !strings.ContainsAny(path, " \\") {
				paths = append(paths, path)
			}
		case inside && (tok == token.IDENT || tok == token.PERIOD || tok == token.SEMICOLON && group):
		default:
			inside = false
		}
	}
}
