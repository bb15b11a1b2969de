// Package outputs turns the messages of a kernel that runs a cell into the outputs that a notebook
// stores.
//
// It promises nothing to other modules.
package outputs

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/dplab/dplab/notebooks/run/jupyter"
	"github.com/dplab/dplab/notebooks/run/nbformat"
)

// Collector gathers the outputs of all cells of one notebook. Its methods may be called from
// several goroutines.
//
//   - Neighboring chunks of one stream become one output.
//   - An update of a display id replaces the data of every output under that id, in any cell.
//   - Places of this machine (temporary folders, the repository) are replaced by names.
type Collector struct {
	mu       sync.Mutex
	places   *strings.Replacer
	cells    map[int]*cell
	displays map[string][]place
}

type cell struct {
	outputs []nbformat.Output
	clear   bool // clear the outputs before the next one
}

// place is one output of one cell.
type place struct{ cell, output int }

// New returns a Collector that replaces texts by the pairs given: old, new, old, new, ...
func New(replace ...string) *Collector {
	return &Collector{places: strings.NewReplacer(replace...), cells: map[int]*cell{}, displays: map[string][]place{}}
}

// content has the fields of all messages that make an output.
type content struct {
	Name       string                     `json:"name"`
	Text       string                     `json:"text"`
	Data       map[string]json.RawMessage `json:"data"`
	Metadata   map[string]json.RawMessage `json:"metadata"`
	Count      int                        `json:"execution_count"`
	ErrorName  string                     `json:"ename"`
	ErrorValue string                     `json:"evalue"`
	Traceback  []string                   `json:"traceback"`
	Wait       bool                       `json:"wait"`
	Transient  struct {
		DisplayID string `json:"display_id"`
	} `json:"transient"`
}

// Add takes one published message of the cell with the given number. It ignores messages that make
// no output.
func (c *Collector) Add(number int, m jupyter.Message) {
	var in content
	if json.Unmarshal(m.Content, &in) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m.Header.Type {
	case "stream":
		c.addText(number, in.Name, c.clean(in.Text))
	case "display_data":
		c.add(number, in.Transient.DisplayID, nbformat.Output{Type: nbformat.DisplayData, Data: c.cleanData(in.Data), Metadata: in.Metadata})
	case "execute_result":
		c.add(number, in.Transient.DisplayID, nbformat.Output{Type: nbformat.ExecuteResult, Data: c.cleanData(in.Data), Metadata: in.Metadata, ExecutionCount: in.Count})
	case "update_display_data":
		for _, at := range c.displays[in.Transient.DisplayID] {
			o := &c.cells[at.cell].outputs[at.output]
			o.Data, o.Metadata = c.cleanData(in.Data), in.Metadata
		}
	case "error":
		o := nbformat.Output{Type: nbformat.ErrorOutput, ErrorName: in.ErrorName, ErrorValue: c.clean(in.ErrorValue)}
		for _, line := range in.Traceback {
			o.Traceback = append(o.Traceback, c.clean(line))
		}
		c.add(number, "", o)
	case "clear_output":
		if c.at(number).clear = in.Wait; !in.Wait {
			c.reset(number)
		}
	}
}

// Outputs returns the outputs of the cell so far.
func (c *Collector) Outputs(number int) []nbformat.Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]nbformat.Output(nil), c.at(number).outputs...)
}

// Forget forgets the outputs of the cell, which runs again.
func (c *Collector) Forget(number int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reset(number)
	c.at(number).clear = false
}

func (c *Collector) at(number int) *cell {
	if c.cells[number] == nil {
		c.cells[number] = &cell{}
	}
	return c.cells[number]
}

func (c *Collector) addText(number int, name, text string) {
	if list := c.at(number).outputs; len(list) > 0 && !c.at(number).clear {
		if last := &list[len(list)-1]; last.Type == nbformat.Stream && last.Name == name {
			last.Text = c.clean(last.Text + text) // again, for a place that the chunks cut in two
			return
		}
	}
	c.add(number, "", nbformat.Output{Type: nbformat.Stream, Name: name, Text: text})
}

func (c *Collector) add(number int, displayID string, o nbformat.Output) {
	at := c.at(number)
	if at.clear {
		c.reset(number)
		at.clear = false
	}
	at.outputs = append(at.outputs, o)
	if displayID != "" {
		c.displays[displayID] = append(c.displays[displayID], place{number, len(at.outputs) - 1})
	}
}

// reset forgets the cell's outputs and the display ids that pointed to them.
func (c *Collector) reset(number int) {
	c.at(number).outputs = nil
	for id, places := range c.displays {
		var kept []place
		for _, p := range places {
			if p.cell != number {
				kept = append(kept, p)
			}
		}
		c.displays[id] = kept
	}
}

// cleanData replaces places in the texts of data.
func (c *Collector) cleanData(data map[string]json.RawMessage) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for mime, raw := range data {
		out[mime] = raw
		var text string
		if !strings.HasPrefix(mime, "text/") || json.Unmarshal(raw, &text) != nil {
			continue
		}
		if clean, err := json.Marshal(c.clean(text)); err == nil {
			out[mime] = clean
		}
	}
	return out
}

// programName matches the name that GoNB gives the program of a cell. It differs between kernels.
var programName = regexp.MustCompile(`\bgonb_[0-9a-f]{8}\b`)

// clean replaces everything specific to this machine and this kernel.
func (c *Collector) clean(text string) string {
	return programName.ReplaceAllString(c.places.Replace(text), "gonb_cell")
}
