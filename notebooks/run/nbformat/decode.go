package nbformat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// ReadFile reads a notebook.
func ReadFile(path string) (*Notebook, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("nbformat: %w", err)
	}
	n, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// Decode reads a notebook from its JSON form.
func Decode(data []byte) (*Notebook, error) {
	f := fields{}
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("nbformat: not a notebook: %w", err)
	}
	var major, minor int
	var cells []json.RawMessage
	n := &Notebook{}
	if err := errors.Join(f.take("nbformat", &major), f.take("nbformat_minor", &minor)); err != nil {
		return nil, fmt.Errorf("nbformat: not a notebook: %w", err)
	}
	if major != 4 {
		return nil, fmt.Errorf("nbformat: format %d.%d: must be 4.0 to 4.5 (jupyter nbconvert --to notebook --nbformat 4 FILE converts it)", major, minor)
	}
	if err := errors.Join(f.take("cells", &cells), f.take("metadata", &n.Metadata)); err != nil {
		return nil, fmt.Errorf("nbformat: %w", err)
	}
	n.other, n.Metadata = f, orEmpty(n.Metadata)
	seen := map[string]bool{}
	for i, raw := range cells {
		c := &Cell{}
		if err := c.decode(raw); err != nil {
			return nil, fmt.Errorf("nbformat: cell %d: %w", i+1, err)
		}
		if c.ID == "" && minor < 5 {
			c.ID = newID(i, c.Source)
		}
		if !validID.MatchString(c.ID) || seen[c.ID] {
			return nil, fmt.Errorf("nbformat: cell %d: id %q: must be 1 to 64 letters, digits, - or _, and differ from other cells' ids", i+1, c.ID)
		}
		seen[c.ID] = true
		n.Cells = append(n.Cells, c)
	}
	return n, nil
}

var validID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// newID returns the id for a cell that has none. It depends only on place and source.
func newID(place int, source string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s", place, source))
	return hex.EncodeToString(sum[:4])
}

func (c *Cell) decode(raw json.RawMessage) error {
	f := fields{}
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	errs := []error{f.take("cell_type", &c.Type), f.takeText("source", &c.Source), f.take("metadata", &c.Metadata)}
	if _, ok := f["id"]; ok {
		errs = append(errs, f.take("id", &c.ID))
	}
	switch c.Type {
	case "code":
		var outputs []json.RawMessage
		errs = append(errs, f.take("execution_count", &c.ExecutionCount), f.take("outputs", &outputs))
		for i, raw := range outputs {
			var o Output
			if err := o.decode(raw); err != nil {
				errs = append(errs, fmt.Errorf("output %d: %w", i+1, err))
			}
			c.Outputs = append(c.Outputs, o)
		}
	case "markdown", "raw":
	default:
		errs = append(errs, fmt.Errorf("cell_type %q: must be code, markdown or raw", c.Type))
	}
	c.Source = strings.ReplaceAll(c.Source, "\r\n", "\n") // GoNB's commands end at \n
	c.other, c.Metadata = f, orEmpty(c.Metadata)
	return errors.Join(errs...)
}

// take moves a required field into value.
func (f fields) take(name string, value any) error {
	raw, ok := f[name]
	delete(f, name)
	if !ok {
		return fmt.Errorf("field %s is missing", name)
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return fmt.Errorf("field %s: %w", name, err)
	}
	return nil
}

// takeText is take for a text or a list of its lines.
func (f fields) takeText(name string, value *string) error {
	var raw json.RawMessage
	if err := f.take(name, &raw); err != nil {
		return err
	}
	text, err := joinLines(raw)
	if err != nil {
		return fmt.Errorf("field %s: %w", name, err)
	}
	*value = text
	return nil
}

func joinLines(raw json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var lines []string
	if json.Unmarshal(raw, &lines) != nil {
		return "", errors.New("must be a text or a list of lines")
	}
	return strings.Join(lines, ""), nil
}
